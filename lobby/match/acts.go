package match

import (
	"fmt"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// An Act is something that a user wants to do in a match. It returns the events to write, or an error if the state doesn't allow
// it. State.Extend adds the end that the events bring. An act that returns no events and no error has nothing left to do.
type Act func(*State) ([]matches.Event, error)

// AnyPly makes Move accept a move whatever the number of moves in the line.
const AnyPly = -1

// Open begins a match. seat is the opener's, or Nobody.
func Open(o matches.Opening, seat storage.Seat) Act {
	return func(*State) ([]matches.Event, error) {
		return []matches.Event{{Kind: matches.Opened, Seat: seat, Opening: &o}}, nil
	}
}

// Join takes the free seat.
func Join(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		if err := s.mayJoin(u); err != nil {
			return refuse(err)
		}
		return []matches.Event{{Kind: matches.Joined, Seat: s.freeSeat(), Who: u.Occupant()}}, nil
	}
}

// Move plays a move for the side to move. ply is the number of moves that the player has seen, or AnyPly. lag is the measured
// delay of the player's line; the event keeps at most what the clock still credits.
func Move(u User, m games.Move, ply int, lag time.Duration) Act {
	return func(s *State) ([]matches.Event, error) {
		turn := s.Turn()
		_, err := s.playing(u)
		switch {
		case err != nil:
			return nil, err
		case ply != AnyPly && ply != len(s.Moves):
			return nil, ErrLate
		}
		if err := s.may(u, MoveAct, 0); err != nil {
			return nil, err
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

// Flag ends a match because the time of the side to move is up.
func Flag() Act {
	return func(s *State) ([]matches.Event, error) {
		return []matches.Event{{Kind: matches.Flagged, Seat: storage.SeatOf(s.Turn())}}, nil
	}
}

// Resume restarts the clock of a match after the program was down. left is the time left to each side.
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
		if err := s.may(u, ResignAct, 0); err != nil {
			return nil, err
		}
		seat, _ := s.seatOf(u)
		return []matches.Event{{Kind: matches.Resigned, Seat: seat}}, nil
	}
}

// freeSeat returns the free seat of an offer.
func (s *State) freeSeat() storage.Seat {
	if s.Seats[games.First].Kind == storage.Free {
		return storage.FirstSeat
	}
	return storage.SecondSeat
}

// Abort ends an offer, or a match before both sides have moved. The offer is the user's own or reserved for the user; then the event has the free
// seat. It also ends an exhibition that the user has opened, at any time.
func Abort(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		if err := s.mayAbort(u); err != nil {
			return nil, err
		}
		seat, _ := s.seatOf(u)
		switch {
		case u.Is(s.Opening.By):
			return Leave(storage.Nobody)(s)
		case s.invites(u):
			seat = s.freeSeat()
		}
		return []matches.Event{{Kind: matches.Ended, Seat: seat, Reason: reasonAborted}}, nil
	}
}

// Withdraw ends an offer for its owner, unless it is taken.
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

// Takeback undoes the user's last move and the moves after it: the computer player's reply, or none while that still thinks. For a
// user who holds both seats it undoes the last move, which doesn't count as help. Between two users it asks the other side to
// agree, in a casual match. A match has at most limit takebacks.
func Takeback(u User, limit int) Act {
	return func(s *State) ([]matches.Event, error) {
		if err := s.may(u, TakebackAct, limit); err != nil {
			return refuse(err)
		}
		seat, _ := s.seatOf(u)
		if s.hotseat() {
			before, err := games.ReplayFrom(s.Initial, s.Moves[:len(s.Moves)-1])
			if err != nil {
				return nil, err
			}
			return []matches.Event{{Kind: matches.TakenBack, Seat: storage.SeatOf(before.Turn()), Plies: 1}}, nil
		}
		if !s.takesHelp(seat) {
			return []matches.Event{{Kind: matches.Offered, Seat: seat, Offer: matches.OfferTakeback}}, nil
		}
		plies, err := s.pliesBack(seat)
		if err != nil {
			return nil, err
		}
		return []matches.Event{{Kind: matches.TakenBack, Seat: seat, Plies: plies}}, nil
	}
}

// pliesBack returns how many moves a takeback of a seat undoes: its last move and all after it. Only the game knows whose turn it
// was at each ply, so the line is played again.
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

// Leave ends a match because a seat has been left: the other side wins, or the match is void if not both sides have moved. seat is
// Nobody for an offer that has waited too long, an unwatched exhibition and an evicted match: these are void, and so is a match
// of a user who holds both seats.
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

// Abandon ends a match of a user who will not come back, as Leave does, or an offer that is reserved for them.
func Abandon(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		seat, _ := s.seatOf(u)
		return Leave(seat)(s)
	}
}

// Adjudicate ends a match with the result that an operator has decided on: first, second or draw, or "" for none.
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

// Forfeit ends a match of a user who may not play any more: the other side wins if both sides have made keptMoves, else there is no
// result. There is none either if the user holds both seats.
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

// playing returns the seat of a user in a match that is being played, or why the user has none.
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

// seatOf returns the seat that a user holds, or the seat of the side to move if the user holds both.
func (s *State) seatOf(u User) (seat storage.Seat, seated bool) {
	for _, side := range [2]games.Side{s.Turn(), s.Turn().Other()} {
		if u.Is(s.Seats[side]) {
			return storage.SeatOf(side), true
		}
	}
	return storage.Nobody, false
}
