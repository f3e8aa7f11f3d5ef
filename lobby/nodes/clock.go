package nodes

import (
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	// maxOff is how far the clock of a node may be off against those of the others before it owns nothing; of two nodes nobody knows which
	// one is wrong, and both tell the operator.
	maxOff = time.Second

	// How many of a node's last heartbeats its clock is read from, at most and at least. The one that came fastest counts.
	maxReadings = 8
	minReadings = 3
)

// A clock is the clock of events on this node. It is compared with those of the other nodes by their heartbeats. It is safe for concurrent use.
type clock struct {
	now   func() time.Time
	log   *slog.Logger
	began time.Time // by the machine's clock

	mu     sync.RWMutex  // guards what follows
	trip   time.Duration // how long the store took to answer the last beat that it took
	off    bool          // it is off against the others, and this node owns nothing
	differ bool          // the operator was told that the clocks of this node and the only other one differ
}

func newClock(now func() time.Time, log *slog.Logger) *clock {
	return &clock{now: now, log: log, began: time.Now()}
}

// Now returns the time by the clock of events, which all nodes share.
func (c *clock) Now() time.Time { return c.now().UTC().Truncate(time.Millisecond) }

// TimeOf returns the time on the clock of Now at which an event took place: that of the event.
func (c *clock) TimeOf(_, event time.Time) time.Time { return event }

// ahead returns how far the clock of a node is ahead of that of this machine, less the time that its heartbeat took to come here just now.
func (c *clock) ahead(beat time.Time) time.Duration {
	return beat.Sub(c.began.Round(0)) - time.Since(c.began)
}

// tookTrip notes how long the store took to answer a heartbeat.
func (c *clock) tookTrip(trip time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trip = trip
}

// isOff reports whether the clock is off, so that this node owns nothing.
func (c *clock) isOff() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.off
}

// compare compares the clock of this node with those of the others. With three nodes or more it is off if it differs by more than maxOff from
// the median, and this node owns nothing then; its next heartbeat tells the others so. It logs what has changed, and reports whether anything
// has. One goroutine at a time calls it.
func (c *clock) compare(self time.Duration, others []time.Duration) (changed bool) {
	c.mu.Lock()
	self += c.trip / 2 // its heartbeats had to get to the store first, and then all take the same way
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

// readings are how far the clock of a node was ahead of this machine's, by its last heartbeats as they came.
type readings []time.Duration

// with returns the readings with another one.
func (r readings) with(ahead time.Duration) readings {
	return append(r[max(0, len(r)-maxReadings+1):], ahead)
}

// offset returns how far the clock of a node is ahead of that of this machine, less the time that a heartbeat takes to come here. ok is false
// if too few have come yet.
func (r readings) offset() (ahead time.Duration, ok bool) {
	if len(r) < minReadings {
		return 0, false
	}
	return slices.Max(r), true
}
