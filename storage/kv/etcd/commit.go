package etcd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
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
// A transaction without writes is not committed at all, because its snapshot was the newest when it began (tryChange).
//
// If something has changed, the change runs again. From its third run on it runs without any other transaction of
// this store, so only transactions of other nodes can come first.
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
	maxRunning  = 256        // transactions at a time in one store; further ones wait
	maxRuns     = 100        // of one change
	runsAmong   = 2          // of one change while others run
	maxRequest  = 1400 << 10 // bytes that every cluster accepts; values of a larger request are stored beside it
	maxSend     = 16 << 20   // bytes; no cluster is sent more
	opOverhead  = 32         // bytes, about, of an operation or comparison in a request
	maxBackoff  = 200 * time.Millisecond
	leastWaited = 2 * time.Millisecond

	maxDoublings = 2 // of TryTimeout, when a request that got no answer is sent again
)

// backoff returns how long to wait before try n+2: a random time, twice as long each time.
func backoff(n int) time.Duration {
	return leastWaited/2 + rand.N(min(leastWaited<<min(n, 16), maxBackoff))
}

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
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()
	s.writing.Add(1)
	defer s.writing.Add(-1)
	called := time.Now()
	err := s.update(ctx, change)
	if report := s.options.Meters.Write; report != nil && (err == nil || ctx.Err() == nil) {
		report(time.Since(called))
	}
	return err
}

// errChanged says that a transaction has not been committed, and why it may run again.
var errChanged = errors.New("something has changed that was read")

func (s *Store) update(ctx context.Context, change func(kv.Tx) error) error {
	if err := s.settleAll(ctx); err != nil {
		return err
	}
	fenced := 0 // how many commits were fenced off
	for n := range maxRuns {
		err := s.run(ctx, change, n == 0, n >= runsAmong, fenced)
		if !errors.Is(err, errChanged) {
			return err
		}
		if errors.Is(err, errFenced) {
			fenced++
		}
		if report := s.options.Meters.Retry; report != nil {
			report()
		}
		if err := pause(ctx, backoff(n)); err != nil {
			return err
		}
	}
	return ErrConflict
}

// errFenced is an errChanged: the commit got no answer in time, and was fenced off.
var errFenced = fmt.Errorf("%w: its commit was fenced off", errChanged)

// run runs a change once and commits it. The error wraps errChanged if it should run again. fenced is how many of its commits were fenced
// off before: each doubles the time for this one, up to maxDoublings, because the cluster may be slow rather than down.
func (s *Store) run(ctx context.Context, change func(kv.Tx) error, first, alone bool, fenced int) error {
	weight := int64(1)
	if alone {
		weight = maxRunning
	}
	if err := s.running.Acquire(ctx, weight); err != nil {
		return err
	}
	defer s.running.Release(weight)
	t, err := s.tryChange(ctx, change, first)
	if err != nil || t == nil {
		return err
	}
	c, err := t.commit()
	if err != nil {
		return err
	}
	if err := s.putParts(ctx, c.parts); err != nil {
		s.dropParts(ctx, c.parts)
		return err
	}
	began := time.Now()
	err = s.commit(context.WithoutCancel(ctx), c, s.options.TryTimeout<<min(fenced, maxDoublings))
	if report := s.options.Meters.Commit; report != nil && !errors.Is(err, errChanged) {
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

// tryChange runs a change on a snapshot and returns the transaction, or nil if it has no writes. The first run saves a request: it uses
// the latest revision that this store has seen. If that is out of date, the commit finds out. A change that fails or writes nothing has
// no commit, so it runs again on the newest snapshot.
func (s *Store) tryChange(ctx context.Context, change func(kv.Tx) error, first bool) (*tx, error) {
	on := func(snap *snapshot) (*tx, error) {
		t := newTx(snap)
		err := s.catch(func() error {
			if err := change(t); err != nil {
				return err
			}
			return t.Err()
		})
		return t, err
	}
	if latest := s.latest.Load(); first && latest > 0 {
		if t, err := on(&snapshot{store: s, ctx: ctx, revision: latest}); err == nil && !t.Empty() {
			return t, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	snap, err := s.newest(ctx)
	if err != nil {
		return nil, err
	}
	t, err := on(snap)
	switch {
	case errors.Is(err, kv.ErrCompacted):
		return nil, errChanged
	case err != nil || t.Empty():
		return nil, err
	}
	return t, nil
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
// wraps errChanged, kv.ErrCommit or kv.ErrInvalid.
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
			s.saw(l.at)
			s.count(c)
			return nil
		}
		l.read(answer) // a slot that wasn't used for long was swept
		return errChanged
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
	return errFenced
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
	for n := 0; ; n++ {
		var answer *clientv3.TxnResponse
		err := s.once(ctx, s.options.TryTimeout<<min(n, maxDoublings), func(ctx context.Context, c *clientv3.Client) (err error) {
			answer, err = c.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(l.key), "=", l.at)).
				Then(clientv3.OpPut(l.key, l.value(fenced))).Else(clientv3.OpGet(l.key)).Commit()
			return err
		})
		switch {
		case err == nil && answer.Succeeded:
			l.at = answer.Header.Revision
			return false, nil
		case err == nil:
			return l.read(answer) == l.value(committed), nil
		case ctx.Err() != nil || pause(ctx, backoff(n)) != nil:
			return false, err
		}
	}
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
