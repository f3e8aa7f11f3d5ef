package bot

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// eachSearching runs a test for every game that can be searched, in its usual options.
func eachSearching(t *testing.T, test func(t *testing.T, g games.Game)) {
	for _, g := range catalog.All() {
		if _, ok := startOf(g).State().(games.Searchable); ok {
			t.Run(g.About().ID, func(t *testing.T) { test(t, g) })
		}
	}
}

// presetOf returns the index of a level in a profile.
func presetOf(p *games.Profile, id string) int {
	i := slices.IndexFunc(p.Presets, func(q games.Preset) bool { return q.Level == id })
	if i < 0 {
		panic("no preset " + id)
	}
	return i
}

func TestSameSeedSameThought(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		p := reach(t, g, nil, 5, games.NewRandom(2))
		s := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "expert"), nodes: 3_000}
		first, err := s.Think(t.Context(), p, games.NewRandom(9))
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Think(t.Context(), p, games.NewRandom(9))
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Errorf("the same seed gave %+v and %+v, %v", first, again, err)
		}
		if first.Nodes < 3_000/2 || first.Nodes > 3_000+200 {
			t.Errorf("looked at %d positions, with 3000 allowed", first.Nodes)
		}
	})
}

// TestOpeningsDiffer plays the first moves of many games of the strongest level against itself.
func TestOpeningsDiffer(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		seen := map[string]bool{}
		for seed := range uint64(20) {
			p, r, moves := startOf(g), games.NewRandom(seed), ""
			for range 4 {
				m, err := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "master"), nodes: 400}.Move(t.Context(), p, r)
				if err != nil {
					t.Fatal(err)
				}
				if p, err = p.Play(m); err != nil {
					t.Fatal(err)
				}
				moves += " " + string(m)
			}
			seen[moves] = true
		}
		if len(seen) < 5 {
			t.Errorf("only %d openings in 20 games: %v", len(seen), seen)
		}
	})
}

// TestLineIsPlayable checks that the expected line is legal, begins with the move and, where the game is decided, ends it
// for the side and at the ply that it says.
func TestLineIsPlayable(t *testing.T) {
	skipIfShort(t)
	eachSearching(t, func(t *testing.T, g games.Game) {
		r := games.NewRandom(21)
		decidedOnes := 0
		for range 30 {
			p := reach(t, g, nil, 8+r.N(40), r)
			if p.Result().Over {
				continue
			}
			thought, err := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "expert"), nodes: 4_000}.Think(t.Context(), p, r)
			if err != nil {
				t.Fatal(err)
			}
			if len(thought.Line) == 0 || thought.Line[0] != thought.Move {
				t.Fatalf("%s: the line of %s is %v", p, thought.Move, thought.Line)
			}
			end := p
			for _, m := range thought.Line {
				if end, err = end.Play(m); err != nil {
					t.Fatalf("%s: the line %v: %v", p, thought.Line, err)
				}
			}
			if thought.Plies == 0 || len(thought.Line) != max(thought.Plies, -thought.Plies) {
				continue
			}
			decidedOnes++
			won := end.Result().Over && !end.Result().Draw && end.Result().Winner == p.Turn()
			if won != (thought.Plies > 0) || !end.Result().Over {
				t.Errorf("%s: %d plies, but the line %v leads to %+v", p, thought.Plies, thought.Line, end.Result())
			}
		}
		t.Logf("%d positions were decided", decidedOnes)
	})
}

// TestWinInOne lets every level that searches and misses none of its own moves play positions where a move wins at once, with the smallest budget,
// and with a budget at which the level also chooses moves that seem nearly as good.
func TestWinInOne(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		r := games.NewRandom(31)
		found := 0
		for tries := 0; found < 15 && tries < 4_000; tries++ {
			all := extremesOf(g)
			p := reach(t, g, strings.Fields(all[tries%len(all)]), 4+r.N(60), r)
			if !winsAtOnce(p) {
				continue
			}
			found++
			for i, preset := range games.ProfileOf(g).Presets {
				if preset.Misses > 0 {
					continue
				}
				m, err := thinker{profile: games.ProfileOf(g), preset: i, nodes: 1 + found%2*400}.Move(t.Context(), p, r)
				if err != nil {
					t.Fatal(err)
				}
				after, err := p.Play(m)
				if err != nil {
					t.Fatal(err)
				}
				if res := after.Result(); !res.Over || res.Draw || res.Winner != p.Turn() {
					t.Errorf("%s: %s plays %s and does not win", p, preset.Level, m)
				}
			}
		}
		if found < 15 {
			t.Errorf("only %d positions with a win in one", found)
		}
	})
}

func winsAtOnce(p games.Position) bool {
	s := p.State()
	for _, c := range s.Moves(nil) {
		s.Play(c)
		r := s.Result()
		s.Undo()
		if r.Over && !r.Draw && r.Winner == p.Turn() {
			return true
		}
	}
	return false
}

