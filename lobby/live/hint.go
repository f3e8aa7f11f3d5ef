package live

import (
	"context"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// hintTime is how long the strongest computer player looks for a hint if no job waits for its worker.
const hintTime = 400 * time.Millisecond

// A Hint is what the strongest computer player would do in a position.
type Hint struct {
	thinking.Decision
	Ply int // how many moves the match had then
}

// A hintRequest asks a match for a hint.
type hintRequest struct {
	user   match.User
	answer chan hintAnswer // holds one
}

type hintAnswer struct {
	hint Hint
	err  error
}

// A hintSearch is what a match knows about a hint for its present position. The zero value: nobody has asked.
type hintSearch struct {
	found   *Hint
	seat    storage.Seat
	cancel  context.CancelFunc
	updates <-chan thinking.Update
	answer  chan<- hintAnswer // nil: no search is on
}

// drop gives up the search, and forgets the hint that was found.
func (h *hintSearch) drop(why error) {
	if h.answer != nil {
		h.cancel()
		h.answer <- hintAnswer{err: why}
	}
	*h = hintSearch{}
}
