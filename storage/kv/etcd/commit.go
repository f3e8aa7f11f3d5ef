package etcd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
	"ludoteca/storage/kv/remote"
)

// How a transaction is committed
//
// The change runs on a snapshot, and its writes are buffered. Then one transaction of etcd compares all that was read
// and writes. What was read is unchanged if
//
//   - each key that was asked for has the revision it had, or is still missing;
//   - in each range that was scanned, no key is newer than the snapshot. This finds keys that appeared or changed, but
//     not keys that vanished;
//   - each key that a short scan found is still there; or, for a long one, no transaction has removed a key of its sections:
//     a transaction that does so also writes the key "x section".
//
// If something has changed, the change runs again (remote.Changes).
//
// # Doubt
//
// A request that gets no answer may have been carried out, or may yet be. So each commit also writes the key of a slot and
// compares its revision; no other commit uses the slot at that time. Writing to that key again, on the same condition, settles
// the matter: either that works, and then the commit can never succeed, or the key shows that the commit did.
// Update does so by itself until RequestTimeout; only if that fails does it return kv.ErrCommit, and the next View or
// Update goes on with it. A store that was ever in doubt leaves its slots behind when it is closed; Sweep removes them
// when no request can be under way any more.

const (
	maxRequest = 1400 << 10 // bytes that every cluster accepts; values of a larger request are stored beside it
	maxSend    = 16 << 20   // bytes; no cluster is sent more
	opOverhead = 32         // bytes, about, of an operation or comparison in a request
)

// A slot is a key that takes part in one commit at a time.
type slot struct {
	key    string
	at     int64  // the revision of its last change, 0 if there was none
	number uint64 // of the last commit
}

// What is under the key of a slot: one of these and a number.
const (
	committed = 'c'
	fenced    = 'f' // it is settled that this commit failed
)

func (l *slot) value(kind byte) string {
	return string(binary.BigEndian.AppendUint64([]byte{kind}, l.number))
}

// slotKey is what the slots of this store begin with.
func (s *Store) slotKey() string { return s.options.Namespace + "t" + string(s.session) }

// takeSlot returns a slot that no other commit uses. The last one that was returned comes first.
func (s *Store) takeSlot() *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.slots); n > 0 {
		l := s.slots[n-1]
		s.slots = s.slots[:n-1]
		return l
	}
	s.made++
	return &slot{key: s.slotKey() + fmt.Sprint(s.made)}
}

func (s *Store) returnSlot(l *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots = append(s.slots, l)
}

// Update implements kv.Store.
func (s *Store) Update(ctx context.Context, change func(kv.Tx) error) error {
	return s.changes.Update(ctx, change)
}

// begin begins a transaction.
func (s *Store) begin(ctx context.Context, revision int64) *tx {
	return newTx(&snapshot{store: s, ctx: ctx, revision: revision})
}

// commitTx commits a transaction. fenced is how many commits of its change were fenced off before.
func (s *Store) commitTx(ctx context.Context, t *tx, fenced int) error {
	c, err := t.commit()
	if err != nil {
		return err
	}
	if err := s.putParts(ctx, c.parts); err != nil {
		s.dropParts(ctx, c.parts)
		return err
	}
	began := time.Now()
	err = s.commit(context.WithoutCancel(ctx), c, remote.Longer(s.options.TryTimeout, fenced))
	if report := s.options.Meters.Commit; report != nil && !errors.Is(err, remote.ErrChanged) {
		report(1, time.Since(began), err)
	}
	if err != nil && !errors.Is(err, kv.ErrCommit) {
		s.dropParts(context.WithoutCancel(ctx), c.parts)
	}
	if errors.Is(err, kv.ErrCommit) && !errors.Is(err, rpctypes.ErrNoSpace) { // of which logHealth says when it begins and ends
		s.log.Error("commit failed", "err", err)
	}
	return err
}

// A commit is what is sent to etcd for a transaction.
type commit struct {
	compares []clientv3.Cmp
	ops      []clientv3.Op
	parts    []part
	size     int // of the request, in bytes, about
}

func (c *commit) compare(more ...clientv3.Cmp) {
	for _, m := range more {
		c.size += opOverhead + len(m.KeyBytes()) + len(m.GetCompare().GetRangeEnd())
	}
	c.compares = append(c.compares, more...)
}