// TestExtremeOptions plays some moves of a small budget under all kinds of options: the moves are legal, and the budget
// is kept but for the first look at every move.
func TestExtremeOptions(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		for _, options := range extremesOf(g) {
			r := games.NewRandom(41)
			p := reach(t, g, strings.Fields(options), 1+r.N(6), r)
			for range 6 {
				if p.Result().Over {
					break
				}
				thought, err := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "club"), nodes: 300}.Think(t.Context(), p, r)
				if err != nil {
					t.Fatal(err)
				}
				if most := 300 + len(p.Legal()) + 1; thought.Nodes > most {
					t.Errorf("%s: looked at %d positions, at most %d are allowed", options, thought.Nodes, most)
				}
				if p, err = p.Play(thought.Move); err != nil {
					t.Fatalf("%s: %v", options, err)
				}
			}
		}
	})
}

// endless is a game without end in which every position has two moves. It cancels its context after some of them.
type endless struct {
	games.Search
	moves  int
	after  int
	cancel func()
}

func (e *endless) Turn() games.Side  { return games.First }
func (e *endless) Over() (bool, int) { return false, 0 }
func (e *endless) Evaluate() int     { return 0 }
func (e *endless) Pass() bool        { return false }
func (e *endless) Undo()             {}
func (e *endless) Key() uint64       { return uint64(e.moves) }
func (e *endless) Play(games.Code) {
	e.moves++
	if e.moves == e.after {
		e.cancel()
	}
}

func (e *endless) Moves(dst []games.Ranked) []games.Ranked {
	return append(dst, games.Ranked{Code: 1}, games.Ranked{Code: 2})
}

func (e *endless) Noisy(dst []games.Ranked) ([]games.Ranked, bool) { return dst, false }

// TestStopsSoon cancels in the middle of a search and counts how much more it does.
func TestStopsSoon(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := &endless{after: 10_000, cancel: cancel}
	new(workspace).newSearch(ctx, e, maxNodes).run(0, maxPly/2, games.NewRandom(1))
	if late := e.moves - e.after; late > 2*pollNodes {
		t.Errorf("%d moves were made after the end of the context", late)
	}
}

// unnoticed is a context whose time is up, while the runtime has been too busy to close Done.
type unnoticed struct{ context.Context }

func (unnoticed) Deadline() (time.Time, bool) { return time.Now().Add(-time.Nanosecond), true }
func (unnoticed) Err() error                  { return nil }

// TestStopsAtTheDeadline, not when the runtime says that it has passed.
func TestStopsAtTheDeadline(t *testing.T) {
	e := &endless{after: -1}
	new(workspace).newSearch(unnoticed{t.Context()}, e, 100_000).run(0, maxPly/2, games.NewRandom(1))
	if e.moves > 2*pollNodes {
		t.Errorf("%d moves were made after the deadline", e.moves)
	}
}

// expiring is a context whose deadline passes right after the first look whether it has: when a search has begun, however
// busy the machine.
type expiring struct {
	context.Context
	looked bool
}

func (e *expiring) Err() error {
	if !e.looked {
		e.looked = true
		return nil
	}
	return context.DeadlineExceeded
}

func (e *expiring) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

func TestContext(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		s := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "master"), nodes: maxNodes}
		p := reach(t, g, nil, 3, games.NewRandom(1))
		ctx := &expiring{Context: t.Context()}
		m, err := s.Move(ctx, p, games.NewRandom(1))
		if err != nil {
			t.Fatalf("at a deadline: %v", err)
		}
		if _, err := p.Play(m); err != nil {
			t.Error(err)
		}
		if _, err := s.Move(ctx, p, games.NewRandom(1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after the deadline: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if m, err := s.Move(gone, p, games.NewRandom(1)); m != "" || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %q, %v", m, err)
		}
	})
}

// TestAllocations checks that a long search allocates no more often than a short one, and how much a table can take.
func TestAllocations(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		p := reach(t, g, nil, 5, games.NewRandom(2))
		count := func(nodes int) float64 {
			return testing.AllocsPerRun(3, func() {
				if _, err := (thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "expert"), nodes: nodes}).Move(t.Context(), p, games.NewRandom(1)); err != nil {
					t.Fatal(err)
				}
			})
		}
		short, long := count(500), count(20_000)
		t.Logf("%v and %v allocations", short, long)
		if long > short+20 {
			t.Errorf("a search of 500 positions allocates %v times, one of 20,000 %v times", short, long)
		}
	})
	size := new(tableMemory).size(maxNodes) * int(unsafe.Sizeof(entry{}))
	if size+size/growth+int(unsafe.Sizeof(search{})) > 32<<20 { // while it grows there are two
		t.Errorf("the largest table takes %d bytes", size)
	}
}
