package etcd

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

// Snapshots
//
// A snapshot is a revision of etcd, no older than anything acknowledged before: one linearizable read finds it out. All other reads
// name that revision, so any member that has reached it answers by itself. A member that is behind is asked to catch up first.

// A snapshot implements kv.Reader at one revision. It lives as long as a call of View or Update, whose context it keeps.
type snapshot struct {
	store    *Store
	ctx      context.Context
	revision int64
}

// newest asks for the newest revision.
func (s *Store) newest(ctx context.Context) (revision int64, err error) {
	answer, err := s.get(ctx, s.options.Namespace+"v")
	if err != nil {
		return 0, err
	}
	return answer.Header.Revision, nil
}

// get reads from etcd until a member answers or time is up.
func (s *Store) get(ctx context.Context, key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	var answer *clientv3.GetResponse
	err := s.ask(ctx, s.options.TryTimeout, func(ctx context.Context, c *clientv3.Client) (err error) {
		answer, err = c.Get(ctx, key, options...)
		return err
	})
	if err == nil {
		s.latest.Saw(answer.Header.Revision)
	}
	return answer, err
}

// read reads at the revision of the snapshot.
func (s *snapshot) read(key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	options = append(options, clientv3.WithRev(s.revision))
	answer, err := s.store.get(s.ctx, key, append(options, clientv3.WithSerializable())...)
	if errors.Is(err, rpctypes.ErrFutureRev) {
		answer, err = s.store.get(s.ctx, key, options...)
	}
	return answer, err
}

// readAll runs several reads at the revision of the snapshot as one request. ops returns them, each with the given options.
func (s *snapshot) readAll(ops func(options ...clientv3.OpOption) []clientv3.Op) (answer *clientv3.TxnResponse, err error) {
	ask := func(options ...clientv3.OpOption) error {
		all := ops(append(options, clientv3.WithRev(s.revision))...)
		return s.store.ask(s.ctx, s.store.options.TryTimeout, func(ctx context.Context, c *clientv3.Client) (err error) {
			answer, err = c.Txn(ctx).Then(all...).Commit()
			return err
		})
	}
	err = ask(clientv3.WithSerializable())
	if errors.Is(err, rpctypes.ErrFutureRev) {
		err = ask()
	}
	return answer, err
}

// Revision implements kv.Reader.
func (s *snapshot) Revision() kv.Revision { return kv.Revision(s.revision) }

// Get implements kv.Reader.
func (s *snapshot) Get(key []byte) ([]byte, error) {
	found, err := s.entry(key)
	if found == nil || err != nil {
		return nil, err
	}
	return s.value(found)
}

// entry returns what etcd has under a key, nil if there is nothing.
func (s *snapshot) entry(key []byte) (*mvccpb.KeyValue, error) {
	if kv.Check(key, nil) != nil {
		return nil, nil // nothing is there
	}
	answer, err := s.read(s.store.dataKey(key))
	if err != nil || len(answer.Kvs) == 0 {
		return nil, err
	}
	return answer.Kvs[0], nil
}

// GetAll implements kv.Reader.
func (s *snapshot) GetAll(keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	return values, s.entries(keys, func(i int, e *mvccpb.KeyValue) (err error) {
		values[i], err = s.value(e)
		return err
	})
}

// Reads of many keys
const (
	maxGets     = 1000 // keys that one request asks for
	maxTogether = 4    // requests of one GetAll at a time
)

