package registry

import (
	"container/list"
	"time"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// An entry is a match in the registry.
type entry struct {
	id      storage.MatchID
	summary *match.Summary // the newest; immutable; nil: the match is not in the directory yet, or no longer

	// Of memory.
	match        Match         // nil: it is not in memory
	recent       *list.Element // of a match in memory
	cost         int           // of a match in memory, or about to be
	waitsForBot  bool          // it is in memory and waits for a computer player; counted
	loading      *Loading      // nil if it is not about to be in memory
	loadedForDue bool          // it is to be loaded because it has something to do

	// Of deadlines.
	waiting     live.Waiting // of a match that is not in memory
	due         time.Time    // when it has something to do; zero for never
	place       int          // in the heap, from 1; 0 if it is not there
	ticks       bool         // counted
	interrupted bool         // counted

	evicting bool // of eviction; counted

	// Of otherNodes.
	owned bool // counted
	gone  bool // its end has arrived from the store
}

// step returns the change of a count when something begins to be counted (+1), or ceases to be (-1).
func step(counted bool) int {
	if counted {
		return 1
	}
	return -1
}
