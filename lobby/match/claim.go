package match

import (
	"errors"
	"fmt"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # Claims
//
// A player whose opponent has gone may claim the win or a draw, or go on waiting; a match never ends so without a claim. Both sides must have
// moved, and the time of the claiming player must not be up.
//
//	clock           may be claimed
//	Fischer         when the opponent has been without a connection for leftGrace, or for droppedGrace if the line died; longFactor
//	                times as long in a long game
//	correspondence  never: the clock decides
//	none            when it has been the opponent's turn, and nothing has happened, for silence, and the opponent isn't at the board
//
// The presence of players is not in the log. So the match checks it, and the event says since when the opponent had been gone, and how they
// went. The fold checks that this was long enough.
const (
	leftGrace    = 20 * time.Second
	droppedGrace = time.Minute
	longFactor   = 3
	silence      = 3 * clock.Day
)

// longGame is the least time for 40 moves of one side of a long game with a Fischer clock.
const longGame = 15 * time.Minute

// grace returns how long an opponent must have been gone. ok is false if only the clock decides.
func grace(c clock.Setting, dropped bool) (d time.Duration, ok bool) {
	switch c.Kind {
	case clock.None:
		return silence, true
	case clock.Correspondence:
		return 0, false
	}
	d = leftGrace
	if dropped {
		d = droppedGrace
	}
	if c.Base+40*c.Increment >= longGame {
		d *= longFactor
	}
	return d, true
}

// ClaimAt returns from when on a user may claim the match if the opponent stays away and nothing else happens: zero for never. Without a clock
// that is some time after the last event. downtime is how long the program was down since then; it doesn't count.
func (s *Summary) ClaimAt(u User, presence [2]atboard.Presence, downtime time.Duration) time.Time {
	at, _, _ := s.claimAt(u, presence, downtime)
	return at
}

// claimAt returns ClaimAt and the absence of the opponent, or why a claim is not possible.
func (s *Summary) claimAt(u User, presence [2]atboard.Presence, downtime time.Duration) (at time.Time, absence matches.Absence, err error) {
	side, seated := s.Side(u)
	other := presence[side.Other()]
	wait, ok := grace(s.Clock.Setting, other.Dropped)
	switch {
	case !seated:
		return at, absence, ErrNotSeated
	case s.Started.IsZero():
		return at, absence, ErrNotStarted
	case !ok, s.Made() < 2, s.HasBot(), SameUser(s.Seats):
		return at, absence, ErrNoClaim
	case s.Clock.Setting.Kind == clock.None && (s.Turn == side || other.Near == atboard.Here):
		return at, absence, ErrNoClaim
	case s.Clock.Setting.Kind == clock.None:
		absence.Since = s.LastAt.Add(max(downtime, 0))
	case other.Near != atboard.Gone:
		return at, absence, ErrNoClaim
	default:
		absence = matches.Absence{Since: other.Since, Dropped: other.Dropped}
		if absence.Since.Before(s.Started) {
			absence.Since = s.Started
		}
	}
	absence.Since = moment(absence.Since)
	return absence.Since.Add(wait), absence, nil
}

// A ClaimEarlyError is an ErrClaimEarly that says how long a player must still wait for the opponent.
type ClaimEarlyError struct {
	Wait time.Duration // positive
}

func (e *ClaimEarlyError) Error() string {
	return fmt.Sprintf("%v: wait %v", ErrClaimEarly, e.Wait.Round(time.Second))
}

// Unwrap returns ErrClaimEarly.
func (e *ClaimEarlyError) Unwrap() error { return ErrClaimEarly }

// Claim ends a match after the opponent has been gone for long enough: as a draw if draw is true, else as a win. look returns how near both
// sides are, the downtime for ClaimAt, and the time. The match calls it when it does the act, so a return of the opponent comes either before
// the claim or after it.
func Claim(u User, draw bool, look func() (presence [2]atboard.Presence, downtime time.Duration, now time.Time)) Act {
	return func(s *State) ([]matches.Event, error) {
		if s.Over() {
			return nil, ErrOver
		}
		presence, downtime, now := look()
		summary := s.Summary()
		absence, err := summary.mayClaim(u, presence, downtime, now)
		if err != nil {
			return nil, err
		}
		side, _ := summary.Side(u)
		result := side.String()
		if draw {
			result = games.Drawn("").String()
		}
		return []matches.Event{{Kind: matches.Claimed, Seat: storage.SeatOf(side), Result: result, Absence: absence}}, nil
	}
}

// mayClaim returns the absence of the opponent of a user who may claim an unfinished match at a time, or why the user may not.
func (s *Summary) mayClaim(u User, presence [2]atboard.Presence, downtime time.Duration, now time.Time) (matches.Absence, error) {
	at, absence, err := s.claimAt(u, presence, downtime)
	if err == nil && now.Before(at) {
		err = &ClaimEarlyError{at.Sub(now)}
	}
	return absence, err
}

// claim applies a claimed event.
func (s *State) claim(e matches.Event) error {
	if s.recorded { // the record doesn't say how long the other side was gone
		s.closing = e
		return nil
	}
	wait, ok := grace(s.Clock.Setting, e.Absence.Dropped)
	silent := s.Clock.Setting.Kind == clock.None
	switch {
	case e.Result != e.Seat.Side().String() && e.Result != games.Drawn("").String():
		return fmt.Errorf("the result %q can't be claimed", e.Result)
	case !ok, s.Made() < 2, s.HasBot(), s.hotseat():
		return errors.New("the match can't be claimed")
	case e.Absence.Since.Before(s.Started), silent && (e.Absence.Since.Before(s.LastAt) || e.Seat.Side() == s.Turn()):
		return errors.New("the other side was not gone")
	case e.At.Before(e.Absence.Since.Add(wait)):
		return fmt.Errorf("the other side was gone since %v", e.Absence.Since)
	case e.Seat.Side() == s.Turn() && s.Clock.Expired(e.At):
		return ErrTimeUp
	}
	s.closing = e
	return nil
}
