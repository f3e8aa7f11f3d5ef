package petteia

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestSlidesAreTheMoves compares the fills of whole sets with the list of moves in random positions, for both sides.
func TestSlidesAreTheMoves(t *testing.T) {
	r := games.NewRandom(7)
	for range 300 {
		s := begin(t)
		gamestest.PlayRandomly(s, r, r.N(120))
		var want [2]struct {
			reach set
			moves int
		}
		for side := range want {
			turned := &State{present: present{men: s.men, turn: games.Side(side)}, rules: s.rules}
			for _, c := range turned.Moves(nil) {
				want[side].reach = want[side].reach.with(only(steps[c].to))
				want[side].moves++
			}
		}
		got := want
		got[0].reach, got[1].reach, got[0].moves, got[1].moves = slides(s.men[0], s.men[1])
		if got != want {
			t.Fatalf("%s: the slides are %v, want %v", s.Clone().Freeze(), got, want)
		}
	}
}

// begin returns the start of a game with the usual options.
func begin(t *testing.T) *State {
	t.Helper()
	o, err := games.Complete(New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New().New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.State().(*State)
}
