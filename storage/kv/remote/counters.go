package remote

import (
	"sync"
	"sync/atomic"
)

// A Revision is the highest revision that a store has seen in an answer.
type Revision struct{ last atomic.Int64 }

// Saw raises the revision to that of an answer.
func (r *Revision) Saw(revision int64) {
	for last := r.last.Load(); revision > last && !r.last.CompareAndSwap(last, revision); last = r.last.Load() {
	}
}

// Load returns the revision, 0 if there was no answer yet.
func (r *Revision) Load() int64 { return r.last.Load() }

// An Amount counts the bytes that a store writes to its history.
type Amount struct {
	limit int64
	full  chan struct{} // holds one when limit was reached

	mu    sync.Mutex
	bytes int64 // since limit was reached
}

// NewAmount returns an amount that is full each time that limit bytes were added.
func NewAmount(limit int64) *Amount { return &Amount{limit: limit, full: make(chan struct{}, 1)} }

// Add adds bytes.
func (a *Amount) Add(bytes int64) {
	a.mu.Lock()
	a.bytes += bytes
	full := a.bytes >= a.limit
	if full {
		a.bytes = 0
	}
	a.mu.Unlock()
	if full {
		select {
		case a.full <- struct{}{}:
		default:
		}
	}
}

// Full returns a channel that holds one when the amount was full.
func (a *Amount) Full() <-chan struct{} { return a.full }
