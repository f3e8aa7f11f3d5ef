package kv

import (
	"context"
	"sync"
	"time"
)

// A waits adds up the time in which calls wait for the machines that have the store. This machine is free for other things then.
type waits struct {
	mu      sync.Mutex // guards what follows
	running int        // calls that wait
	since   time.Time  // when the first of them began to wait
	ended   time.Duration
}

type waitsKey struct{}

// WithWaits returns a context that counts how long its calls wait for other machines; see Waited.
func WithWaits(ctx context.Context) context.Context {
	return context.WithValue(ctx, waitsKey{}, &waits{})
}

// Waited returns how long calls with a context from WithWaits have waited for other machines. Calls that wait beside each other count once. It is 0 for
// an engine with a file, and for other contexts.
func Waited(ctx context.Context) time.Duration {
	w, ok := ctx.Value(waitsKey{}).(*waits)
	if !ok {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running > 0 {
		return w.ended + time.Since(w.since)
	}
	return w.ended
}

// Wait is called by an engine that is about to wait for other machines. The engine calls done when it has its answer.
func Wait(ctx context.Context) (done func()) {
	w, ok := ctx.Value(waitsKey{}).(*waits)
	if !ok {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running++; w.running == 1 {
		w.since = time.Now()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.running--; w.running == 0 {
			w.ended += time.Since(w.since)
		}
	}
}
