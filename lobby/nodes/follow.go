package nodes

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"ludoteca/storage"
)

// A Follower follows what other nodes write to the store: Nodes does, and Alone has nothing to follow. A service that follows a table is given
// one.
type Follower interface {
	// Follow runs table, one of the store's Follow methods, until ctx ends, and again after an error.
	Follow(ctx context.Context, table func(context.Context) error)

	// Unreadable logs that what another node has written under a key can't be read.
	Unreadable(key string, err error)
}

// A follower is the Follower of one of several nodes.
type follower struct {
	log *slog.Logger
}

// Follow runs table, one of the store's Follow methods, until ctx ends, and again after an error.
func (f *follower) Follow(ctx context.Context, table func(context.Context) error) {
	repeat(ctx, f.log, "the store is not followed for a moment", table)
}

// Unreadable logs that what another node has written under a key can't be read.
func (f *follower) Unreadable(key string, err error) {
	f.log.Error("what another node has written can't be read", "key", key, "err", err)
}

// repeat runs f until ctx ends. It logs an error of f, and runs f again a moment later.
func repeat(ctx context.Context, log *slog.Logger, failed string, f func(context.Context) error) {
	for {
		err := f(ctx)
		if ctx.Err() != nil {
			return
		}
		log.Warn(failed, "err", err)
		timer := time.NewTimer(retry)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// AwaitFor is the longest wait for something that another node has done.
const AwaitFor = 2 * time.Second

// awaitAgain is how often it is looked for if nothing tells of it.
const awaitAgain = 100 * time.Millisecond

// Await waits until something that another node has done is known here, but no longer than AwaitFor. known is asked again as soon as the
// channel that news returned before is closed, and ten times a second.
func (f *follower) Await(ctx context.Context, known func(context.Context) bool, news func() <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, AwaitFor)
	defer cancel()
	for ctx.Err() == nil {
		newer := news()
		if known(ctx) {
			return
		}
		timer := time.NewTimer(awaitAgain)
		select {
		case <-newer:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// RemovedElsewhere reports whether an error of the store means that another node has removed what is missing.
func (f *follower) RemovedElsewhere(err error) bool { return errors.Is(err, storage.ErrNotFound) }
