package registry

import (
	"ludoteca/lobby/limits"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// A Reservation reserves room for the matches that a user is about to begin.
type Reservation struct {
	Matches     int // in which the user sits
	Offers      int
	Exhibitions int
	Opened      int // new matches in the club
	Challenges  int // offers to one person

	To          match.Key // the user to challenge
	Unavailable bool      // the challenge or rematch is refused, because one of the two has blocked the other
}

// reservations are the reservations in force.
type reservations struct {
	byPerson    map[match.Key]Reservation
	challenging map[match.Key]int // number of reserved challenges to a person
	opening     int               // matches about to be opened
}

func newReservations() reservations {
	return reservations{byPerson: make(map[match.Key]Reservation), challenging: make(map[match.Key]int)}
}

// add adds n times a reservation to the reservations of a person, and returns their sum.
func (r *reservations) add(k match.Key, want Reservation, n int) (now Reservation) {
	r.opening += n * want.Opened
	now = r.byPerson[k]
	now.Matches += n * want.Matches
	now.Offers += n * want.Offers
	now.Exhibitions += n * want.Exhibitions
	now.Opened += n * want.Opened
	now.Challenges += n * want.Challenges
	if want.Challenges > 0 {
		if r.challenging[want.To] += n; r.challenging[want.To] == 0 {
			delete(r.challenging, want.To)
		}
	}
	if r.byPerson[k] = now; now == (Reservation{}) {
		delete(r.byPerson, k)
	}
	return now
}

// has returns the sum of a user's matches and reservations.
func (d *directory) has(u match.User) Reservation {
	k := u.Key()
	have := d.reserved.byPerson[k]
	have.Exhibitions += d.exhibitions[k]
	for _, e := range d.byPerson[k] {
		if _, seated := e.summary.Side(u); !seated {
			continue
		}
		have.Matches++
		if e.summary.Started.IsZero() {
			have.Offers++
		}
		if e.summary.OpenChallenge() {
			have.Challenges++
		}
	}
	return have
}

// mayBegin returns an error if have and want of a user together are above the limits. most is the most matches that the user may have.
func (d *directory) mayBegin(u match.User, have, want Reservation, most int, l *limits.Limits) error {
	if err := d.mayChallenge(u, have, want, l); err != nil {
		return err
	}
	if want.Matches > 0 && have.Matches+want.Matches > most ||
		want.Offers > 0 && have.Offers+want.Offers > l.OpenOffers ||
		want.Exhibitions > 0 && have.Exhibitions+want.Exhibitions > l.Exhibitions {
		return refusal.ErrTooMany
	}
	return nil
}

// mayChallenge returns an error if there are too many challenges by a user or to the other one, or if one of the two has blocked the other. The error
// for a block is the same as for too many challenges to a person, so that it doesn't reveal the block.
func (d *directory) mayChallenge(u match.User, have, want Reservation, l *limits.Limits) error {
	switch {
	case want.Challenges == 0 && want.Unavailable: // a rematch
		return refusal.ErrUnavailable
	case want.Challenges == 0:
		return nil
	}
	most := l.Challenges
	if u.Kind == storage.Guest {
		most = min(most, 1)
	}
	to := d.reserved.challenging[want.To]
	for _, e := range d.byPerson[want.To] {
		if s := e.summary; s.OpenChallenge() && match.KeyOf(s.Reserved) == want.To {
			if _, own := s.Side(u); own {
				return refusal.ErrChallenged
			}
			to++
		}
	}
	switch {
	case have.Challenges+want.Challenges > most:
		return refusal.ErrTooMany
	case want.Unavailable || to >= l.ChallengesTo:
		return refusal.ErrUnavailable
	}
	return nil
}
