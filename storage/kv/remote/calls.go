// Package remote has what the engines on servers do alike: the calls that Close waits for, changes that run again when others come first,
// and the times between tries.
package remote

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/storage/kv"
)

// Calls counts the calls of a store that have begun and not ended.
type Calls struct {
	meters  kv.Meters
	writing atomic.Int64 // calls of Write

	mu      sync.Mutex
	running int
	idle    chan struct{} // closed by the last call that ends after closed is set
	closed  bool
}

// NewCalls returns a Calls that reports how long calls take.
func NewCalls(m kv.Meters) *Calls { return &Calls{meters: m, idle: make(chan struct{})} }

// Run runs f, for which Close waits. The error is kv.ErrClosed after Close.
func (c *Calls) Run(f func() error) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.end()
	return f()
}

// Read runs what a View does, unless ctx has ended, and reports the time it took.
func (c *Calls) Read(ctx context.Context, view func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.Run(func() error {
		if report := c.meters.Read; report != nil {
			defer func(began time.Time) { report(time.Since(began)) }(time.Now())
		}
		return view()
	})
}

// Write runs what an Update does, unless ctx has ended, and reports the time it took, unless ctx ended it.
func (c *Calls) Write(ctx context.Context, update func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.Run(func() error {
		c.writing.Add(1)
		defer c.writing.Add(-1)
		called := time.Now()
		err := update()
		if report := c.meters.Write; report != nil && (err == nil || ctx.Err() == nil) {
			report(time.Since(called))
		}
		return err
	})
}

// Writing returns how many calls of Write have begun and not ended.
func (c *Calls) Writing() int { return int(c.writing.Load()) }

// Close refuses further calls, and waits for those that have begun.
func (c *Calls) Close() {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		if c.running == 0 {
			close(c.idle)
		}
	}
	c.mu.Unlock()
	<-c.idle
}

func (c *Calls) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return kv.ErrClosed
	}
	c.running++
	return nil
}

func (c *Calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 && c.closed {
		close(c.idle)
	}
}

// Catch runs f and turns a panic into kv.ErrDamaged.
func Catch(log *slog.Logger, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic in a transaction", "err", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %v", kv.ErrDamaged, p)
		}
	}()
	return f()
}
