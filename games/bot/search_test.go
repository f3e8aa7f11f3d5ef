package bot

import (
	"context"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/gamestest"
)

// searchOf returns the position for looking ahead, or skips the test where the game has none.
func searchOf(t testing.TB, p games.Position) games.Search {
	t.Helper()
	s, ok := p.State().(games.Searchable)
	if !ok {
		t.Skip("no search")
	}
	return s.Search()
}

// reach plays random moves from the start of a game with these options and returns where they lead, at most at the end.
func reach(t testing.TB, g games.Game, options []string, plies int, r *games.Random) games.Position {
	t.Helper()
	o, err := games.ParseOptions(g, options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := p.State()
	gamestest.PlayRandomly(s, r, plies)
	return s.Freeze()
}

// minimax is the plain definition of what alpha-beta finds out in a hurry.
func minimax(pos games.Search, depth, ply int) int {
	if over, outcome := pos.Over(); over {
		return outcome * (victory - ply)
	}
	if depth == 0 {
		return pos.Evaluate()
	}
	best := -infinite
	for _, m := range pos.Moves(nil) {
		pos.Play(m.Code)
		best = max(best, -minimax(pos, depth-1, ply+1))
		pos.Undo()
	}
	return best
}

// TestAlphaBetaIsMinimax compares the search, without what is only likely to be right, with the definition.
func TestAlphaBetaIsMinimax(t *testing.T) {
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			r := games.NewRandom(5)
			for range 12 {
				plies := 1 + r.N(40)
				p := reach(t, g, nil, plies, r)
				if p.Result().Over {
					continue
				}
				pos := searchOf(t, p)
				depth, branches := 1, len(p.Legal())+1
				for n := branches * branches; n < 6_000; n *= branches {
					depth++ // as deep as a plain search gets in no time
				}
				want := minimax(pos, depth, 0)
				a := new(workspace).newSearch(context.Background(), pos, 200_000)
				a.plain = true
				for d := 1; d <= depth; d++ {
					if got := a.negamax(d, -infinite, infinite, 0, false); d == depth && got != want {
						t.Errorf("%s: alpha-beta says %d, minimax %d", p, got, want)
					}
				}
			}
		})
	}
}

// BenchmarkNodes measures how many positions a second each game is looked at in long searches, from three positions near the
// start.
func BenchmarkNodes(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) { benchmarkNodes(b, g, Evaluation{}) })
		if _, ok := startOf(g).State().(games.Learnable); ok {
			b.Run(g.About().ID+"/by hand", func(b *testing.B) { benchmarkNodes(b, g, ByHand()) })
		}
	}
}

func benchmarkNodes(b *testing.B, g games.Game, e Evaluation) {
	w := new(workspace)
	nodes, depth, searches := 0, 0, 0
	for range b.N {
		for seed := range uint64(3) {
			p := wander(b, g, "", 6, seed)
			s := w.newSearch(b.Context(), e.search(p.State()), 300_000)
			s.noisyPlies = games.ProfileOf(g).NoisyPlies
			found := s.run(0, maxPly/2, games.NewRandom(1))
			nodes += found.nodes
			depth += found.depth
			searches++
		}
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	b.ReportMetric(float64(nodes)/float64(searches), "nodes/search")
	b.ReportMetric(float64(depth)/float64(searches), "depth")
}
