package nodes

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	late         = 2 * beatEvery    // from one successful heartbeat to the next
	settledAfter = 15 * time.Second // without a late heartbeat
)

// A connection knows from the heartbeats of this node whether the store can be reached. It is safe for concurrent use.
type connection struct {
	log      *slog.Logger
	listener Listener
	state    signal // sent when cutOff has changed, and while this node is cut off

	answers chan struct{} // holds one: answered has changed

	mu       sync.RWMutex      // guards what follows
	answered time.Time         // when the store was about to take the last beat that it took, by the machine's clock
	steady   time.Time         // since when no beat has failed or come late
	cutOff   bool              // the store has not answered for CutOffAfter
	ready    bool              // this node has settled, and was not cut off since
	waiting  map[uint64]func() // what is called when the node is cut off, by the number of the call of whenCutOff
	calls    uint64            // of whenCutOff
}

func newConnection(c Config) *connection {
	return &connection{log: c.Log, listener: c.Listener, answers: make(chan struct{}, 1), waiting: make(map[uint64]func())}
}

// took notes that the store has taken a heartbeat, and when it was about to.
func (c *connection) took(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	silent := time.Since(c.answered)
	if c.steady.IsZero() || silent > late {
		c.steady = time.Now()
	}
	c.answered = at
	c.ready = c.ready && silent < CutOffAfter || time.Since(c.steady) >= settledAfter
	select {
	case c.answers <- struct{}{}:
	default:
	}
}

// failed notes that the store has not taken a heartbeat.
func (c *connection) failed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steady = time.Time{}
}

// restored ends being cut off after a successful heartbeat.
func (c *connection) restored() {
	c.mu.Lock()
	was := c.cutOff
	c.cutOff = false
	c.mu.Unlock()
	if was {
		c.listener.Changed()
		c.state.send()
	}
}

// steadySince returns since when no heartbeat has failed or come late.
func (c *connection) steadySince() time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.steady
}

// CutOff reports whether no heartbeat has succeeded for CutOffAfter, so that this node must not go on.
func (c *connection) CutOff() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.cutOff || time.Since(c.answered) >= CutOffAfter
}

// CutOffChanged returns a channel that is closed when this node is cut off or reaches the store again, and several times a second while it is cut
// off: why the store takes nothing may be known only later.
func (c *connection) CutOffChanged() <-chan struct{} { return c.state.sent() }

// marked reports whether this node was marked as cut off, and others were told.
func (c *connection) marked() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.cutOff
}

// whenCutOff calls f once when this node is cut off: at once if it already is, and not at all after stop. f must not block.
func (c *connection) whenCutOff(f func()) (stop func()) {
	c.mu.Lock()
	if c.cutOff {
		c.mu.Unlock()
		f()
		return func() {}
	}
	c.calls++
	id := c.calls
	c.waiting[id] = f
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}
}

// WhileReached returns a context that ends with ctx or when this node is cut off, so that no caller waits for a write that can't be made. The
// caller must call done when finished.
func (c *connection) WhileReached(ctx context.Context) (reached context.Context, done func()) {
	reached, cancel := context.WithCancel(ctx)
	stop := c.whenCutOff(cancel)
	return reached, func() {
		stop()
		cancel()
	}
}

// Settled reports whether every heartbeat has succeeded in time for settledAfter. Until then, what this node has heard from the store may be
// older than what other nodes have shown: its watches may have to catch up.
func (c *connection) Settled() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return !c.steady.IsZero() && time.Since(c.steady) >= settledAfter && time.Since(c.answered) <= late
}

// isReady reports whether this node has settled since it started or was last cut off, and isn't cut off now.
func (c *connection) isReady() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.ready && time.Since(c.answered) < CutOffAfter
}

// watch marks this node as cut off when no heartbeat has succeeded for CutOffAfter, until ctx ends.
func (c *connection) watch(ctx context.Context) {
	timer := time.NewTimer(CutOffAfter)
	defer timer.Stop()
	for {
		select {
		case <-c.answers:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		c.mu.Lock()
		left := time.Until(c.answered.Add(CutOffAfter))
		changed := left <= 0 && !c.cutOff
		c.cutOff = c.cutOff || changed
		c.ready = c.ready && !c.cutOff
		var waiting []func()
		if changed {
			waiting = slices.Collect(maps.Values(c.waiting))
			clear(c.waiting)
		}
		c.mu.Unlock()
		for _, f := range waiting {
			f()
		}
		if changed {
			c.log.Error("the store does not answer: matches stand still", "for", CutOffAfter)
			c.listener.Changed()
		}
		if left <= 0 {
			c.state.send()
		}
		timer.Reset(max(left, retry))
	}
}
