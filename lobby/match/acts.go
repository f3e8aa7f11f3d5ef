package match

import (
	"fmt"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// An Act is what somebody wants to do in a match: it looks at the state and returns the events that do it, or why it can't
// be done. State.Extend adds the end that they bring. No events and no error: there is nothing left to do.
type Act func(*State) ([]matches.Event, error)

// AnyPly stands for the number of moves that a player has seen if that does not matter.
const AnyPly = -1

// Open is the act that begins a match. seat is the opener's, or Nobody.
func Open(o matches.Opening, seat storage.Seat) Act {
	return func(*State) ([]matches.Event, error) {
		return []matches.Event{{Kind: matches.Opened, Seat: seat, Opening: &o}}, nil
	}
}

// Join takes the free seat.
func Join(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		_, seated := s.seatOf(u)
		reserved := s.Opening.Reserved
		switch {
		case s.Over():
			return nil, ErrOver
		case seated && !s.Started.IsZero():
			return nil, nil
		case seated:
			return nil, ErrOwnOffer
		case !s.Started.IsZero():
			return nil, ErrSeatTaken
		case reserved.Kind != storage.Free && !u.Is(reserved):
			return nil, ErrReserved
		case s.Opening.Rated && u.Kind != storage.Person:
			return nil, ErrRatedGuest
		}
		return []matches.Event{{Kind: matches.Joined, Seat: s.freeSeat(), Who: u.Occupant()}}, nil
	}
}

// Move plays a move for the side to move. ply is the number of moves that the player has seen, or AnyPly; lag is the measured
// delay of the player's line, of which the event keeps no more than the clock still gives credit for.
func Move(u User, m games.Move, ply int, lag time.Duration) Act {
	return func(s *State) ([]matches.Event, error) {
		turn := s.Turn()
		_, err := s.playing(u)
		switch {
		case err != nil:
			return nil, err
		case ply != AnyPly && ply != len(s.Moves):
			return nil, ErrLate
		case !u.Is(s.Seats[turn]):
			return nil, ErrNotYourTurn
		}
		return []matches.Event{{Kind: matches.Moved, Seat: storage.SeatOf(turn), Move: m, Lag: storedLag(s.credited[turn].Limit(lag))}}, nil
	}
}

// maxLag is the longest delay that an event keeps.
const maxLag = 10 * time.Second

// storedLag returns a delay as events keep it.
func storedLag(lag time.Duration) time.Duration {
	return min(max(lag, 0), maxLag).Truncate(time.Millisecond)
}

// Flag ends a match in which the time of the side to move is up.
func Flag() Act {
	return func(s *State) ([]matches.Event, error) {
		return []matches.Event{{Kind: matches.Flagged, Seat: storage.SeatOf(s.Turn())}}, nil
	}
}

// Resume lets the clock of a match go on with what each side has left, after the program was down.
func Resume(left [2]time.Duration) Act {
	return func(s *State) ([]matches.Event, error) {
		for side := range left {
			left[side] = left[side].Truncate(time.Millisecond)
		}
		return []matches.Event{{Kind: matches.Resumed, Left: left}}, nil
	}
}

// Resign gives the match to the other side. A user who holds both seats resigns for the side to move.
func Resign(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		seat, err := s.playing(u)
		if err != nil {
			return nil, err
		}
		return []matches.Event{{Kind: matches.Resigned, Seat: seat}}, nil
	}
}

// freeSeat returns the seat that nobody has taken, in a match that waits for somebody.
func (s *State) freeSeat() storage.Seat {
	if s.Seats[games.First].Kind == storage.Free {
		return storage.FirstSeat
	}
	return storage.SecondSeat
}

// Abort ends a match in which not both sides have moved, or an offer: the user's own, or one that is reserved for the user, whose seat
// is the free one.
func Abort(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		seat, seated := s.seatOf(u)
		invited := s.Started.IsZero() && u.Is(s.Opening.Reserved)
		if invited {
			seat = s.freeSeat()
		}
		switch {
		case s.Over():
			return nil, ErrOver
		case !seated && !invited:
			return nil, ErrNotSeated
		case s.Made() >= 2:
			return nil, ErrTooLate
		}
		return []matches.Event{{Kind: matches.Ended, Seat: seat, Reason: reasonAborted}}, nil
	}
}

// Withdraw ends an offer that nobody has taken, for its owner.
func Withdraw() Act {
	return func(s *State) ([]matches.Event, error) {
		if !s.Over() && !s.Started.IsZero() {
			return nil, ErrSeatTaken
		}
		return Leave(storage.Nobody)(s)
	}
}

// MaxTakebacks is how many takebacks happen in a match. They lengthen its log beyond its moves.
const MaxTakebacks = 300

