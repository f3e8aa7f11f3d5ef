package presence

import (
	"cmp"
	"slices"

	"ludoteca/lobby/match"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
)

// An audience holds the users who look at one board, each once. It is sorted, so that the first names can be read without sorting.
type audience []*onlooker

// An onlooker is a user who looks at a board, in one session or more.
type onlooker struct {
	user     match.User
	sessions int
}

// find returns the index of a user, and whether they are in the audience.
func (a audience) find(u match.User) (at int, there bool) {
	return slices.BinarySearchFunc(a, u, func(o *onlooker, u match.User) int {
		return cmp.Or(-cmp.Compare(o.user.Kind, u.Kind), cmp.Compare(o.user.Name, u.Name), cmp.Compare(o.user.ID, u.ID)) // "player" before "guest"
	})
}

// add adds a session of a user.
func (a *audience) add(u match.User) {
	at, there := a.find(u)
	if !there {
		*a = slices.Insert(*a, at, &onlooker{user: u})
	}
	(*a)[at].sessions++
}

// remove removes a session of a user.
func (a *audience) remove(u match.User) {
	at, _ := a.find(u)
	if (*a)[at].sessions--; (*a)[at].sessions == 0 {
		*a = slices.Delete(*a, at, at+1)
	}
}

// without returns the number and the first names of the users besides the occupants of the seats. there is how many of the occupants are in the
// audience.
func (a audience) without(seats [2]storage.Occupant, there int) atboard.Spectators {
	others := atboard.Spectators{Count: len(a) - there}
	for _, o := range a {
		if len(others.Names) == atboard.MaxSpectatorNames {
			break
		}
		if !o.user.Is(seats[0]) && !o.user.Is(seats[1]) {
			others.Names = append(others.Names, o.user.Occupant())
		}
	}
	return others
}
