package matches

import (
	"context"
	"sync/atomic"
	"time"

	"ludoteca/lobby/live"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
)

// Nodes implements live.Nodes: it knows which node owns a match, and writes the first events of matches. It is safe for concurrent use.
type Nodes struct {
	Store   live.Store
	Owner   Owner    // set before the first match is opened or loaded
	Shared  Shared   // nil: this node is alone
	Outages *Outages // what clocks get back
}

// An Owner knows which matches this node owns; nodes.Nodes and nodes.Alone implement it.
type Owner interface {
	Owns(id storage.MatchID) bool
}

// NodeStats counts what a node has taken over and followed since the program started. All fields only grow. The zero value is ready to use.
type NodeStats struct {
	Takeovers   atomic.Int64 // matches taken over by this node
	Followed    atomic.Int64 // changes of matches made by other nodes
	FollowedLag atomic.Int64 // total time from those changes to their arrival here, in nanoseconds; includes differences between clocks
}

// Owns reports whether this node owns a match.
func (n *Nodes) Owns(id storage.MatchID) bool { return n.Owner.Owns(id) }

// Several reports whether other nodes write to the logs of matches too.
func (n *Nodes) Several() bool { return n.Shared != nil }

// OpenMatch writes the first events of a match. A node that is alone ignores the terms, which guard against other nodes.
func (n *Nodes) OpenMatch(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary, t cluster.Terms) error {
	if n.Shared == nil {
		return n.Store.Append(ctx, id, events, m)
	}
	return n.Shared.OpenMatch(ctx, id, events, m, t)
}

// OutageOf returns the time that a match gets back if its clock has run since the given time.
func (n *Nodes) OutageOf(id storage.MatchID, since time.Time) cluster.Outage {
	return n.Outages.of(id, since, n.Owns)
}