// Takeback undoes the user's last move and what has been played since: the computer player's reply, or nothing while it
// still thinks. For a user who holds both seats it undoes the last move, which is no help. Between two users it asks the other side
// to agree to that, in a casual match. At most limit takebacks happen in a match.
func Takeback(u User, limit int) Act {
	return func(s *State) ([]matches.Event, error) {
		seat, err := s.playing(u)
		switch {
		case err != nil:
			return nil, err
		case s.Opening.Rated:
			return nil, ErrRatedTakeback
		case s.takebacks >= limit:
			return nil, ErrTakebacks
		}
		if s.hotseat() && s.Made() > 0 {
			before, err := games.ReplayFrom(s.Initial, s.Moves[:len(s.Moves)-1])
			if err != nil {
				return nil, err
			}
			return []matches.Event{{Kind: matches.TakenBack, Seat: storage.SeatOf(before.Turn()), Plies: 1}}, nil
		}
		plies, err := s.pliesBack(seat)
		if err != nil {
			return nil, err
		}
		if !s.takesHelp(seat) {
			return s.propose(seat, matches.OfferTakeback)
		}
		return []matches.Event{{Kind: matches.TakenBack, Seat: seat, Plies: plies}}, nil
	}
}

// pliesBack is how many moves have been made since the last time that it was a seat's turn, before the present one. Only
// the game knows whose turn it was, so the line is played again up to there.
func (s *State) pliesBack(seat storage.Seat) (int, error) {
	p, err := games.ReplayFrom(s.Initial, s.Moves[:s.Given()])
	if err != nil {
		return 0, err
	}
	line, last := p.State(), -1
	for i, m := range s.Moves[s.Given():] {
		if line.Turn() == seat.Side() {
			last = i
		}
		c, err := line.Code(m)
		if err != nil {
			return 0, fmt.Errorf("%w: match %s: move %d: %w", ErrLog, s.ID, s.Given()+i+1, err)
		}
		line.Play(c)
	}
	if last < 0 {
		return 0, ErrNothingBack
	}
	return s.Made() - last, nil
}

// Leave ends a match whose seat has been left: the other side wins, or the match is void if not both sides have moved.
// Nobody leaves an offer that waited too long, an exhibition that nobody watches and a match that is evicted. A user who
// leaves both seats has beaten nobody.
func Leave(seat storage.Seat) Act {
	return func(s *State) ([]matches.Event, error) {
		switch {
		case s.Over():
			return nil, ErrOver
		case seat == storage.Nobody, SameUser(s.Seats):
			return []matches.Event{{Kind: matches.Ended, Reason: reasonAborted}}, nil
		case s.Started.IsZero(), s.Made() < 2:
			return []matches.Event{{Kind: matches.Ended, Seat: seat, Reason: reasonAborted}}, nil
		}
		return []matches.Event{{Kind: matches.Ended, Seat: seat, Reason: reasonAbandoned, Result: seat.Side().Other().String()}}, nil
	}
}

// Abandon ends a match of a user who is not coming back, as Leave does, and a match that is reserved for them.
func Abandon(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		seat, _ := s.seatOf(u)
		return Leave(seat)(s)
	}
}

// Adjudicate ends a match as an operator decides: first, second or draw, or "" for no result.
func Adjudicate(result string) Act {
	return func(s *State) ([]matches.Event, error) {
		switch {
		case s.Over():
			return nil, ErrOver
		case result != "" && s.Started.IsZero():
			return nil, ErrNotStarted
		}
		return []matches.Event{{Kind: matches.Ended, Reason: reasonAdjudicated, Result: result}}, nil
	}
}

// Forfeit ends a match of a user who may not play any more: the other side wins if both sides have made enough moves, else there
// is no result. A user who holds both seats loses to nobody.
func Forfeit(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		seat, seated := s.seatOf(u)
		result := ""
		if seated && !s.hotseat() && !s.Started.IsZero() && s.enoughMoves() {
			result = seat.Side().Other().String()
		}
		return Adjudicate(result)(s)
	}
}

// HelpedSeat returns the seat in which a user may ask for hints, or why there is none.
func (s *State) HelpedSeat(u User) (storage.Seat, error) { return s.seatThat(u, s.takesHelp) }

// seatThat returns the seat of a user in a match that is being played, or why there is none that may.
func (s *State) seatThat(u User, may func(storage.Seat) bool) (storage.Seat, error) {
	seat, err := s.playing(u)
	if err == nil && !may(seat) {
		err = ErrNoHelp
	}
	return seat, err
}

// playing returns the seat of a user in a match that is being played, or why there is none.
func (s *State) playing(u User) (storage.Seat, error) {
	seat, seated := s.seatOf(u)
	switch {
	case s.Over():
		return seat, ErrOver
	case !seated:
		return seat, ErrNotSeated
	case s.Started.IsZero():
		return seat, ErrNotStarted
	}
	return seat, nil
}

// seatOf returns the seat that a user holds: of two, that of the side to move.
func (s *State) seatOf(u User) (seat storage.Seat, seated bool) {
	for _, side := range [2]games.Side{s.Turn(), s.Turn().Other()} {
		if u.Is(s.Seats[side]) {
			return storage.SeatOf(side), true
		}
	}
	return storage.Nobody, false
}
