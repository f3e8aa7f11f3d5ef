package lobby

import (
	"ludoteca/games"
	"ludoteca/storage"
)

// An act is what somebody wants to do in a match: it looks at the state and returns the event that does it, or why it
// can't be done. What follows from an event (the end that a move brings) is added by consequence. No event and no
// error: it is done already.
type act func(s *state) ([]storage.Event, error)

// sit takes the free seat.
func sit(who Who) act {
	return func(s *state) ([]storage.Event, error) {
		_, seated := s.seatOf(who)
		kept := s.opening.Reserved
		switch {
		case s.over():
			return nil, ErrOver
		case seated && !s.started.IsZero():
			return nil, nil
		case seated:
			return nil, ErrOwnOffer
		case !s.started.IsZero():
			return nil, ErrSeatTaken
		case kept.Kind != storage.Free && !who.is(kept):
			return nil, ErrReserved
		case s.opening.Rated && who.Kind != storage.Person:
			return nil, ErrRatedGuest
		}
		seat := storage.FirstSeat
		if s.seats[games.First].Kind != storage.Free {
			seat = storage.SecondSeat
		}
		return []storage.Event{{Kind: storage.Joined, Seat: seat, Who: who.Occupant()}}, nil
	}
}

// move plays for the side to move. ply is the number of moves that the player had seen, or AnyPly.
func move(who Who, m games.Move, ply int) act {
	return func(s *state) ([]storage.Event, error) {
		turn := s.turn()
		_, seated := s.seatOf(who)
		switch {
		case s.over():
			return nil, ErrOver
		case !seated:
			return nil, ErrNotSeated
		case s.started.IsZero():
			return nil, ErrNotStarted
		case ply != AnyPly && ply != len(s.moves):
			return nil, ErrLate
		case !who.is(s.seats[turn]):
			return nil, ErrNotYourTurn
		}
		return []storage.Event{{Kind: storage.Moved, Seat: storage.SeatOf(turn), Move: m}}, nil
	}
}

// resign gives the match to the other side.
func resign(who Who) act {
	return func(s *state) ([]storage.Event, error) {
		seat, seated := s.seatOf(who)
		switch {
		case s.over():
			return nil, ErrOver
		case !seated:
			return nil, ErrNotSeated
		case s.started.IsZero():
			return nil, ErrNotStarted
		}
		return []storage.Event{{Kind: storage.Resigned, Seat: seat}}, nil
	}
}

// abort ends a match that has hardly begun, or an offer: one's own, or one whose seat is kept for who.
func abort(who Who) act {
	return func(s *state) ([]storage.Event, error) {
		seat, seated := s.seatOf(who)
		invited := s.started.IsZero() && who.is(s.opening.Reserved)
		switch {
		case s.over():
			return nil, ErrOver
		case !seated && !invited:
			return nil, ErrNotSeated
		case s.made() >= 2:
			return nil, ErrTooLate
		}
		return []storage.Event{{Kind: storage.Ended, Seat: seat, Reason: reasonAborted}}, nil
	}
}

// stop ends a match between two computer players, for the one who opened it.
func stop(s *state) ([]storage.Event, error) {
	if s.over() {
		return nil, ErrOver
	}
	return s.leave(storage.Nobody), nil
}

// exhibition says whether two computer players play each other.
func (s *state) exhibition() bool {
	return s.seats[0].Kind == storage.Bot && s.seats[1].Kind == storage.Bot
}

// leave is the end of a match whose seat has been left. Nobody leaves an offer that waited too long, a match that nobody
// watches, and one that gives way to others. Who leaves both seats has beaten nobody.
func (s *state) leave(seat storage.Seat) []storage.Event {
	if s.seats[games.First] == s.seats[games.Second] {
		seat = storage.Nobody
	}
	if seat == storage.Nobody || s.started.IsZero() || s.made() < 2 {
		return []storage.Event{{Kind: storage.Ended, Seat: seat, Reason: reasonAborted}}
	}
	return []storage.Event{{Kind: storage.Ended, Seat: seat, Reason: reasonAbandoned, Result: seat.Side().Other().String()}}
}

// consequence returns the end that the last event brings, if it brings one. limit is the number of moves after which a
// match that only a rule against repetition would end is drawn.
func (s *state) consequence(limit int) (storage.Event, bool) {
	end := storage.Event{Kind: storage.Ended}
	switch rules := s.pos.Result(); {
	case s.over():
		return end, false
	case rules.Over:
		end.Result, end.Reason = rules.String(), rules.Reason
	case s.closing.Kind == storage.Resigned:
		end.Result, end.Reason = s.closing.Seat.Side().Other().String(), reasonResigned
	case len(s.moves) >= limit:
		end.Result, end.Reason = games.Drawn("").String(), reasonLengthLimit
	default:
		return end, false
	}
	return end, true
}

// turn is the side to move.
func (s *state) turn() games.Side { return s.pos.Turn() }

// seatOf returns the seat that who holds: of somebody who holds both, the one to move. Nobody if he holds none.
func (s *state) seatOf(who Who) (seat storage.Seat, seated bool) {
	for _, side := range [2]games.Side{s.turn(), s.turn().Other()} {
		if who.is(s.seats[side]) {
			return storage.SeatOf(side), true
		}
	}
	return storage.Nobody, false
}

// view returns what can be seen of the state; the match adds what is not in its log.
func (s *state) view() *View {
	return &View{
		Ref:  Ref{ID: s.id, Code: s.opening.Code},
		Game: s.game, Options: s.opening.Options, Rated: s.opening.Rated, Public: s.opening.Public,
		Seats: s.seats, Reserved: s.opening.Reserved,
		Events: s.events[:len(s.events):len(s.events)], Moves: s.moves[:len(s.moves):len(s.moves)],
		Start: s.given(), Helped: s.help, Position: s.pos, Turn: s.turn(), RematchOf: s.opening.RematchOf,
		Over: s.over(), Result: s.result, Reason: s.reason,
		Opened: s.opened, Started: s.started, Ended: s.ended,
	}
}
