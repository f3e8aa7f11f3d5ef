package fourmation

import (
	"slices"
	"testing"

	"ludoteca/games"
)

// TestTemptingSetsTraps looks at positions in which several moves are safe: the chosen moves must leave more ways to lose than
// safe moves do on average.
func TestTemptingSetsTraps(t *testing.T) {
	r := games.NewRandom(4)
	known := map[bookPosition]int{}
	chosen, average, positions := 0.0, 0.0, 0
	for positions < 40 {
		s, running := wander(5, 5, 4, 12+r.N(3), r)
		if !running || minimax(s, known) != 0 {
			continue
		}
		a := newAdvisor(s, 1<<20, unstopped)
		safe, _ := a.sort(true, a.most)
		if len(safe) < 2 {
			continue
		}
		positions++
		moves := a.tempting(safe, 1<<18)
		if len(moves) == 0 {
			t.Fatalf("%s: no move of %v", s.Clone().Freeze(), safe)
		}
		for _, c := range moves {
			if !slices.Contains(safe, c) {
				t.Errorf("%s: %s is not safe", s.Clone().Freeze(), s.Move(codeOf(c)))
			}
			chosen += traps(s, c, known) / float64(len(moves))
		}
		for _, c := range safe {
			average += traps(s, c, known) / float64(len(safe))
		}
	}
	if chosen < 1.5*average {
		t.Errorf("of the replies to the moves chosen %.1f %% lose, to safe moves on average %.1f %%",
			100*chosen/float64(positions), 100*average/float64(positions))
	}
}

// traps returns the share of the replies to a move that lose.
func traps(s *State, c int, known map[bookPosition]int) float64 {
	s.Play(codeOf(c))
	defer s.Undo()
	replies := s.Moves(nil)
	lost := 0
	for _, reply := range replies {
		if valueAfter(s, reply, known) < 0 {
			lost++
		}
	}
	return float64(lost) / float64(max(len(replies), 1))
}

// TestCarefulPlayout plays from positions in which the winner is certain: after each move there is nothing but the line.
func TestCarefulPlayout(t *testing.T) {
	tests := []struct {
		name  string
		moves []games.Move
		want  bool
	}{
		{"a line to close", []games.Move{"a3", "a4", "b3", "b4", "c3", "c4"}, true},
		{"nothing but losing moves", []games.Move{"b4", "c5", "d4", "c3", "c4"}, false},
	}
	for _, tt := range tests {
		s := start(7, 7, 4)
		for _, m := range tt.moves {
			c, err := s.Code(m)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			s.Play(c)
		}
		for seed := range uint64(20) {
			a := newAdvisor(s, 1_000, unstopped)
			if got := a.playout(a.own, a.other, a.reach, games.NewRandom(seed)); got != tt.want {
				t.Errorf("%s: the side to move wins: %v", tt.name, got)
			}
		}
	}
}

// TestTemptingIsBounded gives little to look at.
func TestTemptingIsBounded(t *testing.T) {
	r := games.NewRandom(9)
	for _, nodes := range []int{0, 1, 100, 1_000, 10_000, 50_000} {
		for range 20 {
			s, running := wander(7, 7, 4, 9, r)
			if !running {
				continue
			}
			a := newAdvisor(s, 1<<20, unstopped)
			moves := a.tempting(a.moves, nodes)
			if a.nodes > nodes+8*8*8 {
				t.Errorf("%s: looked at %d positions, with %d allowed", s.Clone().Freeze(), a.nodes, nodes)
			}
			if nodes == 0 && len(moves) != len(a.moves) {
				t.Errorf("%s: %v of %v without a look at any", s.Clone().Freeze(), moves, a.moves)
			}
		}
	}
}

// TestTemptingStops has stop say true at once.
func TestTemptingStops(t *testing.T) {
	s := start(7, 7, 4)
	for _, m := range []games.Move{"d4", "e5", "d6", "c5"} {
		c, _ := s.Code(m)
		s.Play(c)
	}
	a := newAdvisor(s, 1<<30, func() bool { return true })
	a.tempting(a.moves, 1<<30)
	if a.nodes > pollPositions+8*8*8 {
		t.Errorf("looked at %d positions", a.nodes)
	}
}
