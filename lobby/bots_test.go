package lobby

import (
	"testing"

	"ludoteca/games"
	"ludoteca/storage"
)

// TestDespair: a computer player resigns a loss that it has seen on two of its turns in a row. What it knew at a turn that has
// been taken back since, or at one long ago, says nothing.
func TestDespair(t *testing.T) {
	known := loss{ply: 20, plies: 30} // after its reply, the 20th move
	for _, tt := range []struct {
		name  string
		moves int
		d     Decision
		want  bool
	}{
		{"the other side follows the way", 21, Decision{Proven: true, Plies: -28}, true},
		{"the other side has lost time", 21, Decision{Proven: true, Plies: -30}, false},
		{"believed, not proven", 21, Decision{Plies: -28}, false},
		{"the end is near", 21, Decision{Proven: true, Plies: -6}, false},
		{"a turn taken back", 19, Decision{Proven: true, Plies: -28}, false},
		{"more taken back", 17, Decision{Proven: true, Plies: -28}, false},
		{"a turn between them", 23, Decision{Proven: true, Plies: -26}, false},
	} {
		m := &match{lost: known}
		m.state.opening, m.state.moves = &storage.Opening{}, make([]games.Move, tt.moves)
		if got := m.despairs(tt.d); got != tt.want {
			t.Errorf("%s: resigns %v, want %v", tt.name, got, tt.want)
		}
	}
	first := &match{}
	first.state.opening, first.state.moves = &storage.Opening{}, make([]games.Move, 21)
	if first.despairs(Decision{Proven: true, Plies: -28}) {
		t.Error("it resigns the first time that it sees the loss")
	}
}