func (c *commit) do(op clientv3.Op) {
	c.size += opOverhead + len(op.KeyBytes()) + len(op.RangeBytes()) + len(op.ValueBytes())
	c.ops = append(c.ops, op)
}

// commit returns what has to be sent for a transaction. The error is ErrTooLarge.
func (t *tx) commit() (*commit, error) {
	c, store := &commit{}, t.reads.snapshot.store
	for _, r := range t.reads.ranges {
		t.reads.compareRange(c, r)
	}
	for key, revision := range t.reads.revisions {
		c.compare(clientv3.Compare(clientv3.ModRevision(store.dataKey([]byte(key))), "=", revision))
	}
	bare := make(map[string]bool) // sections that lose keys
	var puts []overlay.Write
	for w := range t.All() {
		if w.Value != nil {
			puts = append(puts, w)
			continue
		}
		bare[section(w.Key)] = true
		c.do(clientv3.OpDelete(store.dataKey(w.Key)))
	}
	for _, prefix := range t.Prefixes() {
		bare[section(prefix)] = true
		from := prefix
		for _, w := range puts { // etcd doesn't put what it removes in the same transaction
			if bytes.HasPrefix(w.Key, prefix) {
				store.remove(c, from, w.Key)
				from = append(bytes.Clone(w.Key), 0)
			}
		}
		store.remove(c, from, kv.Prefix(prefix).To)
	}
	for name := range bare {
		c.do(clientv3.OpPut(store.bareKey(name), ""))
	}
	if err := store.put(c, puts); err != nil {
		return nil, err
	}
	return c, nil
}

// compareRange compares what a scan has seen.
func (r *reads) compareRange(c *commit, of *scanned) {
	store, revision := r.snapshot.store, r.snapshot.revision
	from, to := store.dataRange(kv.Range{From: of.from, To: of.to})
	if from >= to {
		return
	}
	c.compare(clientv3.Compare(clientv3.ModRevision(from), "<", revision+1).WithRange(to))
	if of.many {
		// From the marker of the first section to the marker of the last one that the range reaches.
		first, last := store.bareKey(section(of.from)), store.options.Namespace+"y"
		if of.to != nil {
			last = store.bareKey(section(of.to)) + "\x00"
		}
		c.compare(clientv3.Compare(clientv3.ModRevision(first), "<", revision+1).WithRange(last))
		return
	}
	for _, e := range of.seen {
		r.revisions[string(e.Key[len(store.options.Namespace)+1:])] = e.ModRevision
	}
}

// remove adds the removal of the keys from one to another.
func (s *Store) remove(c *commit, from, to []byte) {
	if first, last := s.dataRange(kv.Range{From: from, To: to}); first < last {
		c.do(clientv3.OpDelete(first, clientv3.WithRange(last)))
	}
}

// bareKey is the key that is written when a section loses keys.
func (s *Store) bareKey(section string) string { return s.options.Namespace + "x" + section }

// section returns the section of a key; of a bound without a zero byte, all of it.
func section(key []byte) string {
	name, _, _ := bytes.Cut(key, []byte{0})
	return string(name)
}

