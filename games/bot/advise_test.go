package bot

import (
	"context"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// advised is a search that gives advice of its own.
type advised struct {
	games.Search
	advice games.Advice
	asked  func(nodes int, stop func() bool)
}

func (a advised) Advise(nodes int, stop func() bool) games.Advice {
	if a.asked != nil {
		a.asked(nodes, stop)
	}
	return a.advice
}

func fourmationProfile() *games.Profile {
	g, _ := catalog.Find("fourmation")
	return games.ProfileOf(g)
}

// small returns the position of 4Mation on a small board after some moves.
func small(t *testing.T, options string, moves ...games.Move) games.Position {
	t.Helper()
	g, _ := catalog.Find("fourmation")
	o, err := games.ParseOptions(g, []string{"cols=4", "rows=4", options})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moves {
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestAdviceIsFollowed(t *testing.T) {
	skipIfShort(t)
	p := small(t, "win_length=4", "b2")
	state := p.State()
	code := func(m games.Move) games.Code {
		c, err := state.Code(m)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	tests := []struct {
		name   string
		level  string
		advice games.Advice
		among  []games.Move
		drawn  bool // may be claimed
	}{
		{"one move", "master", games.Advice{Moves: []games.Code{code("a1")}, Complete: true}, []games.Move{"a1"}, true},
		{"two moves", "master", games.Advice{Moves: []games.Code{code("a1"), code("c3")}}, []games.Move{"a1", "c3"}, false},
		{"champion", "champion", games.Advice{Moves: []games.Code{code("b3")}}, []games.Move{"b3"}, false},
		{"none", "master", games.Advice{}, p.Legal(), true},
		{"expert asks for none", "expert", games.Advice{Moves: []games.Code{code("a1")}}, p.Legal(), true},
	}
	for _, tt := range tests {
		played := map[games.Move]bool{}
		for seed := range uint64(12) {
			pos := advised{Search: state.(games.Searchable).Search(), advice: tt.advice}
			v := thinker{profile: fourmationProfile(), preset: presetOf(fourmationProfile(), tt.level)}.search(t.Context(), new(workspace), pos, 200_000, games.NewRandom(seed))
			m := state.Move(v.code)
			played[m] = true
			if !slices.Contains(tt.among, m) {
				t.Errorf("%s: played %s, not one of %v", tt.name, m, tt.among)
			}
			if v.proven && !tt.drawn {
				t.Errorf("%s: calls a draw what other moves might win", tt.name)
			}
		}
		if tt.level == "expert" && len(played) < 2 {
			t.Errorf("%s: only %v were played", tt.name, played)
		}
	}
}

// TestAdviceIsPartOfTheBudget has advice that costs much: that much less is left for the search.
func TestAdviceIsPartOfTheBudget(t *testing.T) {
	const nodes = 10_000
	for _, cost := range []int{0, nodes / 4, nodes / 2} {
		offered := 0
		pos := advised{
			Search: small(t, "win_length=4").State().(games.Searchable).Search(),
			advice: games.Advice{Nodes: cost}, asked: func(nodes int, _ func() bool) { offered = nodes },
		}
		v := thinker{profile: fourmationProfile(), preset: presetOf(fourmationProfile(), "master")}.search(t.Context(), new(workspace), pos, nodes, games.NewRandom(1))
		if offered != nodes/advisorShare {
			t.Errorf("the advice may look at %d positions of %d", offered, nodes)
		}
		if v.nodes < cost || v.nodes > nodes+100 {
			t.Errorf("looked at %d positions, %d of them for advice, with %d allowed", v.nodes, cost, nodes)
		}
	}
}

// TestAdviceMindsTheContext looks at what stop says to an advisor before and after the end of a context, with and
// without a deadline.
func TestAdviceMindsTheContext(t *testing.T) {
	for _, timeout := range []time.Duration{0, time.Hour} {
		ctx, cancel := context.WithCancel(t.Context())
		if timeout > 0 {
			ctx, cancel = context.WithTimeout(t.Context(), timeout)
		}
		defer cancel()
		before, after := false, false
		pos := advised{
			Search: small(t, "win_length=4").State().(games.Searchable).Search(),
			asked: func(_ int, stop func() bool) {
				before = stop()
				cancel()
				after = stop()
			},
		}
		thinker{profile: fourmationProfile(), preset: presetOf(fourmationProfile(), "master")}.search(ctx, new(workspace), pos, 100, games.NewRandom(1))
		if before || !after {
			t.Errorf("timeout %s: stop says %v before the end of the context and %v after it", timeout, before, after)
		}
	}
}

// TestMasterNeverLosesSmallBoards plays 4Mation against everything that an opponent can do, from either side. The side that
// can force a line from the start must.
func TestMasterNeverLosesSmallBoards(t *testing.T) {
	skipIfShort(t)
	for _, tt := range []struct {
		options string
		worst   [2]int // for the master as first and as second player
	}{
		{"win_length=3", [2]int{1, -1}},
		{"win_length=4", [2]int{0, 0}},
	} {
		for side, want := range tt.worst {
			m := mastered{t: t, side: games.Side(side), known: map[string]int{}}
			if got := m.worst(small(t, tt.options)); got != want {
				t.Errorf("%s: the worst as the %s player is %d, want %d", tt.options, m.side, got, want)
			}
			t.Logf("%s, %s: %d positions", tt.options, m.side, len(m.known))
		}
	}
}

// mastered is a walk through all that can happen to a master.
type mastered struct {
	t     *testing.T
	side  games.Side
	known map[string]int
}

func (m *mastered) worst(p games.Position) int {
	if r := p.Result(); r.Draw {
		return 0
	} else if r.Over {
		return map[bool]int{true: 1, false: -1}[r.Winner == m.side]
	}
	if v, ok := m.known[p.String()]; ok {
		return v
	}
	moves := p.Legal()
	if len(moves) == 16 {
		moves = []games.Move{"a1", "b1", "b2"} // the others are the same from another side of the board
	}
	if p.Turn() == m.side {
		move, err := thinker{profile: fourmationProfile(), preset: presetOf(fourmationProfile(), "master"), nodes: 10_000}.Move(m.t.Context(), p, games.NewRandom(1))
		if err != nil {
			m.t.Fatal(err)
		}
		moves = []games.Move{move}
	}
	v := 1
	for _, move := range moves {
		next, err := p.Play(move)
		if err != nil {
			m.t.Fatal(err)
		}
		v = min(v, m.worst(next))
	}
	m.known[p.String()] = v
	return v
}
