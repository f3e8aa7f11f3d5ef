package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/wording"
)

// TestGraph compresses and stretches: every position has its place, and no mistake is lost.
func TestGraph(t *testing.T) {
	for _, n := range []int{2, 8, 19, 36, 37, 100, 5000} {
		turns := make([]games.Side, n)
		l := Analysis{timeline: &Timeline{Turns: turns}, points: make([]analysis.Point, n)}
		for i := range l.points {
			l.points[i].Chance, turns[i] = float64(i%11)/10, games.Side(i%2)
		}
		for ply := 1; ply < n; ply++ {
			l.points[ply-1].Mark = analysis.Blunder
			g := NewGraph(l, ply, 36, 1)
			marked, here := -1, g.at
			for i, b := range g.bars {
				if b.mark == analysis.Blunder && b.ply == ply && b.side == turns[ply-1] {
					marked = i
				}
				if b.chance < 0 || b.chance > 1.0000001 {
					t.Fatalf("%d positions: bar %d has the chance %v", n, i, b.chance)
				}
			}
			if len(g.bars) > 36 || marked < 0 || marked != here {
				t.Fatalf("%d positions in %d cells: move %d is marked in bar %d and looked at in bar %d", n, len(g.bars), ply, marked, here)
			}
			l.points[ply-1].Mark = analysis.Fine
			if n > 1000 {
				ply += 97
			}
		}
	}
}

// TestGivenMoves: moves that were made before the players took over are no mistakes of theirs.
func TestGivenMoves(t *testing.T) {
	r, err := NewTimeline(viewOf(t, shortWin...))
	if err != nil {
		t.Fatal(err)
	}
	marked := &analysis.Analysis{Version: analysis.Version, Points: make([]analysis.Point, len(shortWin)+1)}
	for ply, mark := range map[int]analysis.Mark{2: analysis.Inaccuracy, 3: analysis.Mistake, 5: analysis.Blunder} {
		marked.Points[ply].Mark = mark
	}
	for start, want := range []string{
		0: "[[3 1 0 0] [1 0 1 1]]", 2: "[[3 1 0 0] [1 0 1 1]]", 3: "[[4 0 0 0] [1 0 1 1]]", 6: "[[4 0 0 0] [3 0 0 0]]",
	} {
		if want == "" {
			continue
		}
		l := Analysis{}.Take(wording.Words{}, r, start, &lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: marked}, nil)
		if got := fmt.Sprint(l.counts); got != want {
			t.Errorf("%d moves given: marks %s, want %s", start, got, want)
		}
		if ply, ok := l.Seek(0, 1); ok != (start < 6) || ok && ply <= start {
			t.Errorf("%d moves given: the first mistake is %d, %v", start, ply, ok)
		}
	}
}

// TestLosses names what a move threw away.
func TestLosses(t *testing.T) {
	point := func(chance float64, proven analysis.Judgement) analysis.Point {
		return analysis.Point{Chance: chance, Proven: proven, Mark: analysis.Blunder}
	}
	first, second, draw, none := analysis.ProvenFirst, analysis.ProvenSecond, analysis.ProvenDraw, analysis.Unproven
	for _, tt := range []struct {
		name          string
		by            games.Side
		before, after analysis.Point
		want          string
	}{
		{"win to loss", games.First, point(1, first), point(0, second), "turns a win into a loss"},
		{"win to loss, second", games.Second, point(0, second), point(1, first), "turns a win into a loss"},
		{"win to draw", games.First, point(1, first), point(0.5, draw), "turns a win into a draw"},
		{"win to nothing known", games.Second, point(0, second), point(0.4, none), "gives the win away"},
		{"draw to loss", games.Second, point(0.5, draw), point(1, first), "turns a draw into a loss"},
		{"draw to nothing known", games.First, point(0.5, draw), point(0.3, none), "chances fall from 50 to 30 %"},
		{"lost", games.First, point(0.6, none), point(0, second), "lets rui win"},
		{"nothing to blame", games.First, point(0.6, none), point(1, first), "chances fall from 60 to 99 %"},
		{"worse", games.Second, point(0.4, none), point(0.8, none), "chances fall from 60 to 20 %"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := Analysis{timeline: &Timeline{moves: []games.Move{"a1"}, Turns: []games.Side{tt.by, tt.by.Other()}}, points: []analysis.Point{tt.before, tt.after}}
			if got := a.Remark(wording.Words{}, [2]string{"ana", "rui"}, 1); got != tt.want {
				t.Errorf("remark = %q, want %q", got, tt.want)
			}
		})
	}
}

