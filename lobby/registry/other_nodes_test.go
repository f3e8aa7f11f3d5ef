package registry

import (
	"testing"

	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// TestArrivalsAreNotCountedTwice: changes by this node are ignored when they arrive from the store, in any order.
func TestArrivalsAreNotCountedTwice(t *testing.T) {
	o := newOtherNodes(alone{}, true)
	s := &match.Summary{Ref: match.Ref{ID: "m"}, Events: 3}
	if o.ignores(s) {
		t.Error("a match of another node is ignored")
	}
	o.unopened["m"] = 0
	if !o.ignores(s) {
		t.Error("a match that is being opened here is not ignored")
	}
	if seq := o.opened("m"); seq != 3 || len(o.unopened) != 0 {
		t.Errorf("opened with event %d, want 3; %d are being opened", seq, len(o.unopened))
	}
	o.unopened["n"] = 0
	if o.endArrived("n", nil) || o.opened("n") != live.Ended {
		t.Error("the end of a match that is being opened here is forgotten")
	}
	e := &entry{id: "m"}
	o.endedHere(e)
	if !o.ignores(s) || o.endArrived("m", nil) || o.ignores(s) {
		t.Error("a match that has ended here is not ignored until its end arrives")
	}
	if !o.endArrived("m", e) {
		t.Error("the end of a match of another node is ignored")
	}
	o.endedHere(e)
	if len(o.ended) != 0 {
		t.Error("ended has a match whose end has arrived")
	}
	o.ended["lost"] = true
	o.reconcile(map[storage.MatchID]bool{})
	if len(o.ended) != 0 {
		t.Error("ended has a match whose end can't arrive any more")
	}
}

// TestOwners: the count of matches that this node owns follows the nodes.
func TestOwners(t *testing.T) {
	n := &owner{owns: true}
	r := New(limits.NewInForce(limits.Default()), n, true)
	for _, id := range []storage.MatchID{"a", "b"} {
		r.Follow(&match.Summary{Ref: match.Ref{ID: id}, Events: 1})
	}
	if got := r.Counts().Owned; got != 2 {
		t.Errorf("%d matches are owned, want 2", got)
	}
	n.owns = false
	if taken := r.OwnersChanged(); taken != 0 || r.Counts().Owned != 0 {
		t.Errorf("%d matches are taken over and %d owned, want none", taken, r.Counts().Owned)
	}
	n.owns = true
	if taken := r.OwnersChanged(); taken != 2 || r.Counts().Owned != 2 {
		t.Errorf("%d matches are taken over and %d owned, want 2", taken, r.Counts().Owned)
	}
	if taken := r.OwnersChanged(); taken != 0 {
		t.Errorf("%d matches are taken over that are owned already", taken)
	}
	r.FollowEnd("a")
	if got := r.Counts().Owned; got != 1 {
		t.Errorf("%d matches are owned, want 1", got)
	}
}

// TestArrivals: who waits for a match of another node is woken when it arrives, and by no later event of it.
func TestArrivals(t *testing.T) {
	r := New(limits.NewInForce(limits.Default()), &owner{owns: true}, true)
	_, _, next := r.Arrivals.Watch()
	r.Follow(&match.Summary{Ref: match.Ref{ID: "a"}, Events: 1})
	select {
	case <-next:
	default:
		t.Error("a match has arrived, and nobody is woken")
	}
	id, _, next := r.Arrivals.Watch()
	r.Follow(&match.Summary{Ref: match.Ref{ID: "a"}, Events: 2})
	select {
	case <-next:
		t.Error("a move is an arrival")
	default:
	}
	if id != "a" {
		t.Errorf("%q has arrived last", id)
	}
}

type owner struct {
	alone
	owns bool
}

func (o *owner) Owned(storage.MatchID) bool { return o.owns }
