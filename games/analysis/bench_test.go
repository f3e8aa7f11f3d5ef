package analysis

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// long returns a game of at most the given number of plies between random players, which don't try to end it.
func long(b testing.TB, g games.Game, options string, plies int) (games.Options, []games.Move) {
	return game(b, g, strings.Fields(options), [2]string{"random", "random"}, plies, plies, 1)
}

// BenchmarkAnalyse measures the review of a match of usual length, and of a long one.
func BenchmarkAnalyse(b *testing.B) {
	for _, bb := range []struct {
		game, options string
		plies         int
	}{
		{"momentum", "", 60}, {"petteia", "", 100}, {"petteia", "captures_to_win=12 repetition=0 quiet_limit=1000", 300},
		{"fourmation", "", 40}, {"flugelrad", "", 100}, {"tanks", "", 80},
	} {
		g, ok := catalog.Find(bb.game)
		if !ok {
			b.Fatal(bb.game)
		}
		b.Run(bb.game+"/"+strings.ReplaceAll(bb.options, " ", ","), func(b *testing.B) {
			o, moves := long(b, g, bb.options, bb.plies)
			steps := 0
			for b.Loop() {
				w, err := Begin(b.Context(), g, startOf(b, g, o), moves, 0)
				if err != nil {
					b.Fatal(err)
				}
				for done, total := w.Progress(); done < total; done, total = w.Progress() {
					if err := w.Step(b.Context()); err != nil {
						b.Fatal(err)
					}
					steps++
				}
			}
			b.ReportMetric(float64(len(moves)), "plies")
			b.ReportMetric(float64(steps)/float64(b.N), "searches/op")
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(steps), "ms/search")
		})
	}
}
