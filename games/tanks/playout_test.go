package tanks

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestPlayout plays every playout a second time with the plain rules and the same numbers: tries are drawn one after the
// other, and those that are legal moves are played.
func TestPlayout(t *testing.T) {
	for _, size := range []int{6, 8, 12, 26} {
		gamestest.SamePlayouts(t, kit.Start(t, fmt.Sprintf("size=%d", size)), 12000/size/size, byTries)
	}
	for _, text := range duels {
		gamestest.SamePlayouts(t, kit.Parse(t, text), 200, byTries)
	}
}

var byTries = gamestest.Playing{Spare: 1, Draw: func(state games.State, r *games.Random) games.Code {
	for s := state.(*State); ; {
		if from, to, legal := s.try(r.N(s.tries())); legal {
			return code(from, to)
		}
	}
}}

// duels are set up so that tanks fall in most moves, the last one of a side in many games.
var duels = []string{
	"turn=bot size=6 ....../.m..../.t.M../.D..d./...T../......",
	"turn=top size=6 ....../..d.../..M.../..t.../..D.../......",
	"turn=bot size=8 ......../.tdmtdm./.tdmtdm./.tdmtdm./.TDMTDM./.TDMTDM./.TDMTDM./........",
}

// TestPlayoutOfDuels checks that a State that only ever plays on stays in order when tanks fall: its lists agree with its
// board, its moves with those of a Position, and the game ends when an army has no tank left.
func TestPlayoutOfDuels(t *testing.T) {
	ended := map[string]int{}
	for _, text := range duels {
		for seed := range uint64(60) {
			s, p, r := kit.Parse(t, text).State().(*State), games.Position(kit.Parse(t, text)), games.NewRandom(seed)
			for !p.Result().Over {
				before := s.Position().String()
				if s.Playout(r, 1); s.Result().Over {
					ended[s.Result().Reason]++
				}
				inOrder(t, s)
				p = next(t, p, s.Position().String())
				if got, want := s.Position().(*Position).Legal(), p.Legal(); !slices.Equal(got, want) {
					t.Fatalf("after %s: %s has the moves %v, want %v", before, p, got, want)
				}
			}
		}
	}
	if ended[reasonNoPieces] == 0 || ended[reasonBreakthrough] == 0 {
		t.Errorf("the games ended by %v", ended)
	}
}

// inOrder checks that the lists of both armies and the board agree, and that the kinds lie one after the other.
func inOrder(t *testing.T, s *State) {
	t.Helper()
	standing := 0
	for _, what := range s.board {
		if what != empty && what != wall {
			standing++
		}
	}
	listed := 0
	for side := range s.armies {
		a := &s.armies[side]
		for i, tank := range a.list[:a.tanks()] {
			k := tank.kind()
			first := uint(0)
			if k > Heavy {
				first = a.upTo[k-1]
			}
			if s.board[tank.cell()] != tankOf(games.Side(side))|content(i) || uint(i) < first || uint(i) >= a.upTo[k] {
				t.Fatalf("%s: tank %d of the %s side is out of order", s.Position(), i, games.Side(side))
			}
			listed++
		}
	}
	if standing != listed {
		t.Fatalf("%s: %d tanks on the board, %d in the lists", s.Position(), standing, listed)
	}
}

// next plays the move that leads from p to a board.
func next(t *testing.T, p games.Position, board string) games.Position {
	t.Helper()
	for _, m := range p.Legal() {
		q, err := p.Play(m)
		if err != nil {
			t.Fatal(err)
		}
		if q.String() == board {
			return q
		}
	}
	t.Fatalf("no move leads from %s to %s", p, board)
	return nil
}

// TestPlayoutIsUniform counts the second moves of playouts, which the fast loop draws, after a first move that leaves the
// same choice always. The bound is six standard deviations.
func TestPlayoutIsUniform(t *testing.T) {
	const each = 1000
	for _, text := range []string{
		"turn=bot size=6 m...../..mtd./.mmTdM/..TDM./....../M.....",
		"turn=bot size=6 mdttdm/mm.mmm/....../..D.../MMTMTM/MDTT.M",
	} {
		p := kit.Parse(t, text)
		c := p.s.Moves(nil)[0]
		after := p.State().(*State)
		after.Play(c)
		legal := after.Moves(nil)
		counts := map[State]int{}
		r := games.NewRandom(1)
		from, to := cells(c)
		for range each * len(legal) {
			s := p.State().(*State)
			s.run(from, to, 2, r)
			counts[*s]++
		}
		for _, c := range legal {
			second := after.Clone().(*State)
			second.Play(c)
			if n := counts[*second]; math.Abs(float64(n-each)) > 6*math.Sqrt(each) {
				t.Errorf("%s: %s was played %d times, want about %d", after.Position(), after.Move(c), n, each)
			}
		}
	}
}

func TestPlayoutAllocates(t *testing.T) { gamestest.PlayoutsAllocateNothing(t, kit.Start(t, "")) }

func BenchmarkPlayout(b *testing.B) { gamestest.Playouts(b, New(), options(8)) }

func BenchmarkPlayoutLarge(b *testing.B) { gamestest.Playouts(b, New(), options(26)) }
