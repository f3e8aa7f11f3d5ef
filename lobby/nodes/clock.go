package nodes

import (
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	// maxOff is the largest difference between the clock of a node and the clocks of the others at which the node still owns matches. With
	// two nodes it can't be known which one is wrong, so both only log a warning.
	maxOff = time.Second

	// A node's clock is read from its last minReadings to maxReadings heartbeats. The fastest of them counts.
	maxReadings = 8
	minReadings = 3
)

// A clock is the clock of events on this node. Heartbeats compare it with the clocks of the other nodes. It is safe for concurrent use.
type clock struct {
	now   func() time.Time
	log   *slog.Logger
	began time.Time // by the machine's clock

	mu     sync.RWMutex    // guards what follows
	trips  []time.Duration // how long the store took to answer the last maxReadings beats that it took, oldest first
	off    bool            // it is off against the others, and this node owns nothing
	differ bool            // the operator was told that the clocks of this node and the only other one differ
}

func newClock(now func() time.Time, log *slog.Logger) *clock {
	return &clock{now: now, log: log, began: time.Now()}
}

// Now returns the time by the clock of events, which all nodes share.
func (c *clock) Now() time.Time { return c.now().UTC().Truncate(time.Millisecond) }

// TimeOf returns the time of an event on the clock of Now: event itself.
func (c *clock) TimeOf(_, event time.Time) time.Time { return event }

// ahead returns how far another node's clock is ahead of this machine's clock, less the time that its heartbeat took to arrive. beat is the time
// in that heartbeat, which has just arrived.
func (c *clock) ahead(beat time.Time) time.Duration {
	return beat.Sub(c.began.Round(0)) - time.Since(c.began)
}

// tookTrip notes how long the store took to answer a heartbeat.
func (c *clock) tookTrip(trip time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trips = append(c.trips[max(0, len(c.trips)-maxReadings+1):], trip)
}

// isOff reports whether the clock is off, so that this node owns nothing.
func (c *clock) isOff() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.off
}

// compare compares the clock of this node with the clocks of the others; self and others are offsets from readings. With three or more nodes, the
// clock is off if it differs from the median by more than maxOff. This node then owns nothing, and its next heartbeat says so. compare logs
// changes and reports whether there were any. One goroutine at a time may call it.
func (c *clock) compare(self time.Duration, others []time.Duration) (changed bool) {
	c.mu.Lock()
	if len(c.trips) > 0 {
		self += slices.Min(c.trips) / 2 // its fastest heartbeat, which self is from, had to get to the store first, and then all take the same way
	}
	all := append(slices.Clone(others), self)
	slices.Sort(all)
	low, high := all[(len(all)-1)/2], all[len(all)/2]
	by := max(self-high, low-self) // of an even number, it must be off from both in the middle
	is := len(all) >= 3 && by > maxOff
	differ := len(all) == 2 && high-low > maxOff
	wasOff, told := c.off, c.differ
	c.off, c.differ = is, differ
	c.mu.Unlock()
	switch {
	case is && !wasOff:
		c.log.Error("the clock of this node is off, and it owns no matches: keep the clocks of all machines in step", "by", by.Round(time.Millisecond))
	case wasOff && !is:
		c.log.Info("the clock of this node is right again")
	case differ && !told:
		c.log.Warn("the clocks of the two nodes differ: keep the clocks of all machines in step", "by", (high - low).Round(time.Millisecond))
	default:
		return false
	}
	return true
}

// readings are how far a node's clock was ahead of this machine's at its last heartbeats, oldest first.
type readings []time.Duration

// with returns the readings with another one added, at most maxReadings.
func (r readings) with(ahead time.Duration) readings {
	return append(r[max(0, len(r)-maxReadings+1):], ahead)
}

// offset returns how far the node's clock is ahead of this machine's, less the time that a heartbeat takes to arrive. ok is false if there are
// fewer than minReadings.
func (r readings) offset() (ahead time.Duration, ok bool) {
	if len(r) < minReadings {
		return 0, false
	}
	return slices.Max(r), true
}
