package registry

import (
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// otherNodes says what is to be ignored of what arrives from the store, and how many matches this node owns. In a club with one node nothing
// arrives.
type otherNodes struct {
	node     Node
	several  bool
	unopened map[storage.MatchID]uint64 // matches that are being opened here, with the newest event of each that has arrived from the store
	ended    map[storage.MatchID]bool   // matches that have ended here, until that arrives from the store
	owned    int                        // matches that this node owns
}

func newOtherNodes(n Node, several bool) otherNodes {
	return otherNodes{node: n, several: several, unopened: make(map[storage.MatchID]uint64), ended: make(map[storage.MatchID]bool)}
}

// opened returns the newest event of a match that has arrived from the store while it was being opened here, and forgets that it was.
func (o *otherNodes) opened(id storage.MatchID) (seq uint64) {
	seq = o.unopened[id]
	delete(o.unopened, id)
	return seq
}

// endedHere notes that a match has ended in memory here, so that its end is ignored when it arrives.
func (o *otherNodes) endedHere(e *entry) {
	if o.several && !e.gone {
		o.ended[e.id] = true
	}
}

// ignores reports whether a summary that has arrived from the store says nothing new: the match is being opened here, or has ended here.
func (o *otherNodes) ignores(s *match.Summary) bool {
	if _, unopened := o.unopened[s.ID]; unopened {
		o.unopened[s.ID] = s.Events
		return true
	}
	return o.ended[s.ID]
}

// endArrived notes that the end of a match has arrived from the store, and reports whether the match, nil if it is not in the directory, is to be
// removed: not if it is in memory and reads its end by itself.
func (o *otherNodes) endArrived(id storage.MatchID, e *entry) bool {
	if o.ended[id] {
		delete(o.ended, id)
		return false
	}
	if _, unopened := o.unopened[id]; unopened {
		o.unopened[id] = live.Ended
	}
	if e == nil {
		return false
	}
	e.gone = true
	if e.match != nil {
		e.match.Follow(live.Ended)
		return false
	}
	return true
}

// reconcile forgets ends that will not arrive any more, because the store has no such match.
func (o *otherNodes) reconcile(unfinished map[storage.MatchID]bool) {
	for id := range o.ended {
		if !unfinished[id] {
			delete(o.ended, id)
		}
	}
}

// updateCount counts whether this node owns a match, and reports whether it has just become its owner.
func (o *otherNodes) updateCount(e *entry) (taken bool) {
	owned := e.summary != nil && o.node.Owned(e.id)
	taken = owned && !e.owned
	if owned != e.owned {
		e.owned = owned
		o.owned += step(owned)
	}
	return taken
}
