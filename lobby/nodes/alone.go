package nodes

import (
	"context"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// Alone is the only node of its club. It owns every match, is never cut off, and has no other node to follow or to notify. It has the methods of
// Nodes.
type Alone struct {
	config AloneConfig
}

// A TimeStore stores the time at which the program was last known to run; see cluster.Store for the methods.
type TimeStore interface {
	Beat(ctx context.Context, at time.Time) error
	LastBeat(ctx context.Context) (time.Time, error)
}

// An AloneConfig configures OpenAlone.
type AloneConfig struct {
	Store TimeStore
	Now   func() time.Time // the clock of events
}

// OpenAlone returns the only node of a club, and the time during which the club was closed. The error is the store's.
func OpenAlone(ctx context.Context, c AloneConfig) (*Alone, cluster.Outage, error) {
	last, err := c.Store.LastBeat(ctx)
	if err != nil {
		return nil, cluster.Outage{}, err
	}
	return &Alone{c}, cluster.Outage{Down: last, Up: c.Now().UTC().Truncate(time.Millisecond)}, nil
}

// KeepTime stores the time, so that the next start knows since when the program was down.
func (a *Alone) KeepTime(ctx context.Context) error { return a.config.Store.Beat(ctx, a.config.Now()) }

// Run returns at once: a node that is alone has no other to send heartbeats to.
func (a *Alone) Run(context.Context) {}

// Leave does nothing: there is no node to take over.
func (a *Alone) Leave(context.Context) error { return nil }

// Owns reports that this node owns a match.
func (a *Alone) Owns(storage.MatchID) bool { return true }

// CutOff reports that this node is not cut off.
func (a *Alone) CutOff() bool { return false }

// CutOffChanged returns nil: this node is never cut off.
func (a *Alone) CutOffChanged() <-chan struct{} { return nil }

// Settled returns true: there are no other nodes to catch up with.
func (a *Alone) Settled() bool { return true }

// Ready returns true: new users may connect.
func (a *Alone) Ready() bool { return true }

// WhileReached returns ctx: this node is never cut off.
func (a *Alone) WhileReached(ctx context.Context) (reached context.Context, done func()) {
	return ctx, func() {}
}

// Alone reports that no other node is up.
func (a *Alone) Alone() bool { return true }

// Len returns 1.
func (a *Alone) Len() int { return 1 }

// Names returns nothing: a node that is alone has no name.
func (a *Alone) Names() (up, missing []string) { return nil, nil }

// ID returns "": a node that is alone stores nothing under its id.
func (a *Alone) ID() cluster.NodeID { return "" }

// Rejoined returns nil: there is no node that could declare this one gone.
func (a *Alone) Rejoined() <-chan struct{} { return nil }

// Own returns true: there is no other node.
func (a *Alone) Own(cluster.NodeID) bool { return true }

// Gone returns false: there is no other node.
func (a *Alone) Gone(context.Context, cluster.NodeID) bool { return false }

// LastBeat returns zero: there are no heartbeats of other nodes.
func (a *Alone) LastBeat(cluster.NodeID) time.Time { return time.Time{} }

// Follow returns at once: only this node changes the store.
func (a *Alone) Follow(context.Context, func(context.Context) error) {}

// Unreadable does nothing: no other node writes to the store.
func (a *Alone) Unreadable(string, error) {}

// Await returns at once: nothing is yet to arrive from other nodes.
func (a *Alone) Await(context.Context, func(context.Context) bool, func() <-chan struct{}) {}

// Tell does nothing: there is no other node.
func (a *Alone) Tell(context.Context, string, any) error { return nil }

// RemovedElsewhere returns false: there is no other node that could have removed a missing row.
func (a *Alone) RemovedElsewhere(error) bool { return false }

// Now returns the time by the machine's clock.
func (a *Alone) Now() time.Time { return time.Now() }

// TimeOf returns the time of an event on the clock of Now. now is a recent result of Now.
func (a *Alone) TimeOf(now, event time.Time) time.Time {
	return now.Add(event.Sub(a.config.Now()))
}
