package presence

import (
	"ludoteca/lobby/match"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
)

// boards knows who looks at the board of each match. The lock of the registry guards it.
type boards struct {
	all       map[storage.MatchID]*audience
	elsewhere map[storage.MatchID]int // how many sessions on other nodes are at each board
}

func newBoards() boards {
	return boards{all: make(map[storage.MatchID]*audience), elsewhere: make(map[storage.MatchID]int)}
}

// add adds a session of a user to a board. elsewhere reports whether the session is on another node.
func (b *boards) add(id storage.MatchID, u match.User, elsewhere bool) {
	if b.all[id] == nil {
		b.all[id] = new(audience)
	}
	b.all[id].add(u)
	if elsewhere {
		b.elsewhere[id]++
	}
}

// remove removes a session of a user from a board.
func (b *boards) remove(id storage.MatchID, u match.User, elsewhere bool) {
	a := b.all[id]
	if a.remove(u); len(*a) == 0 {
		delete(b.all, id)
	}
	if elsewhere {
		if b.elsewhere[id]--; b.elsewhere[id] == 0 {
			delete(b.elsewhere, id)
		}
	}
}

// rename gives a session at a board another name.
func (b *boards) rename(id storage.MatchID, u, renamed match.User) {
	if a := b.all[id]; a != nil {
		a.remove(u)
		a.add(renamed)
	}
}

// spectators returns the users who look at a board besides the occupants of the seats. there is how many of the occupants look at it.
func (b *boards) spectators(id storage.MatchID, seats [2]storage.Occupant, there int) atboard.Spectators {
	a := b.all[id]
	if a == nil {
		return atboard.Spectators{}
	}
	return a.without(seats, there)
}

// keys returns the users who look at a board.
func (b *boards) keys(id storage.MatchID) (there []match.Key) {
	a := b.all[id]
	if a == nil {
		return nil
	}
	for _, o := range *a {
		there = append(there, o.user.Key())
	}
	return there
}
