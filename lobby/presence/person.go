package presence

import (
	"slices"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
)

// maxLastHere is the most boards in person.lastHere.
const maxLastHere = 100

// A person is a user who is connected. The lock of the registry guards it.
type person struct {
	user     match.User
	came     time.Time
	visits   []*Visit
	lastHere map[storage.MatchID]time.Time // when they left boards at which they no longer are
}

// wasHere records when a person was last at a board.
func (p *person) wasHere(board storage.MatchID, at time.Time) {
	if len(p.lastHere) >= maxLastHere {
		clear(p.lastHere)
	}
	if p.lastHere == nil {
		p.lastHere = make(map[storage.MatchID]time.Time)
	}
	p.lastHere[board] = at
}

// looksAt reports whether a person is at a board, with or without a key of late.
func (p *person) looksAt(board storage.MatchID) bool {
	return slices.ContainsFunc(p.visits, func(v *Visit) bool { return v.board == board })
}

// presence returns how near a person is to the board of a match.
func (p *person) presence(board storage.MatchID) atboard.Presence {
	for _, v := range p.visits {
		if v.board == board && !v.idle {
			return atboard.Presence{Near: atboard.Here}
		}
	}
	since, known := p.lastHere[board]
	if !known {
		since = p.came
	}
	return atboard.Presence{Near: atboard.Away, Since: since}
}