// commit sends a commit to etcd, waits for the answer for at most limit, and otherwise finds out whether it was carried out. The error
// wraps remote.ErrChanged, kv.ErrCommit or kv.ErrInvalid.
func (s *Store) commit(ctx context.Context, c *commit, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.RequestTimeout)
	defer cancel()
	l := s.takeSlot()
	l.number++
	compares := append(slices.Clip(c.compares), clientv3.Compare(clientv3.ModRevision(l.key), "=", l.at))
	ops := append(slices.Clip(c.ops), clientv3.OpPut(l.key, l.value(committed)))
	var answer *clientv3.TxnResponse
	err := s.once(ctx, limit, func(ctx context.Context, c *clientv3.Client) (err error) {
		answer, err = c.Txn(ctx).If(compares...).Then(ops...).Else(clientv3.OpGet(l.key)).Commit()
		return err
	})
	if err == nil {
		defer s.returnSlot(l)
		if answer.Succeeded {
			l.at = answer.Header.Revision
			s.latest.Saw(l.at)
			s.count(c)
			return nil
		}
		l.read(answer) // a slot that wasn't used for long was swept
		return remote.ErrChanged
	}
	switch {
	case errors.Is(err, rpctypes.ErrTooManyOps), errors.Is(err, rpctypes.ErrRequestTooLarge), tooLong(err):
		s.returnSlot(l)
		return fmt.Errorf("%w, with %d comparisons, %d writes and %d bytes: etcd's --max-txn-ops and --max-request-bytes are its limits",
			ErrTooLarge, len(compares), len(ops), c.size)
	case final(err):
		s.returnSlot(l)
		return fmt.Errorf("%w: %w", kv.ErrCommit, err)
	}
	s.mu.Lock()
	s.doubted = true
	s.mu.Unlock()
	went, settled := s.settle(ctx, l)
	if report := s.options.Meters.Doubt; report != nil {
		report(settled == nil)
	}
	switch {
	case settled != nil:
		s.mu.Lock()
		s.unsure = append(s.unsure, l)
		s.mu.Unlock()
		return fmt.Errorf("%w: %w", kv.ErrCommit, err)
	case went:
		s.returnSlot(l)
		s.count(c)
		return nil
	}
	s.returnSlot(l)
	return remote.ErrFenced
}

// read takes the state of a slot from the answer to a transaction that didn't succeed, and returns what is under its key.
func (l *slot) read(answer *clientv3.TxnResponse) (value string) {
	l.at = 0
	for _, e := range answer.Responses[0].GetResponseRange().Kvs {
		l.at, value = e.ModRevision, string(e.Value)
	}
	return value
}

// settle makes sure of the outcome of the last commit of a slot: it has succeeded, or it never will. An error says
// that nothing is known yet.
func (s *Store) settle(ctx context.Context, l *slot) (succeeded bool, err error) {
	var answer *clientv3.TxnResponse
	err = remote.Repeat(ctx, s.options.TryTimeout, func(limit time.Duration) error {
		return s.once(ctx, limit, func(ctx context.Context, c *clientv3.Client) (err error) {
			answer, err = c.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(l.key), "=", l.at)).
				Then(clientv3.OpPut(l.key, l.value(fenced))).Else(clientv3.OpGet(l.key)).Commit()
			return err
		})
	}, nil)
	switch {
	case err != nil:
		return false, err
	case answer.Succeeded:
		l.at = answer.Header.Revision
		return false, nil
	}
	return l.read(answer) == l.value(committed), nil
}

// settleAll settles what callers got kv.ErrCommit for.
func (s *Store) settleAll(ctx context.Context) error {
	s.mu.Lock()
	n := len(s.unsure)
	s.mu.Unlock()
	if n == 0 {
		return nil
	}
	whole, cancel := context.WithTimeout(ctx, s.options.RequestTimeout) // the wait for others who settle counts too
	defer cancel()
	select {
	case s.settling <- struct{}{}:
		defer func() { <-s.settling }()
	case <-whole.Done():
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w: its outcome is still unknown", kv.ErrCommit)
	}
	s.mu.Lock()
	unsure := slices.Clone(s.unsure)
	s.mu.Unlock()
	for _, l := range unsure {
		if _, err := s.settle(whole, l); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%w: its outcome is still unknown: %w", kv.ErrCommit, err)
		}
		s.mu.Lock()
		s.unsure = slices.DeleteFunc(s.unsure, func(other *slot) bool { return other == l })
		s.mu.Unlock()
		s.returnSlot(l)
	}
	return nil
}

// final reports whether an error means that etcd has refused a request for good: it was not and will not be carried out, and another
// member would refuse it too.
func final(err error) bool {
	for _, e := range []error{
		rpctypes.ErrEmptyKey, rpctypes.ErrDuplicateKey, rpctypes.ErrTooManyOps, rpctypes.ErrNoSpace, rpctypes.ErrRequestTooLarge,
		rpctypes.ErrPermissionDenied, rpctypes.ErrUserEmpty, rpctypes.ErrAuthFailed, rpctypes.ErrCorrupt,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return tooLong(err)
}

// tooLong reports whether gRPC refused a message because of its length, on either side.
func tooLong(err error) bool {
	return strings.Contains(err.Error(), "trying to send message larger than max") || strings.Contains(err.Error(), "received message larger than max")
}
