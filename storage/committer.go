package storage

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
)

// The committer
//
// A commit costs two syncs of the file, however much it holds. So one goroutine takes all changes that are queued,
// makes them one transaction, and answers each by itself; while it waits for the disk, the next ones queue up.
// A lone writer never waits for company, and two hundred share a commit.
//
//	Append, Finish, SignUp ... --operation--> queue --> committer: begin, apply, apply, apply ..., commit
//	      ^                                                |
//	      +---------------- nil, or its own error ---------+
//
// (bbolt's own Batch waits up to 10 ms for company; without that delay it doesn't find any.)
//
// An operation that is refused fails alone, because it looks before it writes. One that fails in another way may have
// written half of what it wanted: then the transaction is rolled back and repeated without it.

const (
	maxQueued = 1024 // operations; further callers wait for a place
	maxBatch  = 512  // operations in one transaction
)

// An operation is one change on its way to the disk.
type operation struct {
	// apply checks, then writes. It must return a refusal before its first write or not at all. It may be called
	// several times, so what it tells its caller it must set, not add to. Nil changes nothing: it asks the committer
	// to see to it that everything is on disk.
	apply func(tx *bbolt.Tx) error
	state atomic.Int32
	done  chan error // holds one
}

// The states of an operation.
const (
	queued    = iota
	taken     // by the committer, which will answer
	withdrawn // by its caller: it will never be applied
)

func (op *operation) take() bool     { return op.state.CompareAndSwap(queued, taken) }
func (op *operation) withdraw() bool { return op.state.CompareAndSwap(queued, withdrawn) }

// refusals are the errors that say that nothing was written.
var refusals = [...]error{ErrStale, ErrCodeTaken, ErrNameTaken, ErrKeyTaken, ErrNotFound, ErrInvalid}

func refused(err error) bool {
	for _, r := range refusals {
		if errors.Is(err, r) {
			return true
		}
	}
	return false
}

// update applies a change and returns when it is on disk, or refused. When ctx ends while the change is still
// queued, it is withdrawn and the error is that of ctx; once the committer has taken it, update waits for the outcome.
func (s *Store) update(ctx context.Context, apply func(tx *bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	op, called := &operation{apply: apply, done: make(chan error, 1)}, time.Now()
	select {
	case s.queue <- op:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.quit:
		return ErrClosed
	}
	var why error
	select {
	case err := <-op.done:
		s.config.Meters.write(called)
		return err
	case <-ctx.Done():
		why = ctx.Err()
	case <-s.stopped:
		why = ErrClosed
	}
	if op.withdraw() {
		return why
	}
	err := <-op.done // whatever is taken gets an answer
	s.config.Meters.write(called)
	return err
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
func (s *Store) commit(batch []*operation) {
	for len(batch) > 0 {
		failed, answers, err := s.try(batch)
		if failed >= 0 {
			batch[failed].done <- err
			batch = append(batch[:failed:failed], batch[failed+1:]...)
			continue
		}
		if err != nil {
			s.log.Error("commit failed", "err", err, "changes", len(batch))
		}
		for i, op := range batch {
			if err != nil {
				op.done <- fmt.Errorf("%w: %w", ErrCommit, err)
			} else {
				op.done <- answers[i]
			}
		}
		return
	}
}

// Why a transaction is rolled back without being an error.
var (
	errRepeat  = errors.New("one operation failed half way")
	errNothing = errors.New("nothing to write")
)

// try runs one transaction. If an operation failed half way, failed is its index and err its error, and nothing is
// written; else failed is -1 and err says whether the commit worked; answers are those of the operations.
func (s *Store) try(batch []*operation) (failed int, answers []error, err error) {
	if s.broken {
		return -1, nil, ErrDamaged
	}
	failed, answers = -1, make([]error, len(batch))
	began := time.Now()
	var number int64
	var half error
	panicked := true
	err = s.catch(func() error {
		err := s.db.Update(func(tx *bbolt.Tx) error {
			number = int64(tx.ID())
			write := s.unsettled
			for i, op := range batch {
				if op.apply == nil {
					continue
				}
				answers[i] = s.catch(func() error { return op.apply(tx) })
				if answers[i] != nil && !refused(answers[i]) {
					failed, half = i, answers[i]
					return errRepeat
				}
				write = write || answers[i] == nil
			}
			if !write {
				return errNothing
			}
			return s.before()
		})
		panicked = false
		return err
	})
	s.broken = panicked
	switch {
	case errors.Is(err, errRepeat):
		return failed, nil, half
	case errors.Is(err, errNothing):
		return -1, answers, nil
	}
	if err == nil {
		err = s.after()
	}
	if s.unsettled = err != nil; !s.unsettled {
		s.durable.Store(number)
	}
	s.config.Meters.commit(len(batch), began, err)
	return -1, answers, err
}

func (s *Store) before() error {
	if f := s.config.Hooks.BeforeCommit; f != nil {
		return f()
	}
	return nil
}

func (s *Store) after() error {
	if f := s.config.Hooks.AfterCommit; f != nil {
		return f()
	}
	return nil
}
