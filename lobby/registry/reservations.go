package registry

import (
	"ludoteca/lobby/limits"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// A Reservation says what a person is about to begin: its room is reserved.
type Reservation struct {
	Matches     int // that the person sits in
	Offers      int
	Exhibitions int
	Opened      int // matches that the club has more of then
	Challenges  int // offers to one person

	To          match.Key // whom a challenge is for
	Unavailable bool      // the challenge or rematch is refused: a block is between the two
}

// reservations says what people are about to begin.
type reservations struct {
	byPerson    map[match.Key]Reservation
	challenging map[match.Key]int // how many people are about to challenge a person
	opening     int               // matches about to be opened
}

func newReservations() reservations {
	return reservations{byPerson: make(map[match.Key]Reservation), challenging: make(map[match.Key]int)}
}

// add adds n times a reservation to what a person is about to begin, and returns what that is then.
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

// has returns what a user has, and is about to begin.
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

// mayBegin refuses what a user has too much of already, who may have most matches.
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

// mayChallenge refuses a challenge when there are enough already: by the same person, or to the same one. What a block of people
// forbids is refused in the same place and with the same error as a challenge to a person who has enough.
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