// TestMissedWin: a move that could have won at once is told so, and only such a one.
func TestMissedWin(t *testing.T) {
	for _, tt := range []struct {
		before analysis.Point
		want   string
	}{
		{analysis.Point{Chance: 1, Proven: analysis.ProvenFirst, Plies: 1}, "misses d4, which wins at once"},
		{analysis.Point{Chance: 1, Proven: analysis.ProvenFirst, Plies: 3}, "gives the win away; better d4 e5"},
		{analysis.Point{Chance: 0, Proven: analysis.ProvenSecond, Plies: 1}, "chances fall from 1 to 40 %; better d4 e5"},
	} {
		tt.before.Best, tt.before.Line, tt.before.Mark = "d4", []games.Move{"d4", "e5"}, analysis.Blunder
		a := Analysis{timeline: &Timeline{moves: []games.Move{"a1"}, Turns: []games.Side{games.First, games.Second}}, points: []analysis.Point{tt.before, {Chance: 0.4}}}
		if got := a.Remark(wording.Words{}, [2]string{"ana", "rui"}, 1); got != tt.want {
			t.Errorf("remark after %+v = %q, want %q", tt.before, got, tt.want)
		}
	}
}

// TestWorth says proven of nothing that isn't.
func TestWorth(t *testing.T) {
	for _, tt := range []struct {
		point analysis.Point
		want  string
	}{
		{analysis.Point{Chance: 0.5}, "about even (ana: 50 %)"},
		{analysis.Point{Chance: 0.46}, "about even (rui: 54 %)"},
		{analysis.Point{Chance: 0.63}, "ana is a little better (63 %)"},
		{analysis.Point{Chance: 0.2}, "rui is better (80 %)"},
		{analysis.Point{Chance: 1}, "ana is much better (99 %)"},
		{analysis.Point{Chance: 0, Proven: analysis.ProvenSecond, Plies: 5}, "proven: rui wins within 5 moves"},
		{analysis.Point{Chance: 1, Proven: analysis.ProvenFirst, Plies: 1}, "proven: ana wins at once"},
		{analysis.Point{Chance: 1, Proven: analysis.ProvenFirst}, "proven: ana wins"},
		{analysis.Point{Chance: 0.5, Proven: analysis.ProvenDraw}, "proven: a draw"},
	} {
		a := Analysis{points: []analysis.Point{tt.point, {}}}
		if got := a.Worth(wording.Words{}, [2]string{"ana", "rui"}, 0); got != tt.want {
			t.Errorf("worth of %+v = %q, want %q", tt.point, got, tt.want)
		}
		if got := a.Worth(wording.Words{}, [2]string{"ana", "rui"}, 0); strings.Contains(got, "proven") != (tt.point.Proven != analysis.Unproven) {
			t.Errorf("%q of %+v", got, tt.point)
		}
	}
}

// TestTimeText: only a time that is known and not nothing is told.
func TestTimeText(t *testing.T) {
	s := reviewScreen{env: &screen.Env{}, spent: []time.Duration{0, 72 * time.Second}}
	for at, want := range []string{"", "", " (1:12)", ""} {
		s.at = at
		if got := s.timeText(); got != want {
			t.Errorf("after %d moves: %q, want %q", at, got, want)
		}
	}
}

// TestRemarks: a reason stands after what was given away, unless it says that itself, and shorter forms follow for windows without the room.
func TestRemarks(t *testing.T) {
	before := analysis.Point{Chance: 0.6, Mark: analysis.Blunder, Best: "d4", Line: []games.Move{"d4", "e5"}}
	for _, tt := range []struct {
		why  games.Claim
		want []string
	}{
		{games.Claim{}, []string{"chances fall from 60 to 20 %; better d4 e5"}},
		{games.Claim{Kind: "of another game", Count: 1}, []string{"chances fall from 60 to 20 %; better d4 e5"}},
		{games.Claim{Kind: games.LetsWin, Move: "c3", Count: 2}, []string{
			"lets rui win within 2 own moves, beginning with c3; better d4 e5",
			"lets rui win within 2 own moves, beginning with c3",
			"lets rui win within 2 own moves, beginning with c3",
		}},
		{games.Claim{Kind: petteia.MenLost, Move: "f7-f5", Cells: []string{"c5"}, Count: 1}, []string{
			"chances fall from 60 to 20 %: lets rui capture a man with f7-f5 (c5); better d4 e5",
			"chances fall from 60 to 20 %: lets rui capture a man with f7-f5 (c5)",
			"lets rui capture a man with f7-f5 (c5)",
		}},
	} {
		before.Why = tt.why
		a := Analysis{timeline: &Timeline{moves: []games.Move{"a1"}, Turns: []games.Side{games.First, games.Second}}, points: []analysis.Point{before, {Chance: 0.2}}}
		if got := a.remarks(wording.Words{}, [2]string{"ana", "rui"}, 1); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.why, got, tt.want)
		}
	}
}
