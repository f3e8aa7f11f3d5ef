package live

import (
	"context"
	"fmt"
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

// Hint asks the strongest computer player for a move, for the user whose turn it is. When it returns, it is on disk that the
// user has been helped; the hint itself is in no log. Asked again in the same position, it returns the same hint. One
// search runs at a time; if ctx ends first, it goes on.
// The errors are those of match.State.HelpedSeat, match.ErrNotYourTurn, ErrHinting, match.ErrLate (the position has changed),
// ErrNoSuchLevel (there is no level to ask), ErrBusy, ErrClosed, ErrDamaged.
func (m *Match) Hint(ctx context.Context, u match.User) (Hint, error) {
	r := hintRequest{u, make(chan hintAnswer, 1)}
	select {
	case m.hints <- r:
	case <-m.done:
		return Hint{}, m.endedErr()
	case <-ctx.Done():
		return Hint{}, ctx.Err()
	}
	select {
	case a := <-r.answer:
		return a.hint, a.err
	case <-ctx.Done():
		return Hint{}, ctx.Err()
	}
}

// startHint begins to look for a hint, or answers the request.
func (m *Match) startHint(ctx context.Context, r hintRequest) {
	hint, err := m.searchHint(ctx, r)
	if hint != nil || err != nil {
		if hint == nil {
			hint = new(Hint)
		}
		r.answer <- hintAnswer{*hint, err}
	}
}

// searchHint returns the hint that was found in this position already, begins to look for one, or says why not.
func (m *Match) searchHint(ctx context.Context, r hintRequest) (*Hint, error) {
	if m.uncertain.is {
		return nil, ErrBusy
	}
	seat, err := m.state.HelpedSeat(r.user)
	level, ok := m.config.Strongest()
	switch {
	case err != nil:
		return nil, err
	case seat.Side() != m.state.Turn():
		return nil, match.ErrNotYourTurn
	case m.hint.answer != nil:
		return nil, ErrHinting
	case m.hint.found != nil:
		return m.hint.found, nil
	case !ok:
		return nil, ErrNoSuchLevel
	}
	ctx, cancel := context.WithCancel(ctx)
	j := thinking.NewJob(ctx, level, m.state.Position, m.seeds.Uint64(), hintTime)
	m.hint = hintSearch{seat: seat, cancel: cancel, updates: j.Updates(), answer: r.answer}
	m.config.Scheduler.Submit(j, thinking.ForPlayers)
	return nil, nil
}

// deliverHint takes an update from the worker that looks for a hint. That the user is helped is written before the hint is
// given.
func (m *Match) deliverHint(ctx context.Context, u thinking.Update) {
	if !u.Done {
		return
	}
	search := m.hint
	m.hint = hintSearch{}
	search.cancel()
	err := u.Err
	if err == nil {
		err = checkMove(m.state.Position, u.Decision.Move)
	}
	if err != nil {
		m.config.Stats.Failed.Add(1)
		m.config.Log.Error("a computer player failed", "match", m.id, "hint", true, "err", err)
		search.answer <- hintAnswer{err: fmt.Errorf("hint: %w", err)}
		return
	}
	err = m.safely(func() error {
		switch {
		case m.uncertain.is:
			return ErrBusy
		case m.state.Hinted: // before a restart
			return nil
		}
		return m.write(ctx, []storage.Event{{Kind: storage.Helped, Seat: search.seat}})
	})
	if err != nil {
		search.answer <- hintAnswer{err: err}
		return
	}
	hint := Hint{u.Decision, len(m.state.Moves)}
	m.hint.found = &hint
	search.answer <- hintAnswer{hint: hint}
}
