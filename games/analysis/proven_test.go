package analysis_test

import (
	"testing"

	"ludoteca/games"
	. "ludoteca/games/analysis"
	"ludoteca/games/catalog"
)

// TestKnowsWhatIsProven: a position that is proven, with more work than an analysis does, has its proven value: in every game that knows some.
func TestKnowsWhatIsProven(t *testing.T) {
	const nodes = 50
	asked := 0
	for _, g := range catalog.All() {
		proven, ok := g.(games.ProvenGame)
		if !ok {
			continue
		}
		for _, k := range proven.Proven() {
			asked++
			p, err := k.Position(g)
			if err != nil {
				t.Fatalf("%s %v: %v", g.About().ID, k.Options, err)
			}
			a, err := Analyse(t.Context(), g, p, nil, nodes, nil)
			if err != nil {
				t.Fatalf("%s %v: %v", g.About().ID, k.Options, err)
			}
			got, want := a.Points[0], map[bool]Judgement{true: ProvenDraw, false: ProvenFirst}[k.Result.Draw]
			if got.Proven != want || got.Plies != k.Plies || k.Result.Draw && (got.Value != 0 || got.Chance != 0.5) {
				t.Errorf("%s %v after %v: %+v, want %v in %d plies", g.About().ID, k.Options, k.After, got, want, k.Plies)
			}
			if _, err := p.Play(got.Best); err != nil {
				t.Errorf("%s %v after %v: the best move: %v", g.About().ID, k.Options, k.After, err)
			}
		}
	}
	if asked == 0 {
		t.Error("no game knows anything")
	}
}
