package fourmation

import (
	"testing"

	"ludoteca/games"
)

// minimax returns what a position is worth to the side to move: 1, 0 or -1. It follows the rules of State alone, and
// remembers by the pieces and the previous move.
func minimax(s *State, known map[bookPosition]int) int {
	switch {
	case s.Reason == byLine:
		return -1
	case s.Reason == byNoMoves:
		return 0
	}
	key := bookPosition{s.cells(games.First), s.cells(games.Second), int(s.cell)}
	if v, ok := known[key]; ok {
		return v
	}
	best := -1
	for _, c := range s.Moves(nil) {
		s.Play(c)
		best = max(best, -minimax(s, known))
		s.Undo()
	}
	known[key] = best
	return best
}

// boards are boards that minimax can cope with from the given ply on.
var boards = []struct{ cols, rows, win, from int }{
	{3, 3, 3, 0}, {4, 3, 3, 1}, {3, 4, 4, 2}, {4, 4, 3, 4}, {4, 4, 4, 4}, {5, 4, 4, 9}, {5, 4, 5, 9}, {3, 6, 5, 6},
	{5, 5, 4, 13}, {5, 5, 3, 13}, {6, 4, 4, 12}, {8, 3, 4, 13}, {8, 8, 4, 52}, {7, 7, 4, 36},
}

// wander returns the position after plies random moves, or false if the game is over by then.
func wander(cols, rows, win, plies int, r *games.Random) (s *State, running bool) {
	s = start(cols, rows, win)
	for range plies {
		moves := s.Moves(nil)
		if len(moves) == 0 {
			return s, false
		}
		s.Play(moves[r.N(len(moves))])
	}
	return s, s.Running()
}

// TestAttack compares both questions about random positions with minimax.
func TestAttack(t *testing.T) {
	for _, b := range boards {
		r := games.NewRandom(5)
		known := map[bookPosition]int{}
		asked := [3]int{}
		for tries := 0; tries < 20_000 && asked[0]+asked[1]+asked[2] < 16; tries++ {
			s, ok := wander(b.cols, b.rows, b.win, max(1, b.from+r.N(4)), r)
			if !ok {
				continue
			}
			want := minimax(s, known)
			asked[want+1]++
			a := newAdvisor(s, 1<<30, unstopped)
			if got := a.attack(a.own, a.other, a.reach, true); (got == succeeds) != (want == 1) || got == unknown {
				t.Fatalf("%s: the attack of the side to move: %d, but the position is worth %d", s.Clone().Freeze(), got, want)
			}
			if got := a.attack(a.own, a.other, a.reach, false); (got == succeeds) != (want == -1) || got == unknown {
				t.Fatalf("%s: the attack of the other side: %d, but the position is worth %d", s.Clone().Freeze(), got, want)
			}
		}
		t.Log(b, asked, len(known))
	}
}

func unstopped() bool { return false }

// TestOutlook compares what Attack returns for random positions with minimax: a decided outlook is right, and the moves that Attack
// appends keep it.
func TestOutlook(t *testing.T) {
	for _, b := range boards {
		r := games.NewRandom(6)
		known := map[bookPosition]int{}
		seen := map[games.Outlook]int{}
		for tries := 0; tries < 20_000 && (tries < 200 || seen[games.Forced]+seen[games.Held]+seen[games.Open] < 32); tries++ {
			s, ok := wander(b.cols, b.rows, b.win, max(1, b.from+r.N(4)), r)
			if !ok {
				continue
			}
			worth := minimax(s, known)
			for _, attacker := range [...]games.Side{games.First, games.Second} {
				attacking := attacker == s.turn
				codes, _, outlook := s.Search().(games.Attacked).Attack(attacker, nil)
				seen[outlook]++
				succeeds := attacking && worth == 1 || !attacking && worth == -1
				if outlook == games.Forced && !succeeds || outlook == games.Held && succeeds {
					t.Errorf("%s: outlook %d for %s, but the position is worth %d to the side to move", s.Clone().Freeze(), outlook, attacker, worth)
				}
				has := attacking == succeeds // the side to move has what it wants
				keeps := false
				for _, c := range codes {
					s.Play(c)
					after := -minimax(s, known)
					s.Undo()
					keep := after == 1 || !attacking && after == 0
					if keeps = keeps || keep; outlook != games.Open && has && !keep {
						t.Errorf("%s: outlook %d for %s, but %s gives it away", s.Clone().Freeze(), outlook, attacker, s.Move(c))
					}
				}
				if has && !keeps {
					t.Errorf("%s: outlook %d for %s, but none of %v keeps it", s.Clone().Freeze(), outlook, attacker, codes)
				}
			}
		}
		t.Log(b, seen)
	}
}

// TestAttackKeys plays random games and asks of positions that share a key whether they have the same answer.
func TestAttackKeys(t *testing.T) {
	type asked struct {
		key      uint64
		attacker games.Side
	}
	shared := 0
	for _, b := range boards {
		r := games.NewRandom(7)
		known := map[bookPosition]int{}
		answers := map[asked]bool{}
		positions := map[asked]bookPosition{}
		for range 400 {
			s, ok := wander(b.cols, b.rows, b.win, max(1, b.from+r.N(4)), r)
			if !ok {
				continue
			}
			worth := minimax(s, known)
			for _, attacker := range [...]games.Side{games.First, games.Second} {
				_, key, outlook := s.Search().(games.Attacked).Attack(attacker, nil)
				if outlook != games.Open {
					continue
				}
				succeeds := attacker == s.turn && worth == 1 || attacker != s.turn && worth == -1
				a, here := asked{key, attacker}, bookPosition{s.cells(games.First), s.cells(games.Second), int(s.cell)}
				if before, ok := answers[a]; ok && before != succeeds {
					t.Fatalf("%s: the attack of %s succeeds: %t, of a position with the same key %t", s.Clone().Freeze(), attacker, succeeds, before)
				}
				if before, ok := positions[a]; ok && before != here {
					shared++
				}
				answers[a], positions[a] = succeeds, here
			}
		}
	}
	if shared == 0 {
		t.Error("no two positions shared a key")
	}
	t.Log(shared, "positions shared keys")
}
