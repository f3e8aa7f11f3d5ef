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

// add takes in that a session of a user comes to a board. elsewhere reports whether it is on another node.
func (b *boards) add(id storage.MatchID, u match.User, elsewhere bool) {
	if b.all[id] == nil {
		b.all[id] = new(audience)
	}
	b.all[id].add(u)
	if elsewhere {
		b.elsewhere[id]++
	}
}

// remove takes in that a session of a user leaves a board.
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

// spectators returns who looks at a board besides the users in the seats, of whom there are at the board.
func (b *boards) spectators(id storage.MatchID, seats [2]storage.Occupant, there int) atboard.Spectators {
	a := b.all[id]
	if a == nil {
		return atboard.Spectators{}
	}
	return a.without(seats, there)
}

// keys returns who looks at a board.
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
