package lobby

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
	"ludoteca/storage"
)

// Takeback undoes the last move of one's own, and what has been played since: the computer player's reply, or nothing while
// it still thinks, which then stops. It returns when that is on disk, and may be asked again, back to the first move.
// The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrNoHelp (a rated match, or one between people), ErrNothingBack,
// ErrTakebacks, ErrBusy, ErrClosed.
func (s *Seat) Takeback(ctx context.Context) error {
	limit := s.lobby.limits.Takebacks
	return s.lobby.ask(ctx, s.id, takeback(s.who, limit))
}

// takeback undoes the last move of who.
func takeback(who Who, limit int) act {
	return func(s *state) ([]storage.Event, error) {
		seat, err := s.helpedSeat(who)
		if err != nil {
			return nil, err
		}
		if s.help.Takebacks >= limit {
			return nil, ErrTakebacks
		}
		plies, err := s.pliesBack(seat)
		if err != nil {
			return nil, err
		}
		return []storage.Event{{Kind: storage.TakenBack, Seat: seat, Plies: plies}}, nil
	}
}

// helpedSeat returns the seat of who, if he may be helped there.
func (s *state) helpedSeat(who Who) (storage.Seat, error) {
	seat, seated := s.seatOf(who)
	switch {
	case s.over():
		return seat, ErrOver
	case !seated:
		return seat, ErrNotSeated
	case s.started.IsZero():
		return seat, ErrNotStarted
	case !s.helpful(seat):
		return seat, ErrNoHelp
	}
	return seat, nil
}

// pliesBack is how many moves have been made since the last time that it was a seat's turn, before the present one. Who
// is to move says the game alone, so the line is played again up to there.
func (s *state) pliesBack(seat storage.Seat) (int, error) {
	p, err := games.Replay(s.game, s.opening.Options, s.moves[:s.given()])
	if err != nil {
		return 0, err
	}
	line, last := p.State(), -1
	for i, m := range s.moves[s.given():] {
		if line.Turn() == seat.Side() {
			last = i
		}
		c, err := line.Code(m)
		if err != nil {
			return 0, fmt.Errorf("%w: match %s: move %d", errLog, s.id, s.given()+i+1)
		}
		line.Play(c)
	}
	if last < 0 {
		return 0, ErrNothingBack
	}
	return s.made() - last, nil
}

func (s *state) takeBack(e storage.Event) error {
	left := len(s.moves) - e.Plies
	switch {
	case !s.helpful(e.Seat):
		return errors.New("the seat takes no help")
	case e.Plies < 1 || left < s.given():
		return fmt.Errorf("there are no %d moves to take back", e.Plies)
	}
	before, err := games.Replay(s.game, s.opening.Options, s.moves[:left])
	switch {
	case err != nil:
		return err
	case before.Turn() != e.Seat.Side():
		return errors.New("it would be the other side's turn")
	}
	s.pos, s.asked, s.hinted = before, storage.Event{}, false
	s.moves = slices.Clone(s.moves[:left]) // views that were handed out hold the old ones
	s.help.Takebacks++
	return nil
}

func (s *state) helped(e storage.Event) error {
	switch {
	case !s.helpful(e.Seat):
		return errors.New("the seat takes no help")
	case e.Seat.Side() != s.pos.Turn():
		return errors.New("it is the other side's turn")
	case s.hinted:
		return errors.New("it has been given a hint here already")
	}
	s.hinted = true
	s.help.Hints++
	return nil
}

// helpful says whether a seat may be helped: somebody who plays a computer player, for nothing.
func (s *state) helpful(seat storage.Seat) bool {
	side := seat.Side()
	return !s.opening.Rated && s.seats[side].Kind != storage.Bot && s.seats[side.Other()].Kind == storage.Bot
}
