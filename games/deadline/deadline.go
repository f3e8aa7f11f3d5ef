// Package deadline says exactly when the time of a context is up. The runtime closes Done up to 10 ms late when all processors
// are busy, which is when searches run; so a search that has a deadline looks at the clock itself, at a cost of some 50 ns.
package deadline

import (
	"context"
	"math"
	"time"
)

// A Deadline is when a context ends. The zero value never ends.
type Deadline struct {
	done <-chan struct{}
	at   time.Time // zero: none is set
}

// Of returns the deadline of a context.
func Of(ctx context.Context) Deadline {
	at, _ := ctx.Deadline()
	return Deadline{ctx.Done(), at}
}

// Passed reports whether the context has been cancelled or its time is up.
func (d Deadline) Passed() bool {
	select {
	case <-d.done:
		return true
	default:
		return !d.at.IsZero() && !time.Now().Before(d.at)
	}
}

// Left returns how much time is left, below 0 if it is up; without a limit the longest Duration there is.
func (d Deadline) Left() time.Duration {
	if d.at.IsZero() {
		return math.MaxInt64
	}
	return time.Until(d.at)
}
