// Package tasks runs the goroutines of a club, and ends them when the club closes.
package tasks

import (
	"context"
	"sync"
	"time"

	"ludoteca/lobby/refusal"
)

// A Group owns the goroutines of a club. Any goroutine may use it.
type Group struct {
	spawn   chan func(ctx, writes context.Context) // to Run
	closing chan struct{}                          // closed by Close
	ended   chan struct{}                          // closed when every goroutine has ended
	close   sync.Once
}

// NewGroup returns a group without goroutines.
func NewGroup() *Group {
	return &Group{
		spawn: make(chan func(ctx, writes context.Context)), closing: make(chan struct{}), ended: make(chan struct{}),
	}
}

// Run runs tasks, and functions that are given to Go, each in a goroutine of its own, until Close is called. It returns when all have ended. Their
// first context ends with Close, and the second, for writes, a grace later. last is called at the end.
func (g *Group) Run(grace time.Duration, last func(), tasks ...func(ctx, writes context.Context)) {
	defer close(g.ended)
	ctx, stop := context.WithCancel(context.Background())
	writes, abandon := context.WithCancel(context.Background())
	defer abandon()
	defer stop()
	var all sync.WaitGroup
	for _, task := range tasks {
		all.Go(func() { task(ctx, writes) })
	}
	for open := true; open; {
		select {
		case f := <-g.spawn:
			all.Go(func() { f(ctx, writes) })
		case <-g.closing:
			open = false
		}
	}
	stop()
	timer := time.AfterFunc(grace, abandon)
	defer timer.Stop()
	all.Wait()
	last()
}

// Go makes Run run f in a goroutine of its own. The error is refusal.ErrClosed once the club closes.
func (g *Group) Go(f func(ctx, writes context.Context)) error {
	select {
	case g.spawn <- f:
		return nil
	case <-g.closing:
		return refusal.ErrClosed
	}
}

// Do makes Run run f in a goroutine of its own, and returns the error of f, or refusal.ErrClosed once the club closes.
func (g *Group) Do(f func(ctx context.Context) error) error {
	result := make(chan error, 1)
	err := g.Go(func(ctx, _ context.Context) {
		err := f(ctx)
		if err != nil && ctx.Err() != nil {
			err = refusal.ErrClosed
		}
		result <- err
	})
	if err != nil {
		return err
	}
	return <-result
}

// Closing returns a channel that Close closes.
func (g *Group) Closing() <-chan struct{} { return g.closing }

// Close ends all goroutines, and returns when they have ended. It may be called more than once. It needs Run to be called, before or after.
func (g *Group) Close() {
	g.close.Do(func() { close(g.closing) })
	<-g.ended
}

// A Turn is a lock for long work: a caller that waits for it can give up.
type Turn struct {
	held    chan struct{}
	closing <-chan struct{}
}

// NewTurn returns a Turn. Callers stop waiting for it when the club closes.
func (g *Group) NewTurn() *Turn { return &Turn{held: make(chan struct{}, 1), closing: g.closing} }

// Take waits until no other caller has the turn. The caller ends its turn with done. The errors are ctx.Err() and refusal.ErrClosed.
func (t *Turn) Take(ctx context.Context) (done func(), err error) {
	select {
	case t.held <- struct{}{}:
		return func() { <-t.held }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.closing:
		return nil, refusal.ErrClosed
	}
}
