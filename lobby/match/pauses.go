package match

import (
	"errors"
	"fmt"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # Pauses
//
// In a match with days a move the clock stands, for both sides, while a player is on vacation, and while the match is adjourned because both sides
// have agreed to it. A practice match is adjourned when its player is called away to a quick match: the club's computer player agrees to that, and to
// nothing else. Each pause begins with an event and has a time at which it ends, so that it ends without an event. The clock knows until when
// it stands: that follows from the log alone, whenever the log is read. No pause gives time back, and none begins when a time is up.
//
// The players may move meanwhile. A move doesn't end a vacation. It ends an adjournment, as Continue does, unless a computer player makes it.

// The longest pauses.
const (
	MaxAdjourned = 30 * clock.Day // from the consent on
	MaxVacation  = 28 * clock.Day // from the event on: the days of two years, in the turn of the year
)

// A PauseKind is a reason for which the clock of a match stands.
type PauseKind string

// The kinds of pauses.
const (
	OnVacation PauseKind = "vacation"
	Adjourned  PauseKind = "adjourned"
)

// A Pause is one reason for which the clock of a match stands.
type Pause struct {
	Kind  PauseKind
	By    storage.Seat // whose player is on vacation; Nobody of an adjournment
	Until time.Time
}

// Pauses are what makes the clock of a match stand, as its log has it. A pause is over when its time is past. The zero value is none.
type Pauses matches.Pauses

// At returns the pauses at a time; nil if there are none.
func (p Pauses) At(now time.Time) (all []Pause) {
	for side, until := range p.Vacation {
		if now.Before(until) {
			all = append(all, Pause{OnVacation, []storage.Seat{storage.FirstSeat, storage.SecondSeat}[side], until})
		}
	}
	if now.Before(p.Adjourned) {
		all = append(all, Pause{Adjourned, storage.Nobody, p.Adjourned})
	}
	return all
}

// until returns until when the clock stands from a time on; zero if no pause lasts longer than at.
func (p Pauses) until(at time.Time) (until time.Time) {
	for _, t := range [...]time.Time{p.Vacation[0], p.Vacation[1], p.Adjourned} {
		if t.After(at) && t.After(until) {
			until = t
		}
	}
	return until
}

// withVacation returns the pauses after a vacation event: the player of a side is on vacation until a time, or not any more if it is zero.
func (p Pauses) withVacation(side games.Side, until, at time.Time) (Pauses, error) {
	switch {
	case until.IsZero() && !p.Vacation[side].After(at):
		return p, errors.New("the player is not on vacation")
	case !until.IsZero() && (!until.After(at) || until.After(at.Add(MaxVacation))):
		return p, fmt.Errorf("a vacation until %v", until)
	}
	p.Vacation[side] = until
	return p, nil
}

// adjourned returns the pauses after the consent to adjourn the match.
func (p Pauses) adjourned(at time.Time) Pauses {
	p.Adjourned = at.Add(MaxAdjourned)
	return p
}

// continued returns the pauses of a match that is not adjourned any more. The error is ErrNotAdjourned if it wasn't.
func (p Pauses) continued() (Pauses, error) {
	if p.Adjourned.IsZero() {
		return p, ErrNotAdjourned
	}
	p.Adjourned = time.Time{}
	return p, nil
}

// StandsUntil returns until when pauses make the clock of the match stand; a time that is past, or zero, if it runs.
func (s *Summary) StandsUntil() time.Time { return s.Pauses.until(time.Time{}) }

// MayStand reports whether the clock of the match may stand for a vacation: it counts days, both seats are taken, not by one user, and the match
// belongs to no tournament.
func (s *Summary) MayStand() bool {
	return s.Clock.Setting.Kind == clock.Correspondence && !s.Started.IsZero() && !SameUser(s.Seats) && !s.InTournament()
}

// MayWait reports whether the match may be adjourned while its player is called away: a casual match of one player or guest against a computer
// player of the club, with a clock that doesn't count days.
func (s *Summary) MayWait() bool {
	return s.Ticks() && !s.Rated && s.HasBot() && !s.Exhibition() && !s.InTournament()
}

// mayBeAdjourned reports whether both sides can agree to adjourn the match.
func (s *Summary) mayBeAdjourned() bool { return s.MayStand() && !s.HasBot() }

// pause replaces the pauses of the match from a time on.
func (s *State) pause(at time.Time, p Pauses) error {
	c, ok := s.Clock.Stand(at, p.until(at))
	if !ok {
		return ErrTimeUp
	}
	s.Clock, s.Pauses = c, p
	return nil
}

// vacation applies a vacation event.
func (s *State) vacation(e matches.Event) error {
	side, m := e.Seat.Side(), s.Summary()
	switch {
	case !m.MayStand():
		return errors.New("its clocks don't stand")
	case !s.Seats[side].Kind.HasAccount():
		return errors.New("only players with an account have vacations")
	}
	p, err := s.Pauses.withVacation(side, e.Until, e.At)
	if err != nil {
		return err
	}
	return s.pause(e.At, p)
}

// goOn applies a continued event.
func (s *State) goOn(e matches.Event) error {
	p, err := s.Pauses.continued()
	if err != nil {
		return err
	}
	s.ContinuedBy = e.Seat
	return s.pause(e.At, p)
}

// Vacation makes the clock of a match stand until a time because a player is on vacation; the zero time, or one that is past, ends that. It has no
// effect if the match knows that already, if its clock can't stand, or if the player has no account.
func Vacation(u User, until, now time.Time) Act {
	return func(s *State) ([]matches.Event, error) {
		seat, err := s.playing(u)
		if err != nil {
			return nil, err
		}
		if m := s.Summary(); !m.MayStand() || !s.Seats[seat.Side()].Kind.HasAccount() {
			return nil, nil
		}
		known := s.Pauses.Vacation[seat.Side()]
		if now = moment(now); now.Before(s.LastAt) {
			now = s.LastAt
		}
		if until = moment(until); !until.After(now) {
			until = time.Time{}
		}
		if until.Equal(known) || until.IsZero() && !known.After(now) {
			return nil, nil
		}
		return []matches.Event{{Kind: matches.Vacation, Seat: seat, Until: until}}, nil
	}
}

// mayAdjourn is may for Adjourn, which also agrees to an offer.
func (s *State) mayAdjourn(seat storage.Seat) error {
	switch m := s.Summary(); {
	case s.Offers.Adjourn == storage.SeatOf(seat.Side().Other()):
		return nil
	case !m.mayBeAdjourned():
		return ErrNoAdjourn
	case s.Made() < 2:
		return ErrAdjournEarly
	}
	return s.mayOffer(seat, matches.OfferAdjourn)
}

// Adjourn asks the other side to adjourn the match, or agrees if it has asked. An adjourned match is adjourned anew.
func Adjourn(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		if err := s.may(u, AdjournAct, 0); err != nil {
			return refuse(err)
		}
		seat, _ := s.seatOf(u)
		if s.Offers.Adjourn == storage.SeatOf(seat.Side().Other()) {
			return []matches.Event{{Kind: matches.Answered, Seat: seat, Offer: matches.OfferAdjourn, Yes: true}}, nil
		}
		return []matches.Event{{Kind: matches.Offered, Seat: seat, Offer: matches.OfferAdjourn}}, nil
	}
}

// Continue goes on with an adjourned match: its clock runs again, unless a player is on vacation.
func Continue(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		if err := s.may(u, ContinueAct, 0); err != nil {
			return nil, err
		}
		seat, _ := s.seatOf(u)
		return []matches.Event{{Kind: matches.Continued, Seat: seat}}, nil
	}
}

// Wait adjourns a practice match for a user who is called away from it: its clock stands until their next move. It has no effect on a match that may
// not wait, on one that waits already, and when a time is up.
func Wait(u User, now time.Time) Act {
	return func(s *State) ([]matches.Event, error) {
		seat, err := s.playing(u)
		if m := s.Summary(); err != nil || !m.MayWait() || s.Clock.StandsAt(now) || s.Clock.Expired(now) || s.Offers.Adjourn != storage.Nobody {
			return nil, err
		}
		return []matches.Event{
			{Kind: matches.Offered, Seat: seat, Offer: matches.OfferAdjourn},
			{Kind: matches.Answered, Seat: storage.SeatOf(seat.Side().Other()), Offer: matches.OfferAdjourn, Yes: true},
		}, nil
	}
}
