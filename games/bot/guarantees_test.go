package bot

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/deadline"
)

// biggest are the options with the most to do at every position, by game.
var biggest = map[string]string{
	"momentum": "size=26 marbles=26", "fourmation": "cols=26 rows=26", "tanks": "size=26",
	"petteia": "safe_entry=0", "flugelrad": "chain=1 connect=7",
}

// cancelling is a search that cancels its context after some moves, and counts on.
type cancelling struct {
	games.Search
	moves, after int
	cancel       func()
}

func (c *cancelling) Play(m games.Code) {
	c.Search.Play(m)
	if c.moves++; c.moves == c.after {
		c.cancel()
	}
}

// TestStopsSoonEverywhere cancels searches on the biggest boards and counts how many moves are still made: with a look at
// the context every pollNodes positions at most pollNodes, besides moves that end the game. BenchmarkBiggest measures how long
// they take.
func TestStopsSoonEverywhere(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		for _, after := range []int{1_000, 5_003, 20_000} {
			p := reach(t, g, strings.Fields(biggest[g.About().ID]), 3, games.NewRandom(1))
			ctx, cancel := context.WithCancel(t.Context())
			c := &cancelling{Search: searchOf(t, p), after: after, cancel: cancel}
			new(workspace).newSearch(ctx, c, maxNodes).run(0, maxPly/2, games.NewRandom(1))
			if late := c.moves - after; late > 2*pollNodes {
				t.Errorf("%d moves were made after the end of the context", late)
			}
		}
	})
}

// TestMemoryIsGivenBack measures what is left of a search that had the largest table.
func TestMemoryIsGivenBack(t *testing.T) {
	const largest = maxEntries * 16
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	g := catalog.All()[0]
	p := startOf(g)
	before := heap()
	during := uint64(0)
	pos := &watched{Search: searchOf(t, p), after: maxEntries * 3 / 8, look: func() { during = heap() }}
	a := new(workspace).newSearch(t.Context(), pos, maxNodes)
	a.limit = maxEntries/2 + 1000
	a.run(0, maxPly/2, games.NewRandom(1))
	if during < before+largest {
		t.Errorf("during the search the heap had %d bytes, before %d: the table is missing", during, before)
	}
	if most := before + 64<<20; during > most {
		t.Errorf("during the search the heap had %d bytes, before %d", during, before)
	}
	a = nil
	if after := heap(); after > before+largest/4 {
		t.Errorf("after the search the heap has %d bytes, before %d", after, before)
	}
}

// watched is a search that is looked at once, after some moves.
type watched struct {
	games.Search
	moves, after int
	look         func()
}

func (w *watched) Play(m games.Code) {
	if w.moves++; w.moves == w.after {
		w.look()
	}
	w.Search.Play(m)
}

// TestTableGrows fills a small table and finds all of it again in the larger one.
func TestTableGrows(t *testing.T) {
	var m tableMemory
	small := m.first(maxNodes)
	r := games.NewRandom(71)
	for range 2 * len(small) {
		small.put(entry{key: r.Uint64(), code: games.Code(r.N(100)), depth: int8(r.N(20)), bound: exact})
	}
	for size := len(small) * 2; size <= len(small)*8; size *= 2 {
		m.used = 0 // where the small one is
		large := m.grown(small, size, deadline.Deadline{})
		if want := min(size, growth*len(small)); len(large) != want {
			t.Fatalf("%d entries grew to %d, want %d", len(small), len(large), want)
		}
		lost := 0
		for _, e := range small {
			if got := large.find(e.key); e.bound != none && (got == nil || *got != e) {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%d of %d entries were lost", lost, len(small))
		}
	}
}

// TestGrowthStops ends a search whose table grows.
func TestGrowthStops(t *testing.T) {
	var m tableMemory
	small := m.first(maxNodes)
	for i := range small {
		small.put(entry{key: uint64(i), bound: exact})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := m.grown(small, maxEntries, deadline.Of(ctx)); len(got) != len(small) || &got[0] != &small[0] {
		t.Errorf("after the end of the context %d entries grew to %d", len(small), len(got))
	}
	if got := m.grown(small, maxEntries, deadline.Deadline{}); got.find(1) == nil {
		t.Error("a table can't grow any more after that")
	}
}

// TestNoGrowthNearTheEnd: a table that would grow just before the deadline stays as it is.
func TestNoGrowthNearTheEnd(t *testing.T) {
	for limit, want := range map[time.Duration]int{
		growthTime * fewEntries * growth / 2: fewEntries, growthTime * fewEntries * growth: growth * fewEntries,
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), limit)
			defer stop()
			s := new(workspace).newSearch(ctx, &endless{}, maxNodes)
			s.grow()
			if len(s.table) != want || want == fewEntries && s.size != want {
				t.Errorf("with %v left the table has %d entries, at most %d, want %d", limit, len(s.table), s.size, want)
			}
		})
	}
}

// BenchmarkBiggest measures how many positions a second the biggest boards allow: pollNodes of them are the longest that a
// search goes on after it has been cancelled.
func BenchmarkBiggest(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			p := reach(b, g, strings.Fields(biggest[g.About().ID]), 6, games.NewRandom(3))
			nodes := 0
			for range b.N {
				nodes += new(workspace).newSearch(b.Context(), searchOf(b, p), 50_000).run(0, maxPly/2, games.NewRandom(1)).nodes
			}
			perNode := b.Elapsed().Seconds() / float64(nodes)
			b.ReportMetric(1/perNode, "nodes/s")
			b.ReportMetric(1000*pollNodes*perNode, "ms/look")
		})
	}
}
