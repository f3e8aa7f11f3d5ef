package bot

import (
	"fmt"
	"hash/fnv"
	"testing"

	"ludoteca/games"
	"ludoteca/games/petteia"
)

// TestSearchStaysTheSame sums up what a few searches find and in how many nodes. A change that is meant to make the search
// faster, and nothing else, leaves the sum as it is. Whoever makes it look at other moves or value them otherwise on purpose
// puts in the new one, and measures the levels again.
func TestSearchStaysTheSame(t *testing.T) {
	const want = 0x69a104cb33478184
	sum, r, d := fnv.New64a(), games.NewRandom(8), new(desk)
	for i, options := range [][]string{nil, nil, {"safe_entry=0", "captures_to_win=12"}, {"repetition=2", "quiet_limit=40"}} {
		p := reach(t, petteia.New(), options, 4+12*i, r)
		a := d.alphaBeta(t.Context(), searchOf(t, p), 20_000)
		a.contempt, a.repeats = 25, true
		v := a.think(3, maxPly/2, games.NewRandom(uint64(i)))
		fmt.Fprintln(sum, v.code, v.value, v.line, v.depth, v.nodes, v.proven)
	}
	if got := sum.Sum64(); got != want {
		t.Errorf("the sum is %#x, want %#x", got, want)
	}
}
