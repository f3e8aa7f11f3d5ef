package matches

import (
	"context"
	"log/slog"
	"time"

	"ludoteca/lobby/registry"
)

// How often the time is stored.
const (
	keepEvery     = time.Second // while any clock counts seconds
	keepIdleEvery = time.Hour
)

// A Timekeeper has this node keep the time, so that the next start knows since when the program was down: no clock runs meanwhile.
type Timekeeper struct {
	clocks clocks
	node   timeNode
	log    *slog.Logger
}

// A timeNode is a *nodes.Nodes, which sends heartbeats and keeps no other time, or a *nodes.Alone.
type timeNode interface {
	KeepTime(ctx context.Context) error
}

// clocks knows the clocks of all unfinished matches.
type clocks interface {
	// now reports whether any clock counts seconds, and whether any clock is yet to be resumed.
	now() (ticking, interrupted bool)

	// ticks gets a value when the first clock that counts seconds starts.
	ticks() <-chan struct{}
}

type registeredClocks struct{ *registry.Registry }

func (r registeredClocks) now() (ticking, interrupted bool) {
	c := r.Counts()
	return c.Ticking > 0, c.Interrupted > 0
}

func (r registeredClocks) ticks() <-chan struct{} { return r.Ticks }

// Run keeps the time until ctx ends: every second while any clock counts seconds, else every hour, and once more when ctx ends. writes is the
// context of the writes. While clocks are yet to be resumed it keeps none: after another crash they must still resume from the earlier time.
func (k *Timekeeper) Run(ctx, writes context.Context) {
	failing := false
	for ctx.Err() == nil {
		wait := keepIdleEvery
		if ticking, _ := k.clocks.now(); ticking {
			wait = keepEvery
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-k.clocks.ticks():
		case <-ctx.Done():
		}
		timer.Stop()
		if _, interrupted := k.clocks.now(); interrupted {
			continue
		}
		err := k.node.KeepTime(writes)
		if err != nil && !failing {
			k.log.Warn("the heartbeat was not kept: after a crash clocks would go on from an earlier time", "err", err)
		}
		failing = err != nil
	}
}
