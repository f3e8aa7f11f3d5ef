package bot

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// searcher returns a level of a game.
func searcher(t *testing.T, g games.Game, spec string) LimitedThinker {
	t.Helper()
	l, err := Find(g, spec)
	if err != nil {
		t.Fatal(err)
	}
	return l.Player.(LimitedThinker)
}

// TestSearchWithinNodes compares a search within a number of positions with a level that was given this budget with its ID.
func TestSearchWithinNodes(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		p := reach(t, g, nil, 5, games.NewRandom(3))
		want, err := searcher(t, g, "master:5000").Think(t.Context(), p, games.NewRandom(8))
		if err != nil {
			t.Fatal(err)
		}
		var told []Thought
		got, err := searcher(t, g, "master").Search(t.Context(), Limits{Nodes: 5000}, p, games.NewRandom(8), func(f Thought) { told = append(told, f) })
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v within 5000 positions,\n%+v with that budget", got, err, want)
		}
		for i, f := range told {
			if i > 0 && (f.Depth != told[i-1].Depth+1 || f.Nodes < told[i-1].Nodes) || len(f.Line) == 0 || f.Line[0] != f.Move {
				t.Errorf("report %d of depth %d after %d positions, line %v", i, f.Depth, f.Nodes, f.Line)
			}
		}
		if len(told) == 0 && !got.Proven {
			t.Errorf("nothing was reported on the way to %+v", got)
		}
	})
}

// TestSearchNeverRaisesALevel gives levels below the strongest, and one with a budget, more than they look at in the club.
func TestSearchNeverRaisesALevel(t *testing.T) {
	g := catalog.All()[0]
	p := reach(t, g, nil, 5, games.NewRandom(3))
	for _, spec := range []string{"pupil", "expert", "master:2000"} {
		for name, in := range map[string]Limits{
			"as in the club": {}, "nodes": {Nodes: maxNodes}, "endless": {Endless: true}, "time": {Time: time.Hour},
			"clock": {Clock: Clock{End: time.Now().Add(1000 * time.Hour)}},
		} {
			player := searcher(t, g, spec)
			got, err := player.Search(t.Context(), in, p, games.NewRandom(8), nil)
			if most := player.(thinker).budget(); err != nil || got.Nodes > most+200 {
				t.Errorf("%s, %s: %d positions, %v, with %d in the club", spec, name, got.Nodes, err, most)
			}
		}
	}
}

func TestSearchToADepth(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		p, deepest := reach(t, g, nil, 4, games.NewRandom(3)), 0
		got, err := searcher(t, g, "master").Search(t.Context(), Limits{Depth: 3}, p, games.NewRandom(8), func(f Thought) { deepest = max(deepest, f.Depth) })
		if err != nil || got.Depth != 3 && got.Plies == 0 || deepest > 3 {
			t.Errorf("%+v, %v, reported down to depth %d, for 3", got, err, deepest)
		}
	})
}

// TestStoppedSearch stops searches without an end, before they begin and after the second depth.
func TestStoppedSearch(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		p := startOf(g)
		for _, depth := range []int{0, 2} {
			ctx, stop := context.WithCancelCause(t.Context())
			if depth == 0 {
				stop(ErrStop)
			}
			got, err := searcher(t, g, "master").Search(ctx, Limits{Endless: true}, p, games.NewRandom(8), func(f Thought) {
				if f.Depth == depth {
					stop(ErrStop)
				}
			})
			if err != nil {
				t.Fatalf("stopped at depth %d: %v", depth, err)
			}
			if _, err := p.Play(got.Move); err != nil || got.Depth < depth {
				t.Errorf("stopped at depth %d: %+v, %v", depth, got, err)
			}
			stop(nil)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := searcher(t, g, "master").Search(ctx, Limits{Endless: true}, p, games.NewRandom(8), func(Thought) { cancel() }); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled search gave %v", err)
		}
	})
}

// TestTableOfMemory has searches that fill the usual table and a smaller one.
func TestTableOfMemory(t *testing.T) {
	for _, tt := range []struct{ bytes, entries int }{
		{0, minEntries}, {MinTable, minEntries}, {1 << 20, 1 << 16}, {3 << 20, 1 << 17}, {UsualTable, maxEntries}, {64 << 20, 1 << 22}, {MaxTable + 1, 1 << 26},
	} {
		if got := NewMemory(tt.bytes).get().tables.size(maxNodes); got != tt.entries {
			t.Errorf("%d bytes: tables of %d entries, not %d", tt.bytes, got, tt.entries)
		}
	}
	if got := new(Memory).get().tables.size(maxNodes); got != maxEntries {
		t.Errorf("tables of %d entries by default", got)
	}
}
