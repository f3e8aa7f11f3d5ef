package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// Follow runs f, one of the store's Follow methods, until ctx ends, and again after an error.
func (n *Nodes) Follow(ctx context.Context, f func(context.Context) error) {
	repeat(ctx, n.config.Log, "the store is not followed for a moment", f)
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
func (n *Nodes) Await(ctx context.Context, known func(context.Context) bool, news func() <-chan struct{}) {
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
func (n *Nodes) RemovedElsewhere(err error) bool { return errors.Is(err, storage.ErrNotFound) }

// Tell sends a notice to the other nodes. One that gets lost is not sent again.
func (n *Nodes) Tell(ctx context.Context, kind string, what any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	return n.config.Store.Tell(ctx, cluster.Notice{Node: n.ID(), Kind: kind, Body: body}, n.told.Add(1))
}

// Told returns how many notices this node has sent.
func (n *Nodes) Told() uint64 { return n.told.Load() }
