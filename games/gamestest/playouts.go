package gamestest

import (
	"math"
	"testing"

	"ludoteca/games"
)

// A Playing is how the playouts of a game draw their moves, in the plain way.
type Playing struct {
	// Draw returns the next move, drawn with the same numbers.
	Draw func(s games.State, r *games.Random) games.Code

	Spare int // how many numbers a playout draws beyond those for its moves
	Most  int // plies of the longest playout that is compared; 0: it ends by itself
}

// SamePlayouts plays playouts from a position, half of them cut short, and each once more in the plain way.
func SamePlayouts(t *testing.T, p games.Position, seeds int, by Playing) {
	t.Helper()
	for seed := range uint64(seeds) {
		limit := by.Most
		if seed%2 == 1 {
			limit = 1 + int(seed%34)
		}
		fast, r := p.State(), games.NewRandom(seed)
		plies := fast.Playout(r, limit)
		slow, plain, n := p.State(), games.NewRandom(seed), 0
		for ; !slow.Result().Over && (limit == 0 || n < limit); n++ {
			slow.Play(by.Draw(slow, plain))
		}
		if got, want := fast.Position().String(), slow.Position().String(); got != want || plies != n {
			t.Fatalf("%s, seed %d: %d plies to %s\nwant %d plies to %s", p, seed, plies, got, n, want)
		}
		if got, want := fast.Result(), slow.Result(); got != want {
			t.Fatalf("%s, seed %d: the result is %+v, want %+v", p, seed, got, want)
		}
		for range by.Spare {
			plain.Uint64()
		}
		if *r != *plain {
			t.Fatalf("%s, seed %d: a playout of %d plies has drawn another number of times", p, seed, plies)
		}
	}
}

// PlayoutsAllocateNothing checks that a State whose buffers have grown plays without allocating, and that a limit is kept.
func PlayoutsAllocateNothing(t *testing.T, p games.Position) {
	t.Helper()
	start, s := p.State(), p.State()
	if n := s.Playout(games.NewRandom(1), 3); n != 3 || s.Result().Over {
		t.Errorf("%s: a playout limited to 3 plies played %d", p, n)
	}
	r := games.NewRandom(0)
	run := func() {
		*r = *games.NewRandom(5)
		s.Set(start)
		if s.Playout(r, 10_000) == 0 {
			t.Errorf("%s: a playout played nothing", p)
		}
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%s: a playout allocates %v times", p, n)
	}
}

// A Mean is how many plies random games last on average, as the rule sheet has it from another engine.
type Mean = struct {
	Options games.Options
	Plies   float64
}

// MeanLengths compares the lengths of 2,000 random games for each of the options. within is how far a mean may be off, as
// a share of it.
func MeanLengths(t *testing.T, g games.Game, within float64, means []Mean) {
	t.Helper()
	const played = 2000
	r := games.NewRandom(1)
	for _, m := range means {
		p, err := g.New(m.Options)
		if err != nil {
			t.Fatal(err)
		}
		start, s, plies := p.State(), p.State(), 0
		for range played {
			s.Set(start)
			plies += s.Playout(r, 0)
		}
		if mean := float64(plies) / played; math.Abs(mean-m.Plies) > within*m.Plies {
			t.Errorf("%v: %.1f plies on average, want about %.1f", m.Options, mean, m.Plies)
		}
	}
}

// GreedyWins returns how many of so many games the greedy player wins against the random one, as either side.
func GreedyWins(t *testing.T, g games.Game, played int) (wins [2]int) {
	t.Helper()
	for side := range wins {
		for seed := range uint64(played) {
			if r := duel(t, g, games.Side(side), games.NewRandom(seed)); !r.Draw && int(r.Winner) == side {
				wins[side]++
			}
		}
	}
	t.Logf("greedy wins %d and %d of %d games", wins[0], wins[1], played)
	return wins
}

// duel plays greedy as side against random.
func duel(t *testing.T, g games.Game, side games.Side, r *games.Random) games.Result {
	t.Helper()
	p, err := begin(g)
	if err != nil {
		t.Fatal(err)
	}
	for !p.Result().Over {
		var moves []games.Move
		if u, few := p.(games.Uniform); p.Turn() == side {
			moves = p.(games.Greedy).Greedy()
		} else if few {
			moves = u.Uniform()
		} else {
			moves = p.Legal()
		}
		if p, err = p.Play(moves[r.N(len(moves))]); err != nil {
			t.Fatal(err)
		}
	}
	return p.Result()
}

// Playouts is the benchmark of a game: uniformly random playouts with the whole rules from the start position.
func Playouts(b *testing.B, g games.Game, o games.Options) {
	b.Helper()
	p, err := g.New(o)
	if err != nil {
		b.Fatal(err)
	}
	start, s, r := p.State(), p.State(), games.NewRandom(1)
	longest, _ := g.Longest(o)
	s.Playout(r, longest) // grow the buffers
	plies := 0
	b.ReportAllocs()
	for b.Loop() {
		s.Set(start)
		plies += s.Playout(r, longest)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "playouts/s")
	b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
}
