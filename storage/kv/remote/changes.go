package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/sync/semaphore"

	"ludoteca/storage/kv"
)

var (
	// ErrConflict says that others kept changing what a transaction had read. Nothing was written.
	ErrConflict = errors.New("too many others are changing the same")

	// ErrChanged says that a transaction has not been committed, and why it may run again.
	ErrChanged = errors.New("something has changed that was read")

	// ErrFenced is an ErrChanged: the commit got no answer in time, and was fenced off.
	ErrFenced = fmt.Errorf("%w: its commit was fenced off", ErrChanged)
)

const (
	MaxRunning = 256 // changes at a time in one store; further ones wait
	RunsAmong  = 2   // runs of one change while others run
	maxRuns    = 100 // of one change
)

// A Tx is a transaction of an engine on a snapshot. Its writes are buffered (package overlay).
type Tx interface {
	kv.Tx
	Err() error  // why it can't be committed
	Empty() bool // there are no writes
}

// Changes runs the changes of a store. Each runs on a snapshot and is committed; if the commit finds out that others came first, the change
// runs again. From its third run on it runs without any other change of this store, so only changes of other nodes can come first. A change
// without writes is not committed at all, because its snapshot was the newest when it began.
type Changes[T Tx] struct {
	server  Server[T]
	running *semaphore.Weighted // one for each change, or all of it for one that must have no company
}

// A Server is what a store does to run a change.
type Server[T Tx] struct {
	Calls *Calls    // of the store
	Seen  *Revision // the highest revision of which the store knows

	// Settle finds out what became of the commits that Update returned kv.ErrCommit for.
	Settle func(ctx context.Context) error

	// Newest asks the server for the newest revision.
	Newest func(ctx context.Context) (revision int64, err error)

	// Begin begins a transaction on the snapshot of a revision.
	Begin func(ctx context.Context, revision int64) T

	// Commit commits a transaction. The error wraps ErrChanged if the change should run again. fenced is how many commits of the change were
	// fenced off before: each doubles the time for this one (Longer).
	Commit func(ctx context.Context, t T, fenced int) error

	AtOnce int    // how many runs are followed by the next without a pause
	Retry  func() // called before a change runs again; may be nil
	Log    *slog.Logger
}

// NewChanges returns a Changes without any change.
func NewChanges[T Tx](s Server[T]) *Changes[T] {
	return &Changes[T]{server: s, running: semaphore.NewWeighted(MaxRunning)}
}

// Update implements kv.Store. The error is ErrConflict if others came first each time.
func (c *Changes[T]) Update(ctx context.Context, change func(kv.Tx) error) error {
	return c.server.Calls.Write(ctx, func() error {
		if err := c.server.Settle(ctx); err != nil {
			return err
		}
		return c.runAll(ctx, change)
	})
}

// runAll runs a change until it is committed.
func (c *Changes[T]) runAll(ctx context.Context, change func(kv.Tx) error) error {
	fenced := 0
	for n := range maxRuns {
		err := c.run(ctx, change, n, fenced)
		if !errors.Is(err, ErrChanged) {
			return err
		}
		if errors.Is(err, ErrFenced) {
			fenced++
		}
		if c.server.Retry != nil {
			c.server.Retry()
		}
		if n >= c.server.AtOnce {
			if err := Pause(ctx, Backoff(n-c.server.AtOnce)); err != nil {
				return err
			}
		}
	}
	return ErrConflict
}

// run runs a change once, after n other runs, and commits it. The error wraps ErrChanged if it should run again.
func (c *Changes[T]) run(ctx context.Context, change func(kv.Tx) error, n, fenced int) error {
	weight := int64(1)
	if n >= RunsAmong {
		weight = MaxRunning
	}
	if err := c.running.Acquire(ctx, weight); err != nil {
		return err
	}
	defer c.running.Release(weight)
	t, err := c.try(ctx, change, n == 0)
	if err != nil || t.Empty() {
		return err
	}
	return c.server.Commit(ctx, t, fenced)
}

// try runs a change on a snapshot and returns the transaction. The first run saves a request: it uses the latest snapshot of which the store
// knows. If that is out of date, the commit finds out. A change that fails or writes nothing has no commit, so it runs again on the newest
// snapshot.
func (c *Changes[T]) try(ctx context.Context, change func(kv.Tx) error, first bool) (t T, err error) {
	if seen := c.server.Seen.Load(); first && seen > 0 {
		t = c.server.Begin(ctx, seen)
		if c.on(t, change) == nil && !t.Empty() {
			return t, nil
		}
		if err := ctx.Err(); err != nil {
			return t, err
		}
	}
	newest, err := c.server.Newest(ctx)
	if err != nil {
		return t, err
	}
	t = c.server.Begin(ctx, newest)
	if err = c.on(t, change); errors.Is(err, kv.ErrCompacted) {
		return t, ErrChanged
	}
	return t, err
}

// on runs a change in a transaction.
func (c *Changes[T]) on(t T, change func(kv.Tx) error) error {
	return Catch(c.server.Log, func() error {
		if err := change(t); err != nil {
			return err
		}
		return t.Err()
	})
}
