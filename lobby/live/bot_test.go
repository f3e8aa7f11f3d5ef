package live

import (
	"testing"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
	"ludoteca/storage/matches"
)

// TestResigns: a computer player resigns a loss that it has proven on two of its turns in a row. A loss proven at a turn that was
// taken back since, or at an earlier turn, doesn't count.
func TestResigns(t *testing.T) {
	known := provenLoss{ply: 20, plies: 30} // after its reply, the 20th move
	for _, tt := range []struct {
		name  string
		moves int
		d     thinking.Decision
		want  bool
	}{
		{"the other side follows the way", 21, thinking.Decision{Proven: true, Plies: -28}, true},
		{"the other side has lost time", 21, thinking.Decision{Proven: true, Plies: -30}, false},
		{"believed, not proven", 21, thinking.Decision{Plies: -28}, false},
		{"the end is near", 21, thinking.Decision{Proven: true, Plies: -6}, false},
		{"a turn taken back", 19, thinking.Decision{Proven: true, Plies: -28}, false},
		{"more taken back", 17, thinking.Decision{Proven: true, Plies: -28}, false},
		{"a turn between them", 23, thinking.Decision{Proven: true, Plies: -26}, false},
	} {
		s := match.State{Moves: make([]games.Move, tt.moves)}
		s.Opening = &matches.Opening{}
		if got := known.resigns(&s, tt.d); got != tt.want {
			t.Errorf("%s: resigns %v, want %v", tt.name, got, tt.want)
		}
	}
	s := match.State{Moves: make([]games.Move, 21)}
	s.Opening = &matches.Opening{}
	if (provenLoss{}).resigns(&s, thinking.Decision{Proven: true, Plies: -28}) {
		t.Error("it resigns on the first turn with a proven loss")
	}
}
