package lobby

import (
	"context"
	"fmt"
	"time"

	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// hintTime is how long the strongest computer player looks for a hint, when nobody else waits for a worker.
const hintTime = 400 * time.Millisecond

// A Hint is what the strongest computer player would do in a position.
type Hint struct {
	Decision
	Ply int // the moves made before it
}

// Hint asks the strongest computer player for a move, for the person whose turn it is. That he has been helped is on
// disk when it returns, the hint itself is in no log and for nobody else. Asked again in the same position, the match
// gives the same hint. One is looked for at a time; if ctx ends before, it goes on without the caller.
// The errors are those of Takeback but for ErrNothingBack and ErrTakebacks, and ErrNotYourTurn, ErrHinting (one is on its way
// already), ErrLate (the match has moved on meanwhile), ErrNoSuchLevel (there is nobody to ask).
func (s *Seat) Hint(ctx context.Context) (Hint, error) {
	m, damaged := s.lobby.matches.match(s.id)
	switch {
	case m != nil:
		return m.askHint(ctx, s.who)
	case damaged:
		return Hint{}, ErrDamaged
	}
	if _, err := s.lobby.board(ctx, s.id); err != nil {
		return Hint{}, err
	}
	return Hint{}, ErrOver
}

// A plea asks a match for a hint.
type plea struct {
	who    Who
	answer chan advice // holds one
}

// advice answers a plea.
type advice struct {
	hint Hint
	err  error
}

// hinting is what a match knows about a hint for its present position. The zero value: nobody has asked.
type hinting struct {
	known  *Hint
	seat   storage.Seat
	cancel context.CancelFunc
	news   <-chan thinking.Update
	answer chan<- advice // nil: none is looked for
}

// drop gives up the search for a hint, and forgets the one that was found.
func (h *hinting) drop(why error) {
	if h.answer != nil {
		h.cancel()
		h.answer <- advice{err: why}
	}
	*h = hinting{}
}

// askHint has a match look for a hint, and waits for it.
func (m *match) askHint(ctx context.Context, who Who) (Hint, error) {
	p := plea{who, make(chan advice, 1)}
	select {
	case m.pleas <- p:
	case <-m.done:
		return Hint{}, m.ended()
	case <-ctx.Done():
		return Hint{}, ctx.Err()
	}
	select {
	case a := <-p.answer:
		return a.hint, a.err
	case <-ctx.Done():
		return Hint{}, ctx.Err()
	}
}

// plead begins to look for a hint, or says why not.
func (m *match) plead(ctx context.Context, p plea) {
	if err := m.seekHint(ctx, p); err != nil {
		p.answer <- advice{err: err}
	}
}

func (m *match) seekHint(ctx context.Context, p plea) error {
	if m.doubt.is {
		return ErrBusy
	}
	seat, err := m.state.helpedSeat(p.who)
	level, ok := m.house.strongest()
	switch {
	case err != nil:
		return err
	case seat.Side() != m.state.turn():
		return ErrNotYourTurn
	case m.hint.answer != nil:
		return ErrHinting
	case m.hint.known != nil:
		p.answer <- advice{hint: *m.hint.known}
		return nil
	case !ok:
		return ErrNoSuchLevel
	}
	ctx, cancel := context.WithCancel(ctx)
	j := thinking.NewJob(ctx, level, m.state.pos, m.seeds.Uint64(), hintTime)
	m.hint = hinting{seat: seat, cancel: cancel, news: j.Updates(), answer: p.answer}
	m.house.scheduler.Submit(j, thinking.ForPlayers)
	return nil
}

// advise takes news from the worker that looks for a hint. That there was help is written before anybody sees it.
func (m *match) advise(ctx context.Context, n thinking.Update) {
	if !n.Done {
		return
	}
	h := m.hint
	m.hint = hinting{}
	h.cancel()
	err := n.Err
	if err == nil {
		err = playable(m.state.pos, n.Decision.Move)
	}
	if err != nil {
		m.house.stats.Failed.Add(1)
		m.house.log.Error("a computer player failed", "match", m.id, "hint", true, "err", err)
		h.answer <- advice{err: fmt.Errorf("hint: %w", err)}
		return
	}
	err = m.safely(func() error {
		switch {
		case m.doubt.is:
			return ErrBusy
		case m.state.hinted: // before a restart
			return nil
		}
		return m.write(ctx, []storage.Event{{Kind: storage.Helped, Seat: h.seat}})
	})
	if err != nil {
		h.answer <- advice{err: err}
		return
	}
	hint := Hint{n.Decision, len(m.state.moves)}
	m.hint.known = &hint
	h.answer <- advice{hint: hint}
}
