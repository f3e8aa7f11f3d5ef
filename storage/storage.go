// Package storage keeps everything the club must not forget in one bbolt file: players, names, keys, the logs of
// matches being played, finished matches, their history, results and ratings.
//
// Every write is one short transaction that leaves the store true, and it is on disk before the call returns. Writes
// of all callers go through one committer (committer.go), which makes a whole queue of them durable with one commit.
// Reads never wait for a writer, and never return what a power failure could still take back.
//
// The forms of all keys and values are in schema.go.
package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// What Open finds wrong. The text of the whole error is one line for the person who started the program.
var (
	// ErrLocked says that another process has the store open.
	ErrLocked = errors.New("another club is running on this store")

	// ErrDamaged says that a file, or something read from it later, is not what this program wrote.
	ErrDamaged = errors.New("the store is damaged")

	// ErrNewer says that a newer version of the program has written the store.
	ErrNewer = errors.New("a newer version of the program made this store")
)

// What a call finds wrong. The first six are refusals: nothing was written.
var (
	// ErrStale says that the number of an event is taken or leaves a gap: someone else wrote to the log.
	ErrStale = errors.New("the log has moved on")

	// ErrCodeTaken says that the code of a new match names another match.
	ErrCodeTaken = errors.New("the code is taken")

	// ErrNameTaken says that another player has the name, as names are compared.
	ErrNameTaken = errors.New("the name is taken")

	// ErrKeyTaken says that an SSH key belongs to another player.
	ErrKeyTaken = errors.New("the key is taken")

	// ErrNotFound says that there is no such player, match or code.
	ErrNotFound = errors.New("not found")

	// ErrInvalid says that the caller gave something that the store can't hold: a programmer's mistake.
	ErrInvalid = errors.New("invalid")

	// ErrCommit says that writing to the disk went wrong. Nothing is known then: the change may be there or not.
	// Read again and go on from what is there. The store has logged the cause, once for all who got this error.
	ErrCommit = errors.New("writing to the store failed")

	// ErrClosed says that the store was closed before the call could do anything.
	ErrClosed = errors.New("the store is closed")
)

// DefaultLockTimeout is how long Open waits for another process to let go of the file.
const DefaultLockTimeout = time.Second

// A Config says how a store works. The zero value is fine for a store without rated matches.
type Config struct {
	Rate        Rate          // the arithmetic of ratings; nil refuses rated matches and Recompute
	Log         *slog.Logger  // nil is silence
	LockTimeout time.Duration // how long to wait for the file; 0 is DefaultLockTimeout
	Meters      Meters        // who is told how long things take
	Hooks       Hooks         // for tests
}

// Hooks let tests, also of other packages, hold a commit back or make it fail. The zero value does nothing.
// They are called by the committer, one call at a time, while nothing else is written.
type Hooks struct {
	// BeforeCommit is called when a batch of changes is about to go to disk. While it blocks, none of their callers
	// gets an answer and no reader sees them; if it returns an error, nothing is written and all get ErrCommit.
	BeforeCommit func() error

	// AfterCommit is called when a batch has gone to disk, before anyone hears of it. If it returns an error, all
	// get ErrCommit although the changes are there.
	AfterCommit func() error
}

// A Store is an open store. Its methods may be called by any number of goroutines.
type Store struct {
	db      *bbolt.DB
	path    string
	config  Config
	log     *slog.Logger
	queue   chan *operation
	quit    chan struct{} // closed by Close: the committer drains the queue and ends
	stopped chan struct{} // closed by the committer when it has ended
	durable atomic.Int64  // the number of the last transaction that is known to be on disk

	closeOnce sync.Once
	closeErr  error

	// Of the committer alone.
	unsettled bool // the last commit failed, so what is in the file may not be on disk yet
	broken    bool // a commit panicked: bbolt's state can't be trusted any more
}

// Close writes what is queued, waits for the committer to end, and closes the file. Calls that come later or whose
// change was not queued yet get ErrClosed. Closing twice is fine.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		close(s.quit)
		<-s.stopped
		if s.broken {
			return // bbolt may hold its locks for ever; the file's lock goes with the process
		}
		if err := s.db.Close(); err != nil {
			s.closeErr = fmt.Errorf("storage: close: %w", err)
		}
	})
	return s.closeErr
}

// view runs a read transaction. What it read is on disk when view returns nil: bbolt lets readers see a transaction
// between its last write and the sync, so one that is too new is waited for. The transaction itself never waits.
func (s *Store) view(ctx context.Context, read func(tx *bbolt.Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer s.config.Meters.read(time.Now())
	var seen int64
	err = s.catch(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			seen = int64(tx.ID())
			return read(tx)
		})
	})
	switch {
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return ErrClosed
	case seen > s.durable.Load():
		if settle := s.update(ctx, nil); settle != nil {
			return settle
		}
	}
	return err
}

// catch runs f and turns a panic into ErrDamaged: that is how bbolt tells that a page makes no sense. A page that is
// not in the file at all is a fault in mapped memory, which would end the process without SetPanicOnFault.
func (s *Store) catch(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic in a transaction", "err", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return f()
}
