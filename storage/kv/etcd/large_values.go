package etcd

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

// How values are kept
//
// Under its data key a value begins with a byte that says how the rest is to be read: inline is the value itself,
// split a reference to its parts. Parts are written before the transaction that refers to them, under an id of their own, and
// never change. That transaction also compares that they are there. Only Sweep removes the parts of a value that was replaced or
// deleted, or whose transaction was never finished: until then snapshots and watches still read them.

const (
	inline = 0
	split  = 1

	idSize     = 16
	partSize   = 1 << 20  // bytes of a value in one part
	maxInline  = 64 << 10 // larger values are always split
	partPrefix = "c"
)

// A reference says where the parts of a value are.
type reference struct {
	id       [idSize]byte
	size     uint32 // of the value, in bytes, at most kv.MaxValue
	checksum uint32 // CRC-32C of the value
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns what stands under a data key for a reference.
func (r reference) encode() []byte {
	b := append([]byte{split}, r.id[:]...)
	b = binary.BigEndian.AppendUint32(b, r.size)
	return binary.BigEndian.AppendUint32(b, r.checksum)
}

// decode takes apart what stands under a data key: a value, or a reference to one. The error is kv.ErrDamaged.
func decode(stored []byte) (value []byte, to *reference, err error) {
	switch {
	case len(stored) > 0 && stored[0] == inline:
		return stored[1:len(stored):len(stored)], nil, nil
	case len(stored) == 1+idSize+8 && stored[0] == split:
		r := &reference{size: binary.BigEndian.Uint32(stored[1+idSize:]), checksum: binary.BigEndian.Uint32(stored[1+idSize+4:])}
		copy(r.id[:], stored[1:])
		if r.size <= kv.MaxValue {
			return nil, r, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: %d bytes that are no value", kv.ErrDamaged, len(stored))
}

// A part of a value that is to be written.
type part struct {
	key   string
	value []byte
}

// partKey is the key of part n of a value. It ends with the key of the value.
func (s *Store) partKey(id []byte, n int, key []byte) string {
	b := append([]byte(s.options.Namespace+partPrefix), id...)
	return string(append(binary.BigEndian.AppendUint32(b, uint32(n)), key...))
}

// divide returns the parts of a value and a reference to them.
func (s *Store) divide(key, value []byte) (reference, []part) {
	r := reference{size: uint32(len(value)), checksum: crc32.Checksum(value, castagnoli)}
	_, _ = rand.Read(r.id[:]) // never fails
	var parts []part
	for p := range slices.Chunk(value, partSize) {
		parts = append(parts, part{s.partKey(r.id[:], len(parts), key), p})
	}
	return r, parts
}

// put adds the values that a transaction writes to its commit. Large ones, and more if all are too many, go beside it.
func (s *Store) put(c *commit, puts []overlay.Write) error {
	size := c.size
	for _, w := range puts {
		size += opOverhead + len(s.dataKey(w.Key)) + 1 + min(len(w.Value), maxInline+1)
	}
	beside := map[string]bool{}
	bySize := slices.SortedFunc(slices.Values(puts), func(a, b overlay.Write) int { return cmp.Compare(len(b.Value), len(a.Value)) })
	for _, w := range bySize {
		least := idSize + 9 + 2*opOverhead + 2*len(w.Key) + len(s.options.Namespace) // what a value costs that goes beside
		if len(w.Value) <= maxInline && (size <= maxRequest || len(w.Value) <= 2*least) {
			break
		}
		beside[string(w.Key)] = true
		size -= min(len(w.Value), maxInline+1) - least
	}
	for _, w := range puts {
		stored := append([]byte{inline}, w.Value...)
		if beside[string(w.Key)] {
			r, parts := s.divide(w.Key, w.Value)
			stored = r.encode()
			for _, p := range parts {
				c.compare(clientv3.Compare(clientv3.CreateRevision(p.key), ">", 0))
			}
			c.parts = append(c.parts, parts...)
		}
		c.do(clientv3.OpPut(s.dataKey(w.Key), string(stored)))
	}
	if c.size > maxSend {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, c.size)
	}
	return nil
}

// putParts writes parts of values. They are new and unique, so writing one twice does no harm.
func (s *Store) putParts(ctx context.Context, parts []part) error {
	for _, p := range parts {
		// A part may be large, and take longer than other requests.
		if err := s.ask(ctx, 2*s.options.TryTimeout, func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Put(ctx, p.key, string(p.value))
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// dropParts removes the parts of a transaction that was given up, if it can: Sweep removes what is left.
func (s *Store) dropParts(ctx context.Context, parts []part) {
	if len(parts) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.TryTimeout)
	defer cancel()
	for _, p := range parts {
		if err := s.once(ctx, s.options.TryTimeout, func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Delete(ctx, p.key)
			return err
		}); err != nil {
			s.log.Warn("parts of a value stay until they are swept", "err", err)
			return
		}
	}
}

// value returns the value that an entry holds or refers to.
func (s *snapshot) value(e *mvccpb.KeyValue) ([]byte, error) {
	value, to, err := decode(e.Value)
	if err != nil || to == nil {
		return value, err
	}
	key := e.Key[len(s.store.options.Namespace)+1:]
	value = make([]byte, 0, to.size)
	for n := 0; len(value) < int(to.size); n++ {
		answer, err := s.read(s.store.partKey(to.id[:], n, key))
		if err != nil {
			return nil, err
		}
		if len(answer.Kvs) == 0 || len(answer.Kvs[0].Value) == 0 {
			return nil, fmt.Errorf("%w: part %d of a value of %d bytes is missing", kv.ErrDamaged, n, to.size)
		}
		value = append(value, answer.Kvs[0].Value...)
	}
	if len(value) != int(to.size) || crc32.Checksum(value, castagnoli) != to.checksum {
		return nil, fmt.Errorf("%w: the parts of a value of %d bytes are not what was written", kv.ErrDamaged, to.size)
	}
	return value, nil
}

// Sweep removes what is of no more use and was last written at a revision up to before: parts of values that were
// replaced, deleted or never finished, and the slots of stores that are no longer open. It may run beside anything, on any
// number of nodes: a transaction whose parts it removes runs again. The store sweeps by itself every hour, with the
// revision of an hour ago. Sweep returns how many keys it removed.
func (s *Store) Sweep(ctx context.Context, before kv.Revision) (removed int, err error) {
	err = s.calls.Run(func() error {
		removed, err = s.sweep(ctx, before)
		return err
	})
	return removed, err
}

// sweepPage is how many keys Sweep reads at a time.
const sweepPage = 1000

func (s *Store) sweep(ctx context.Context, before kv.Revision) (removed int, err error) {
	head := len(s.options.Namespace) + len(partPrefix)
	for from, to := s.options.Namespace+partPrefix, s.options.Namespace+"d"; ; {
		answer, err := s.get(ctx, from, clientv3.WithRange(to), clientv3.WithKeysOnly(), clientv3.WithLimit(sweepPage))
		if err != nil {
			return removed, err
		}
		for _, e := range answer.Kvs {
			from = string(e.Key) + "\x00"
			if len(e.Key) < head+idSize+4 || e.ModRevision > int64(before) {
				continue
			}
			gone, err := s.sweepPart(ctx, string(e.Key), e.Key[head:head+idSize], e.Key[head+idSize+4:])
			if err != nil {
				return removed, err
			}
			if gone {
				removed++
			}
		}
		if !answer.More {
			break
		}
	}
	slots := s.options.Namespace + "t"
	answer, err := s.get(ctx, slots, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return removed, err
	}
	for _, e := range answer.Kvs {
		if e.ModRevision > int64(before) || bytes.HasPrefix(e.Key, []byte(s.slotKey())) {
			continue
		}
		done, err := s.removeIf(ctx, string(e.Key), clientv3.Compare(clientv3.ModRevision(string(e.Key)), "=", e.ModRevision))
		if err != nil {
			return removed, err
		}
		if done {
			removed++
		}
	}
	return removed, nil
}

// sweepPart removes a part unless the value under the key refers to it.
func (s *Store) sweepPart(ctx context.Context, part string, id, key []byte) (removed bool, err error) {
	answer, err := s.get(ctx, s.dataKey(key))
	if err != nil {
		return false, err
	}
	at := int64(0)
	if len(answer.Kvs) > 0 {
		at = answer.Kvs[0].ModRevision
		_, to, err := decode(answer.Kvs[0].Value)
		if err != nil || to != nil && bytes.Equal(to.id[:], id) {
			return false, nil // Get tells of damage
		}
	}
	return s.removeIf(ctx, part, clientv3.Compare(clientv3.ModRevision(s.dataKey(key)), "=", at))
}

// removeIf removes a key if a condition holds.
func (s *Store) removeIf(ctx context.Context, key string, when clientv3.Cmp) (removed bool, err error) {
	var answer *clientv3.TxnResponse
	err = s.once(ctx, s.options.TryTimeout, func(ctx context.Context, c *clientv3.Client) (err error) {
		answer, err = c.Txn(ctx).If(when).Then(clientv3.OpDelete(key)).Commit()
		return err
	})
	if err != nil {
		return false, unavailable(ctx, err)
	}
	return answer.Succeeded, nil
}
