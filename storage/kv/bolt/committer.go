package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

// The committer
//
// A commit costs two syncs of the file, however much it holds. So one goroutine takes all transactions that are queued,
// runs them one after the other, writes what they leave with one bbolt transaction, and answers each by itself; while
// it waits for the disk, the next ones queue up. A lone writer never waits for company, and two hundred share a commit.
//
//	Update --operation--> queue --> committer: change, change, change ..., write, sync, publish the snapshot
//	   ^                                |
//	   +------ nil, or its own error ---+
//
// (bbolt's own Batch waits up to 10 ms for company; without that delay it doesn't find any.)
//
// Each change reads the newest snapshot under the writes of those before it in the batch, and adds to them only if it
// succeeds. bbolt sees the writes of the whole batch at the end, in the order of their keys.

const (
	maxQueued = 1024 // operations; further callers wait for a place
	maxBatch  = 512  // operations in one commit; fewer than lastInCommit
)

// An operation is one transaction on its way to the disk.
type operation struct {
	change func(kv.Tx) error // nil changes nothing: it asks the committer to settle an unsure commit
	state  atomic.Int32
	done   chan error // holds one
}

// The states of an operation.
const (
	queued    = iota
	taken     // by the committer, which will answer
	withdrawn // by its caller: it will never be applied
)

func (op *operation) take() bool     { return op.state.CompareAndSwap(queued, taken) }
func (op *operation) withdraw() bool { return op.state.CompareAndSwap(queued, withdrawn) }

// An unsureCommit is a commit that failed although bbolt shows it: it may not be on disk. The next commit, which builds on
// it, settles that.
type unsureCommit struct {
	changes []kv.Change
}

// Update implements kv.Store.
func (s *Store) Update(ctx context.Context, change func(kv.Tx) error) error {
	return s.update(ctx, change)
}

