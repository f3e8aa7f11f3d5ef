package bot

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// closeTo are options with which random games often come close to their ends.
var closeTo = map[string]string{
	"momentum": "size=13 marbles=6", "petteia": "captures_to_win=3 safe_entry=0", "fourmation": "win_length=5", "flugelrad": "",
	"tanks": "size=6",
}

// TestWeights hands evaluations other weights: the game's own change nothing, every other one counts somewhere, and the
// evaluation grows evenly with each, as the tuner takes it to do.
func TestWeights(t *testing.T) {
	for _, g := range catalog.All() {
		tunable, ok := startOf(g).State().(games.Tunable)
		if !ok {
			continue
		}
		t.Run(g.About().ID, func(t *testing.T) {
			own := tunable.Weights()
			counts := make([]bool, len(own))
			r := games.NewRandom(61)
			all := append([]string{closeTo[g.About().ID]}, extremesOf(g)...)
			for i := range 240 {
				p := reach(t, g, strings.Fields(all[i%len(all)]), 3+r.N(60), r)
				if p.Result().Over {
					continue
				}
				testWeights(t, p.State().(games.Tunable), own, counts)
			}
			for i, w := range own {
				if !counts[i] {
					t.Errorf("%q never counts", w.Name)
				}
			}
		})
	}
}

// testWeights changes each weight of one position and records in counts which ones matter.
func testWeights(t *testing.T, s games.Tunable, own []games.Weight, counts []bool) {
	t.Helper()
	const step = 64
	values := games.ValuesOf(own)
	usual := ByHand().search(s.(games.State)).Evaluate()
	if v := s.SearchWith(values).Evaluate(); v != usual {
		t.Fatalf("with its own weights handed in a position is worth %d, else %d", v, usual)
	}
	for i, w := range own {
		values[i] = w.Value + step
		once := s.SearchWith(values).Evaluate() - usual
		values[i] = w.Value + 2*step
		twice := s.SearchWith(values).Evaluate() - usual
		values[i] = w.Value
		counts[i] = counts[i] || once != 0
		if miss := twice - 2*once; miss < -2 || miss > 2 { // sixteenths are rounded
			t.Errorf("%q: %d more adds %d, twice as much %d", w.Name, step, once, twice)
		}
	}
	if v := ByHand().search(s.(games.State)).Evaluate(); v != usual {
		t.Errorf("other weights stayed: the position is worth %d, before %d", v, usual)
	}
}