// entries calls found for each key that etcd has something under, in their order. It sends the requests beside each other.
func (s *snapshot) entries(keys [][]byte, found func(i int, e *mvccpb.KeyValue) error) error {
	var valid []int // the indexes of the keys that follow the rules; nothing is under the others
	for i, key := range keys {
		if kv.Check(key, nil) == nil {
			valid = append(valid, i)
		}
	}
	requests := slices.Collect(slices.Chunk(valid, maxGets))
	answers := make([]*clientv3.TxnResponse, len(requests))
	var asking errgroup.Group
	asking.SetLimit(maxTogether)
	for n, asked := range requests {
		asking.Go(func() (err error) {
			answers[n], err = s.readAll(func(options ...clientv3.OpOption) (ops []clientv3.Op) {
				for _, i := range asked {
					ops = append(ops, clientv3.OpGet(s.store.dataKey(keys[i]), options...))
				}
				return ops
			})
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return err
	}
	for n, asked := range requests {
		for m, r := range answers[n].Responses {
			for _, e := range r.GetResponseRange().Kvs {
				if err := found(asked[m], e); err != nil {
					return err
				}
			}
		}
		answers[n] = nil // its values are copies only where they are in parts
	}
	return nil
}

// Scan implements kv.Reader.
func (s *snapshot) Scan(r kv.Range) iter.Seq2[kv.Pair, error] {
	return overlay.Scan(s, r)
}

// Cursor implements overlay.Base.
func (s *snapshot) Cursor(r kv.Range) overlay.Cursor { return &pages{snapshot: s, r: r} }

// dataKey is where etcd has the value of a key, or of a reference to it.
func (s *Store) dataKey(key []byte) string { return s.options.Namespace + "d" + string(key) }

// dataRange returns the first data key of a range and the first after it.
func (s *Store) dataRange(r kv.Range) (from, to string) {
	if r.To == nil {
		return s.dataKey(r.From), s.options.Namespace + "e"
	}
	return s.dataKey(r.From), s.dataKey(r.To)
}

// Pages of a scan are meant to have pageBytes. The first has firstPage keys, because most scans are short, or as many as the range expects if these
// are more.
const (
	pageBytes = 256 << 10
	firstPage = 32
	maxPage   = 2000
)

// pages iterates over a range of a snapshot. For each page etcd counts all keys of the range (some 100 ns each). For a scan in reverse it
// would also read and sort all of them, so such a scan asks only for the end of the range (tail).
type pages struct {
	snapshot *snapshot
	r        kv.Range
	loaded   []*mvccpb.KeyValue
	limit    int64
	last     bool // nothing follows what is loaded
	started  bool
	at       *mvccpb.KeyValue // the entry that Next has come to, nil after the last
}

// Next implements overlay.Cursor.
func (p *pages) Next() (key []byte, err error) {
	p.at = nil
	if len(p.loaded) == 0 && !p.last {
		if err := p.load(); err != nil {
			return nil, err
		}
	}
	if len(p.loaded) == 0 {
		return nil, nil
	}
	p.at = p.loaded[0]
	p.loaded = p.loaded[1:]
	key = p.key(p.at)
	if len(p.loaded) == 0 { // the next page begins behind this key
		if p.r.Reverse {
			p.r.To = key
		} else {
			p.r.From = append(bytes.Clone(key), 0)
		}
	}
	return key, nil
}

// Value implements overlay.Cursor.
func (p *pages) Value() ([]byte, error) { return p.snapshot.value(p.at) }

func (p *pages) load() error {
	from, to := p.snapshot.store.dataRange(p.r)
	if from >= to {
		p.last = true
		return nil
	}
	first := !p.started
	if first {
		p.started, p.limit = true, int64(min(max(firstPage, p.r.Expect), maxPage))
	}
	options := []clientv3.OpOption{clientv3.WithRange(to), clientv3.WithLimit(p.limit)}
	if first && p.r.Reverse && !p.hasTail(from, to) {
		answer, err := p.snapshot.read(from, options...)
		if err != nil {
			return err
		}
		if !answer.More { // most ranges are short
			slices.Reverse(answer.Kvs)
			p.loaded, p.last = answer.Kvs, true
			return nil
		}
	}
	whole := true // the page is asked of the whole range, not of its tail
	if p.r.Reverse {
		begin, err := p.tailOf(from, to, first)
		if err != nil {
			return err
		}
		from, whole = begin, begin == from
		options = append(options, clientv3.WithSort(clientv3.SortByKey, clientv3.SortDescend))
	}
	answer, err := p.snapshot.read(from, options...)
	if err != nil {
		return err
	}
	p.loaded, p.last = answer.Kvs, whole && !answer.More
	size := 0
	for _, e := range answer.Kvs {
		size += len(e.Key) + len(e.Value)
	}
	if size > 0 {
		p.limit = min(max(int64(pageBytes*len(answer.Kvs)/size), 1), maxPage)
	}
	return nil
}

const (
	tailPages = 4    // the most pages in a tail
	maxTails  = 1000 // the most ranges in Store.tails
)

// hasTail reports whether the tail of a range is in Store.tails, which means that the range was long.
func (p *pages) hasTail(from, to string) bool {
	s := p.snapshot.store
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known := s.tails[[2]string{from, to}]
	return known
}

// tailOf returns the same as tail. For the first page of a scan it begins at the last known tail of the range, because counting all keys
// of a long range takes etcd longer than the scan.
func (p *pages) tailOf(from, to string, first bool) (begin string, err error) {
	if !first {
		return p.tail(from, to)
	}
	s, scan := p.snapshot.store, [2]string{from, to}
	s.mu.Lock()
	last, known := s.tails[scan]
	s.mu.Unlock()
	if known && last > from {
		n, err := p.count([]string{last}, to)
		switch {
		case err != nil:
			return "", err
		case n[0] > tailPages*p.limit:
			from = last
		case n[0] >= p.limit:
			return last, nil
		}
	}
	if begin, err = p.tail(from, to); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tails) >= maxTails {
		clear(s.tails)
	}
	s.tails[scan] = begin
	return begin, nil
}

// tail returns a key near the end of a range: from it on there are at most tailPages of keys, at least one page if possible, and at least one
// key. It counts the keys for each byte that may come next, and narrows the last part that has too many, byte by byte.
func (p *pages) tail(from, to string) (begin string, err error) {
	most := tailPages * p.limit
	if n, err := p.count([]string{from}, to); err != nil || n[0] <= most {
		return from, err
	}
	shared := 0 // bytes at the beginning of all keys of the range
	for shared < len(from) && from[shared] == to[shared] {
		shared++
	}
	for head := from[:shared]; ; {
		cuts := []string{from}
		for next := range 256 {
			if cut := head + string([]byte{byte(next)}); cut > from && cut < to {
				cuts = append(cuts, cut)
			}
		}
		counts, err := p.count(cuts, to)
		if err != nil {
			return "", err
		}
		part, seen := len(cuts)-1, int64(0)
		for ; part > 0 && seen+counts[part] <= most; part-- {
			if seen += counts[part]; seen >= p.limit {
				return cuts[part], nil
			}
		}
		switch {
		case seen > 0:
			return cuts[part+1], nil
		case part+1 < len(cuts):
			to = cuts[part+1]
		}
		if from = cuts[part]; len(from) == len(head) {
			return from, nil // one key, and not too many
		}
		head = from[:len(head)+1]
	}
}

// count returns how many keys there are from each cut to the next, and from the last one to the end, to.
func (p *pages) count(cuts []string, to string) (counts []int64, err error) {
	answer, err := p.snapshot.readAll(func(options ...clientv3.OpOption) []clientv3.Op {
		ops := make([]clientv3.Op, len(cuts))
		for i, cut := range cuts {
			end := to
			if i+1 < len(cuts) {
				end = cuts[i+1]
			}
			ops[i] = clientv3.OpGet(cut, append(slices.Clip(options), clientv3.WithRange(end), clientv3.WithCountOnly())...)
		}
		return ops
	})
	if err != nil {
		return nil, err
	}
	for _, r := range answer.Responses {
		counts = append(counts, r.GetResponseRange().Count)
	}
	return counts, nil
}

// key returns the key of an entry without the name space.
func (p *pages) key(e *mvccpb.KeyValue) []byte {
	return e.Key[len(p.snapshot.store.options.Namespace)+1:]
}
