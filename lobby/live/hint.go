package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// hintTime is how long the search for a hint takes if no other job waits for its worker.
const hintTime = 400 * time.Millisecond

// A Hint is the decision of the strongest computer player in a position.
type Hint struct {
	thinking.Decision
	Ply int // of the position
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

// A hintSearch is the search for a hint in the present position, or its result. It is zero before the first request.
type hintSearch struct {
	found   *Hint
	seat    storage.Seat
	cancel  context.CancelFunc
	updates <-chan thinking.Update
	answer  chan<- hintAnswer // nil: no search runs
}

// hints searches for hints, one at a time. Only the match's goroutine uses it.
type hints struct {
	config *Config
	seeds  *games.Random
	search hintSearch
}

// drop cancels the search, answers its request with why, and forgets a hint that was found.
func (h *hints) drop(why error) {
	if h.search.answer != nil {
		h.search.cancel()
		h.search.answer <- hintAnswer{err: why}
	}
	h.search = hintSearch{}
}

// searches reports whether a search runs.
func (h *hints) searches() bool { return h.search.answer != nil }

// start starts a search, or answers the request at once.
func (h *hints) start(ctx context.Context, s *match.State, r hintRequest) {
	hint, err := h.begin(ctx, s, r)
	if hint != nil || err != nil {
		if hint == nil {
			hint = new(Hint)
		}
		r.answer <- hintAnswer{*hint, err}
	}
}

// begin returns the hint that was found in this position before, or starts a search and returns nil, or returns why it can't.
func (h *hints) begin(ctx context.Context, s *match.State, r hintRequest) (*Hint, error) {
	seat, err := s.HintSeat(r.user)
	level, ok := h.config.Catalogue.Strongest(s.Opening.Game)
	switch {
	case err != nil:
		return nil, err
	case h.searches():
		return nil, refusal.ErrHinting
	case h.search.found != nil:
		return h.search.found, nil
	case !ok:
		return nil, refusal.ErrNoSuchLevel
	}
	ctx, cancel := context.WithCancel(ctx)
	j := thinking.NewJob(ctx, level, s.Position, h.seeds.Uint64(), hintTime).After(s.Initial, s.Moves)
	h.search = hintSearch{seat: seat, cancel: cancel, updates: j.Updates(), answer: r.answer}
	h.config.Scheduler.Submit(j, thinking.ForPlayers, h.config.Players.Origin(r.user.Occupant()))
	return nil, nil
}

// updated handles an update from the worker that searches. It calls write, which records that the user is helped, before it answers with the hint.
// write may change the state s.
func (h *hints) updated(s *match.State, u thinking.Update, write func(seat storage.Seat) error) {
	if !u.Done {
		return
	}
	search := h.search
	h.search = hintSearch{}
	search.cancel()
	err := u.Err
	if err == nil {
		err = checkMove(s.Position, u.Decision.Move)
	}
	if err != nil {
		h.config.Stats.Failed.Add(1)
		h.config.Log.Error("a computer player failed", "match", s.ID, "hint", true, "err", err)
		search.answer <- hintAnswer{err: fmt.Errorf("hint: %w", err)}
		return
	}
	err = write(search.seat)
	if errors.Is(err, errOvertaken) {
		err = match.ErrLate
	}
	if err != nil {
		search.answer <- hintAnswer{err: err}
		return
	}
	hint := Hint{u.Decision, len(s.Moves)}
	h.search.found = &hint
	search.answer <- hintAnswer{hint: hint}
}
