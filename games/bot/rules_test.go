package bot

import (
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/gamestest"
)

// extremes are options at the ends of their ranges, by game.
var extremes = map[string][]string{
	"momentum":   {"", "size=13 marbles=12", "size=7 marbles=12", "size=13 marbles=6", "size=10 marbles=9", "marbles=26", "size=14 marbles=6", "size=20", "size=26 marbles=26"},
	"petteia":    {"", "captures_to_win=1", "captures_to_win=12 safe_entry=0", "repetition=2 quiet_limit=7", "repetition=0 quiet_limit=0"},
	"fourmation": {"", "cols=3 rows=3 win_length=3", "cols=16 rows=16", "cols=16 rows=3 win_length=16", "cols=4 rows=4", "cols=16 rows=16 win_length=3", "cols=20 rows=20", "cols=26 rows=26", "cols=26 rows=17 win_length=26"},
	"flugelrad":  {"", "connect=4 chain=1", "connect=7 fresh_wheel=0", "repetition=2 move_limit=9", "repetition=0 move_limit=0 connect=7"},
	"tanks":      {"", "size=6", "size=26", "size=14"},
}

// extremesOf returns the extremes of a game.
func extremesOf(g games.Game) []string {
	if all, ok := extremes[g.About().ID]; ok {
		return all
	}
	return gamestest.Extremes(g)
}

// TestSearchFollowsTheRules plays random games of all kinds and compares the search's own idea of the rules with the
// state's, forwards and backwards.
func TestSearchFollowsTheRules(t *testing.T) {
	for _, g := range catalog.All() {
		for _, options := range extremesOf(g) {
			t.Run(g.About().ID+" "+options, func(t *testing.T) {
				r := games.NewRandom(11)
				for range 5 {
					follow(t, reach(t, g, strings.Fields(options), r.N(30), r), r)
				}
			})
		}
	}
}

func follow(t *testing.T, p games.Position, r *games.Random) {
	state, pos := p.State(), searchOf(t, p)
	type before struct {
		key   uint64
		value int
	}
	var past []before
	for ply := range 120 {
		compare(t, state, pos)
		if over, _ := pos.Over(); over {
			break
		}
		past = append(past, before{pos.Key(), pos.Evaluate()})
		if ply%3 == 0 && pos.Pass() {
			pos.Undo()
		}
		moves := pos.Moves(nil)
		c := moves[r.N(len(moves))].Code
		state.Play(c)
		pos.Play(c)
	}
	for _, b := range slices.Backward(past) {
		pos.Undo()
		if got := (before{pos.Key(), pos.Evaluate()}); got != b {
			t.Fatalf("taking moves back gives %v, want %v", got, b)
		}
	}
}

// compare checks everything that the search says about one position.
func compare(t *testing.T, state games.State, pos games.Search) {
	t.Helper()
	res := state.Result()
	over, outcome := pos.Over()
	want := 0
	if res.Over && !res.Draw {
		want = 1
		if res.Winner != state.Turn() {
			want = -1
		}
	}
	if over != res.Over || over && outcome != want || pos.Turn() != state.Turn() {
		t.Fatalf("%s: over %v, %d, %s to move; the rules say %+v, %s", state.Clone().Freeze(), over, outcome, pos.Turn(), res, state.Turn())
	}
	legal := state.Moves(nil)
	slices.Sort(legal)
	var all []games.Code
	for _, m := range pos.Moves(nil) {
		all = append(all, m.Code)
		if m.Rank < -100_000 || m.Rank > 100_000 {
			t.Errorf("%s: the rank of %s is %d", state.Clone().Freeze(), state.Move(m.Code), m.Rank)
		}
	}
	slices.Sort(all)
	if !slices.Equal(all, legal) {
		t.Fatalf("%s: moves %v, the rules say %v", state.Clone().Freeze(), all, legal)
	}
	noisy, must := pos.Noisy(nil)
	for _, m := range noisy {
		if _, found := slices.BinarySearch(legal, m.Code); !found {
			t.Errorf("%s: the noisy move %d is not legal", state.Clone().Freeze(), m.Code)
		}
	}
	if must && len(noisy) == 0 {
		t.Errorf("%s: must move, but has no noisy move", state.Clone().Freeze())
	}
	if staged, ok := pos.(games.Staged); ok && !over {
		compareStaged(t, state, pos, staged)
	}
	if v := pos.Evaluate(); !over && (v < -games.MaxEvaluation || v > games.MaxEvaluation) {
		t.Errorf("%s: the evaluation is %d", state.Clone().Freeze(), v)
	}
}

// compareStaged compares what a game says of its moves before it lists them with the list.
func compareStaged(t *testing.T, state games.State, pos games.Search, staged games.Staged) {
	t.Helper()
	moves := pos.Moves(nil)
	want, found := games.Ranked{Rank: notable - 1}, false
	for _, m := range moves {
		if m.Rank > want.Rank {
			want, found = m, true
		}
	}
	if c, ok := staged.Best(notable); ok != found || ok && c != want.Code {
		t.Fatalf("%s: the best move is %d, %v; want %d, %v", state.Clone().Freeze(), c, ok, want.Code, found)
	}
	for i := range moves {
		for _, c := range []games.Code{moves[i].Code, moves[i].Code ^ 1, noMove} {
			legal := slices.ContainsFunc(moves, func(m games.Ranked) bool { return m.Code == c })
			if got := staged.Legal(c); got != legal {
				t.Fatalf("%s: move %d is legal: %v, want %v", state.Clone().Freeze(), c, got, legal)
			}
		}
	}
	if got := staged.Forced(); got != (len(moves) == 1) {
		t.Fatalf("%s: forced is %v with %d moves", state.Clone().Freeze(), got, len(moves))
	}
}
