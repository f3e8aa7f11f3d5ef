package registry

import (
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// otherNodes decides which changes from the store the registry ignores, and counts the matches that this node owns. In a club with one node no
// changes arrive.
type otherNodes struct {
	node     Node
	several  bool
	unopened map[storage.MatchID]uint64 // matches that are being opened here: the number of the newest event that has arrived from the store
	ended    map[storage.MatchID]bool   // matches that have ended here and whose end has not arrived from the store
	owned    int                        // matches that this node owns
}

func newOtherNodes(n Node, several bool) otherNodes {
	return otherNodes{node: n, several: several, unopened: make(map[storage.MatchID]uint64), ended: make(map[storage.MatchID]bool)}
}

// opened removes a match from unopened and returns the number of its newest event that has arrived from the store.
func (o *otherNodes) opened(id storage.MatchID) (seq uint64) {
	seq = o.unopened[id]
	delete(o.unopened, id)
	return seq
}

// endedHere records that a match has ended in memory here, so that its end is ignored when it arrives from the store.
func (o *otherNodes) endedHere(e *entry) {
	if o.several && !e.gone {
		o.ended[e.id] = true
	}
}

// ignores reports whether the registry ignores a summary from the store, because the match is being opened here or has ended here.
func (o *otherNodes) ignores(s *match.Summary) bool {
	if _, unopened := o.unopened[s.ID]; unopened {
		o.unopened[s.ID] = s.Events
		return true
	}
	return o.ended[s.ID]
}

// endArrived records that the end of a match has arrived from the store, and reports whether the match has to be removed from the directory. It
// returns false for a match in memory, which reads its end itself. e is nil if the match is not in the directory.
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

// reconcile removes matches from ended whose end won't arrive any more, because they are not unfinished in the store.
func (o *otherNodes) reconcile(unfinished map[storage.MatchID]bool) {
	for id := range o.ended {
		if !unfinished[id] {
			delete(o.ended, id)
		}
	}
}

// updateCount updates owned from a match, and reports whether this node has just become its owner.
func (o *otherNodes) updateCount(e *entry) (taken bool) {
	owned := e.summary != nil && o.node.Owned(e.id)
	taken = owned && !e.owned
	if owned != e.owned {
		e.owned = owned
		o.owned += step(owned)
	}
	return taken
}
