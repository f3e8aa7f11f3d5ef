package registry

import (
	"fmt"
	"testing"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// TestKindsAreCounted: matches are counted by kind when they begin, get their second player and end.
func TestKindsAreCounted(t *testing.T) {
	d := newDirectory(func(storage.MatchID) bool { return false })
	person, bot := storage.Occupant{Kind: storage.Person, ID: "p"}, storage.Occupant{Kind: storage.Bot, ID: "b"}
	of := func(first, second storage.Occupant) *match.Summary {
		s := &match.Summary{Seats: [2]storage.Occupant{first, second}}
		if first.Kind != storage.Free && second.Kind != storage.Free {
			s.Started = time.Now()
		}
		return s
	}
	e := make([]*entry, 5)
	for i := range e {
		e[i] = &entry{id: storage.MatchID(fmt.Sprint(i))}
	}
	for _, tt := range []struct {
		name  string
		entry *entry
		now   *match.Summary // nil: it is over
		want  Kinds
	}{
		{"an offer", e[0], of(person, storage.Occupant{}), Kinds{Waiting: 1}},
		{"another one", e[1], of(storage.Occupant{}, person), Kinds{Waiting: 2}},
		{"a bot", e[2], of(bot, person), Kinds{Waiting: 2, Bots: 1}},
		{"an exhibition", e[3], of(bot, bot), Kinds{Waiting: 2, Bots: 1, Exhibitions: 1}},
		{"the offer is taken", e[0], of(person, person), Kinds{Waiting: 1, People: 1, Bots: 1, Exhibitions: 1}},
		{"a move", e[0], of(person, person), Kinds{Waiting: 1, People: 1, Bots: 1, Exhibitions: 1}},
		{"the other one is withdrawn", e[1], nil, Kinds{People: 1, Bots: 1, Exhibitions: 1}},
		{"the match ends", e[0], nil, Kinds{Bots: 1, Exhibitions: 1}},
		{"the exhibition ends", e[3], nil, Kinds{Bots: 1}},
		{"the bot's match ends", e[2], nil, Kinds{}},
		{"one that was never there ends", e[4], nil, Kinds{}},
	} {
		d.replace(tt.entry, tt.now)
		if matches, got := len(d.byID), d.kinds; got != tt.want || matches != got.Waiting+got.People+got.Bots+got.Exhibitions {
			t.Errorf("%s: %+v of %d matches, want %+v", tt.name, got, matches, tt.want)
		}
	}
}
