package tournaments

import (
	"ludoteca/lobby/match"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
)

// A Ref names a tournament. Code is empty unless the user has given it or may know it.
type Ref struct {
	ID   storage.TournamentID
	Code string
}

// A View is a tournament at one moment. It is never changed.
type View struct {
	*state.State
	Number uint64 // for Reader.Next
}

// Ref returns the name of the tournament.
func (v *View) Ref() Ref { return Ref{v.ID, v.Settings.Code} }

// Lists reports whether lists show the tournament to a user: it is public, or the user has announced or entered it.
func (v *View) Lists(u match.User) bool {
	return !v.Settings.Private || u.Is(v.Settings.By) || v.Entrants.Find(u.Occupant()) != nil
}

// A Listing is all tournaments that are open or running at one moment, in the order in which they begin. It is never changed.
type Listing struct {
	Number uint64 // for Reader.List
	All    []*View
}

// Seen returns the tournaments that lists show to a user.
func (l *Listing) Seen(u match.User) (seen []*View) {
	for _, v := range l.All {
		if v.Lists(u) {
			seen = append(seen, v)
		}
	}
	return seen
}

// A Part is the part of a user in a tournament that is open or running.
type Part struct {
	View    *View
	Entrant *state.Entrant
	Playing *state.Pairing // the match of the user that goes on; nil: none
}

// Parts returns the tournaments in which a user takes part.
func (l *Listing) Parts(u match.User) (parts []Part) {
	for _, v := range l.All {
		if e := v.Entrants.Find(u.Occupant()); e != nil && e.In() {
			parts = append(parts, Part{v, e, e.Playing()})
		}
	}
	return parts
}
