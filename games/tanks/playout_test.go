package tanks

import (
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
		p, err := New().New(options(size))
		if err != nil {
			t.Fatal(err)
		}
		replay(t, p, 12000/size/size)
	}
	for _, text := range duels {
		replay(t, parse(t, text), 200)
	}
}

func replay(t *testing.T, p games.Position, times int) {
	t.Helper()
	for seed := range uint64(times) {
		fast, slow := p.State(), p.State().(*State)
		limit := int(seed % 5 * 12) // 0 is no limit
		plies := fast.Playout(games.NewRandom(seed), limit)
		r, n := games.NewRandom(seed), 0
		for !slow.Result().Over && (limit == 0 || n < limit) {
			if from, to, legal := slow.try(r.N(slow.tries())); legal {
				slow.Play(code(from, to))
				n++
			}
		}
		if got, want := fast.Position().String(), slow.Position().String(); got != want || plies != n {
			t.Fatalf("%s, seed %d: %d plies to %s\nwant %d plies to %s", p, seed, plies, got, n, want)
		}
		if got, want := fast.Result(), slow.Result(); got != want {
			t.Fatalf("%s, seed %d: %+v, want %+v", p, seed, got, want)
		}
	}
}

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
			s, p, r := parse(t, text).State().(*State), games.Position(parse(t, text)), games.NewRandom(seed)
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
		p := parse(t, text)
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

func TestPlayoutAllocates(t *testing.T) {
	p, err := New().New(options(8))
	if err != nil {
		t.Fatal(err)
	}
	start, s, r := p.State(), p.State(), games.NewRandom(1)
	if n := testing.AllocsPerRun(100, func() {
		s.Set(start)
		s.Playout(r, 0)
	}); n != 0 {
		t.Errorf("a playout allocates %v times", n)
	}
}

func BenchmarkPlayout(b *testing.B) { gamestest.Playouts(b, New(), options(8)) }

func BenchmarkPlayoutLarge(b *testing.B) { gamestest.Playouts(b, New(), options(26)) }
