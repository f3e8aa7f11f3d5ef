package nodes

import (
	"context"
	"errors"

	"ludoteca/lobby/refusal"
)

// A Reach knows whether this node can reach the store of the club, and whether the store has room. It is safe for concurrent use.
type Reach struct {
	Node reachable

	// Full reports whether the disk is too full to begin anything new, StoreFull whether the store has reached its quota and takes nothing at
	// all. Neither blocks.
	Full, StoreFull func() bool
}

// A reachable is a *Nodes or an *Alone.
type reachable interface {
	CutOff() bool
	CutOffChanged() <-chan struct{}
	Ready() bool
	WhileReached(ctx context.Context) (reached context.Context, done func())
}

// CutOffError says why nothing can be written: refusal.ErrStoreFull or refusal.ErrCutOff.
func (r *Reach) CutOffError() error {
	if r.StoreFull() {
		return refusal.ErrStoreFull
	}
	return refusal.ErrCutOff
}

// Watch reports whether this node is cut off, and whether that is because the store is full. newer is closed when the caller should ask again.
func (r *Reach) Watch() (cutOff, full bool, newer <-chan struct{}) {
	newer = r.Node.CutOffChanged()
	cutOff = r.Node.CutOff()
	return cutOff, cutOff && r.StoreFull(), newer
}

// Check returns nil, or CutOffError while this node is cut off from the store.
func (r *Reach) Check() error {
	if r.Node.CutOff() {
		return r.CutOffError()
	}
	return nil
}

// Room returns full while the disk is nearly full, so that nothing new may begin, and what CutOffError says while nothing can be written.
func (r *Reach) Room(full error) error {
	if r.Node.CutOff() || r.StoreFull() {
		return r.CutOffError()
	}
	if r.Full() {
		return full
	}
	return nil
}

// Ready returns nil if new users should connect to this node. The errors are CutOffError and refusal.ErrUnsettled.
func (r *Reach) Ready() error {
	switch {
	case r.Node.Ready():
		return nil
	case r.Node.CutOff():
		return r.CutOffError()
	}
	return refusal.ErrUnsettled
}

// WhileReached returns a context that ends with ctx or when this node is cut off. The caller calls done when finished.
func (r *Reach) WhileReached(ctx context.Context) (reached context.Context, done func()) {
	return r.Node.WhileReached(ctx)
}

// Unreached returns refusal.ErrBusy in place of err if the context of WhileReached ended before ctx. The act may still be carried out then.
func Unreached(ctx, reached context.Context, err error) error {
	if err != nil && ctx.Err() == nil && reached.Err() != nil && errors.Is(err, context.Canceled) {
		return refusal.ErrBusy
	}
	return err
}

// UntilCutOff reads with a context that ends when this node is cut off. The error is CutOffError then, at once.
func UntilCutOff[T any](ctx context.Context, r *Reach, read func(context.Context) (T, error)) (v T, err error) {
	if err := r.Check(); err != nil {
		return v, err
	}
	reached, done := r.WhileReached(ctx)
	defer done()
	if v, err = read(reached); err != nil && ctx.Err() == nil && reached.Err() != nil {
		err = r.CutOffError()
	}
	return v, err
}
