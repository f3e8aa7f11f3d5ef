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
	summary *match.Summary // the newest; immutable; nil: the match is not or no longer in the directory

	// Of memory.
	match        Match         // nil: it is not in memory
	recent       *list.Element // of a match in memory
	cost         int           // of a match that is in memory or being loaded
	waitsForBot  bool          // it is in memory and waits for a computer player; counted
	loading      *Loading      // nil if it is not being loaded
	loadedForDue bool          // it is loaded because it is due

	// Of deadlines.
	waiting     live.Waiting // of a match that is not in memory
	due         time.Time    // when it has something to do; zero for never
	place       int          // in the heap, from 1; 0 if it is not in the heap
	ticks       bool         // counted
	interrupted bool         // counted

	evicting bool // of eviction; counted

	// Of otherNodes.
	owned bool // counted
	gone  bool // its end has arrived from the store
}

// step returns the change of a counter when an entry begins to be counted (+1) or ceases to be (-1).
func step(counted bool) int {
	if counted {
		return 1
	}
	return -1
}
