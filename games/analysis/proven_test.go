package analysis_test

import (
	"strings"
	"testing"

	"ludoteca/games"
	. "ludoteca/games/analysis"
	"ludoteca/games/catalog"
	"ludoteca/games/fourmation"
)

// TestKnowsWhatIsProven: in every game with built-in proven positions, such a position has its proven value, although an analysis could
// not prove it.
func TestKnowsWhatIsProven(t *testing.T) {
	const nodes = 50
	asked := 0
	for _, g := range catalog.All() {
		for _, k := range games.AllProven(g) {
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

// beginning returns the start of 4Mation with some options.
func beginning(t *testing.T, o games.Options) games.Position {
	t.Helper()
	p, err := games.ProvenPosition{Options: o}.Position(fourmation.New())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestKnowsTurnedBoards: what is proven of a position is known of it on the board turned and mirrored too, with the moves of the win.
func TestKnowsTurnedBoards(t *testing.T) {
	g := fourmation.New()
	for _, moves := range []string{"e3 f3", "c3 b3", "e5 f5", "c5 b5", "c5 c6", "e5 e6", "c3 c2", "e3 e2", "d5 d6", "d3 d2", "c4 b4", "e4 f4"} {
		var played []games.Move
		for _, m := range strings.Fields(moves) {
			played = append(played, games.Move(m))
		}
		p := beginning(t, nil)
		a, err := Analyse(t.Context(), g, p, played, 50, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := a.Points[2]
		if got.Proven != ProvenFirst || got.Plies < 43 || len(got.Line) < MaxLine && len(got.Line) < 14 {
			t.Errorf("after %s: %+v", moves, got)
		}
		for _, m := range append(played, got.Line...) {
			if p, err = p.Play(m); err != nil {
				t.Fatalf("after %s: %v: %v", moves, got.Line, err)
			}
		}
	}
	a, err := Analyse(t.Context(), g, beginning(t, games.Options{"cols": 5, "rows": 6}), nil, 50, nil)
	if err != nil || a.Points[0].Proven != ProvenDraw {
		t.Errorf("5x6: %+v, %v", a, err)
	}
}

// TestFollowsProvenDraws: after the start of a proven draw each position is one too, until a move gives it away, and then the win is proven.
func TestFollowsProvenDraws(t *testing.T) {
	g := fourmation.New()
	for _, tt := range []struct {
		size, nodes int
	}{{4, 2_000}, {5, 50_000}} {
		random := games.NewRandom(7)
		p := beginning(t, games.Options{"cols": tt.size, "rows": tt.size})
		begin, moves := p, []games.Move(nil)
		for len(moves) < 8 && !p.Result().Over {
			legal := p.Legal()
			m := legal[random.N(len(legal))]
			next, err := p.Play(m)
			if err != nil {
				t.Fatal(err)
			}
			p, moves = next, append(moves, m)
		}
		a, err := Analyse(t.Context(), g, begin, moves, tt.nodes, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, point := range a.Points {
			if point.Proven == Unproven {
				t.Errorf("%dx%d, after %v: %+v", tt.size, tt.size, moves[:i], point)
			}
		}
	}
}
