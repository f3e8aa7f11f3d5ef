package fourmation

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestPlayout plays every playout a second time with the plain rules: the n-th of Moves, with the same numbers.
func TestPlayout(t *testing.T) {
	for _, o := range sets {
		t.Run(o.String(), func(t *testing.T) {
			p, err := New().New(o)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(200) {
				fast, slow := p.State(), p.State()
				limit := int(seed % 7 * 5) // 0 is no limit
				plies := fast.Playout(games.NewRandom(seed), limit)
				r, n := games.NewRandom(seed), 0
				for ; !slow.Result().Over && (limit == 0 || n < limit); n++ {
					moves := slow.Moves(nil)
					slow.Play(moves[r.N(len(moves))])
				}
				if got, want := fast.Position().String(), slow.Position().String(); got != want || plies != n {
					t.Fatalf("seed %d: %d plies to %s\nwant %d plies to %s", seed, plies, got, n, want)
				}
				if got, want := fast.Result(), slow.Result(); got != want {
					t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
				}
			}
		})
	}
}

func TestPlayoutAllocates(t *testing.T) {
	p, err := New().New(nil)
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

func BenchmarkPlayout(b *testing.B) { gamestest.Playouts(b, New(), options(7, 7, 4)) }

func BenchmarkPlayoutLarge(b *testing.B) { gamestest.Playouts(b, New(), options(16, 16, 4)) }