// update queues a change and waits for the answer.
func (s *Store) update(ctx context.Context, change func(kv.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	op, called := &operation{change: change, done: make(chan error, 1)}, time.Now()
	select {
	case s.queue <- op:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.quit:
		return kv.ErrClosed
	}
	var why error
	select {
	case err := <-op.done:
		s.reportWrite(called)
		return err
	case <-ctx.Done():
		why = ctx.Err()
	case <-s.stopped:
		why = kv.ErrClosed
	}
	if op.withdraw() {
		return why
	}
	err := <-op.done // every operation that the committer has taken gets an answer
	s.reportWrite(called)
	return err
}

func (s *Store) reportWrite(called time.Time) {
	if report := s.options.Meters.Write; report != nil {
		report(time.Since(called))
	}
}

// commitQueue is the committer's goroutine.
func (s *Store) commitQueue() {
	defer close(s.stopped)
	for {
		select {
		case op := <-s.queue:
			s.commit(s.collect(op))
		case <-s.quit:
			for {
				select {
				case op := <-s.queue:
					s.commit(s.collect(op))
				default:
					return
				}
			}
		}
	}
}

// collect takes what is queued, up to a full batch. It never waits.
func (s *Store) collect(first *operation) []*operation {
	batch := make([]*operation, 0, len(s.queue)+1)
	for op := first; ; {
		if op.take() {
			batch = append(batch, op)
		}
		if len(batch) == maxBatch {
			return batch
		}
		select {
		case op = <-s.queue:
		default:
			return batch
		}
	}
}

// commit makes a batch durable and answers its operations.
func (s *Store) commit(ops []*operation) {
	if len(ops) == 0 {
		return
	}
	snap, err := s.snapshotForWriting()
	var b *batch
	if err == nil {
		b = newBatch(snap)
		for _, op := range ops {
			b.run(s, op)
		}
		err = s.writeBatch(b)
	}
	if errors.Is(err, errApply) && len(ops) > 1 {
		// bbolt stumbled over a page that one of them needs. Alone, only that one fails.
		for _, op := range ops {
			s.commit([]*operation{op})
		}
		return
	}
	for i, op := range ops {
		if err != nil {
			op.done <- err
		} else {
			op.done <- b.answers[i]
		}
	}
}

// snapshotForWriting returns the state on which the next batch builds. It settles an unsure commit first.
func (s *Store) snapshotForWriting() (*snapshot, error) {
	s.mu.Lock()
	snap, unsure, failure := s.current, s.unsure, s.failure
	s.mu.Unlock()
	switch {
	case failure != nil:
		return nil, failure
	case unsure == nil:
		return snap, nil
	}
	if err := s.writeBatch(&batch{changes: unsure.changes, must: true}); err != nil {
		return nil, err
	}
	return s.current, nil // only this goroutine changes it
}

// A batch is the transactions that share a commit.
type batch struct {
	snapshot *snapshot
	commit   int64           // the number that it will have
	writes   *overlay.Writes // what they have written so far, above the snapshot; nil if only changes are known
	unused   *overlay.Writes // of a transaction that has been merged, for the next one; nil: there are none
	sections map[string]bool // to be made
	changes  []kv.Change     // for watchers
	answers  []error         // of the transactions so far
	must     bool            // to be written even if nothing changes
}

func newBatch(snap *snapshot) *batch {
	return &batch{
		snapshot: snap, commit: int64(snap.tx.ID()) + 1, writes: overlay.New(&getter{snapshot: snap}), sections: map[string]bool{},
	}
}

// run runs one transaction.
func (b *batch) run(s *Store, op *operation) {
	if op.change == nil {
		b.answers = append(b.answers, nil)
		return
	}
	t := newTx(b)
	var changes []kv.Change
	err := s.catch(func() (err error) {
		if err = op.change(t); err == nil {
			err = t.Err()
		}
		if err == nil {
			changes, err = t.changes(revisionOf(b.commit, len(b.answers)+1))
		}
		return err
	})
	b.answers = append(b.answers, err)
	if err != nil {
		return
	}
	b.writes.Merge(t.Writes)
	b.unused = t.Writes
	b.changes = append(b.changes, changes...)
	for _, name := range t.sections {
		b.sections[name] = true
	}
}

// errApply says that bbolt could not take a write: nothing was written.
var errApply = errors.New("a page can't be changed")

// writeBatch commits what a batch has changed, if anything, and publishes it. The error wraps kv.ErrCommit or errApply.
func (s *Store) writeBatch(b *batch) error {
	if len(b.changes) == 0 && len(b.sections) == 0 && !b.must {
		return nil
	}
	began := time.Now()
	number, err := s.write(b)
	if errors.Is(err, bolterrors.ErrMaxSizeReached) {
		number, err = s.growMapping(b)
	}
	if errors.Is(err, errApply) {
		return err
	}
	if err == nil && s.options.Hooks.AfterCommit != nil {
		err = s.options.Hooks.AfterCommit()
	}
	if report := s.options.Meters.Commit; report != nil {
		report(len(b.answers), time.Since(began), err)
	}
	if err == nil {
		if err = s.publish(); err != nil {
			s.fail(err)
			return fmt.Errorf("%w: %w", kv.ErrCommit, err)
		}
		s.changes.Add(b.changes)
		return nil
	}
	s.log.Error("commit failed", "err", err, "changes", len(b.answers))
	s.afterFailure(number, b, err)
	return fmt.Errorf("%w: %w", kv.ErrCommit, err)
}

// write runs one bbolt transaction and returns its number.
func (s *Store) write(b *batch) (number int64, err error) {
	panicked := true
	err = s.catch(func() error {
		err := s.db.Update(func(t *bbolt.Tx) error {
			number = int64(t.ID())
			if err := s.catch(func() error { return b.apply(t) }); err != nil {
				return fmt.Errorf("%w: %w", errApply, err)
			}
			if s.options.Hooks.BeforeCommit != nil {
				return s.options.Hooks.BeforeCommit()
			}
			return nil
		})
		panicked = false
		return err
	})
	if panicked {
		s.fail(err) // bbolt's state can't be trusted any more
	}
	return number, err
}

// apply writes what the transactions of a batch have left to a bbolt transaction.
func (b *batch) apply(t *bbolt.Tx) (err error) {
	for name := range b.sections {
		if _, err := t.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	if b.writes == nil {
		return nil
	}
	var name []byte
	var bucket *bbolt.Bucket
	for w := range b.writes.All() {
		section, rest := split(w.Key)
		if bucket == nil || !bytes.Equal(section, name) {
			name = section
			if bucket, err = t.CreateBucketIfNotExists(name); err != nil {
				return err
			}
			if last, _ := bucket.Cursor().Last(); bytes.Compare(rest, last) > 0 {
				bucket.FillPercent = 0.9 // keys that only grow: no room is needed between them
			}
		}
		if w.Value == nil {
			err = bucket.Delete(rest)
		} else {
			err = bucket.Put(rest, w.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// growMapping writes a batch for which bbolt must map more of the file. bbolt waits for all readers then, so the newest
// snapshot is closed first, and readers wait until there is another one.
func (s *Store) growMapping(b *batch) (number int64, err error) {
	s.mu.Lock()
	last := s.current
	s.current, s.resumed = nil, make(chan struct{})
	s.mu.Unlock()
	s.release(last)
	s.db.MaxSize = 0
	number, err = s.write(b)
	if s.Err() != nil {
		return number, err
	}
	if e := s.db.View(func(t *bbolt.Tx) error {
		s.db.MaxSize = maxSize(mappingOf(t.Size() + int64(s.db.Info().PageSize)))
		return nil
	}); e != nil {
		s.fail(e)
		err = errors.Join(err, e)
	}
	return number, err
}

// afterFailure finds out what is left of commit number, which failed with err.
func (s *Store) afterFailure(number int64, b *batch, err error) {
	if s.Err() != nil {
		return
	}
	if diskLost(err) {
		s.fail(err)
		return
	}
	t, e := s.db.Begin(false)
	if e != nil {
		s.fail(e)
		return
	}
	visible := int64(t.ID()) == number
	_ = t.Rollback() // it is open
	s.mu.Lock()
	if visible {
		s.unsure = &unsureCommit{changes: b.changes}
	}
	republish := s.current == nil && s.unsure == nil
	if !republish {
		s.resumeReaders() // they have the commit settled
	}
	s.mu.Unlock()
	if republish {
		if e := s.publish(); e != nil {
			s.fail(e)
		}
	}
}

// diskLost reports whether an error means that the disk is lost to this process. A full disk is not: there may be room again.
func diskLost(err error) bool {
	for _, e := range []error{syscall.EIO, syscall.ENODEV, syscall.ENXIO, syscall.EROFS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
