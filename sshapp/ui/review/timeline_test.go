package review

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
)

// shortWin is a match of 4Mation that the first side wins.
var shortWin = []games.Move{"a1", "b2", "b1", "c2", "c1", "d2", "d1"}

// viewOf returns a match of 4Mation with some moves.
func viewOf(t *testing.T, moves ...games.Move) *lobby.View {
	t.Helper()
	g, _ := catalog.Find("fourmation")
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &lobby.View{Summary: lobby.Summary{Game: g, Options: o}, Moves: moves}
}

// TestTimeline looks at a long match at some plies, and compares with the match played through.
func TestTimeline(t *testing.T) {
	g, _ := catalog.Find("petteia")
	o, err := games.Complete(g, games.Options{"quiet_limit": 0, "repetition": 5, "captures_to_win": 12})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	v := &lobby.View{Summary: lobby.Summary{Game: g, Options: o}}
	r := games.NewRandom(1)
	var after []string
	for range 3000 {
		after = append(after, p.String())
		legal := p.Legal()
		if len(legal) == 0 {
			break
		}
		m := legal[r.N(len(legal))]
		v.Moves = append(v.Moves, m)
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	after = append(after, p.String())
	line, err := NewTimeline(v)
	if err != nil {
		t.Fatal(err)
	}
	if len(line.states) > timelineStates {
		t.Errorf("%d states are kept, want at most %d", len(line.states), timelineStates)
	}
	for ply := 0; ply <= len(v.Moves); ply += 41 {
		if got := line.position(ply).String(); got != after[ply] {
			t.Fatalf("after %d moves: %s\nwant %s", ply, got, after[ply])
		}
	}
	if got := line.position(len(v.Moves)).String(); got != after[len(v.Moves)] {
		t.Errorf("at the end: %s\nwant %s", got, after[len(v.Moves)])
	}
	v.Moves = append(v.Moves[:5:5], "a1-a1")
	if _, err := NewTimeline(v); err == nil {
		t.Error("a move that can't be is taken")
	}
}

// TestVariationsHaveAnEnd: a variation takes a bounded number of moves.
func TestVariationsHaveAnEnd(t *testing.T) {
	r, err := NewTimeline(viewOf(t))
	if err != nil {
		t.Fatal(err)
	}
	b, ok := &Variation{timeline: r}, true
	for range variationPlies {
		if b, ok = b.Play("a1"); !ok {
			t.Fatalf("refused after %d moves", b.At)
		}
	}
	if _, ok := b.Play("a1"); ok || b.At != variationPlies {
		t.Errorf("a variation takes more than %d moves", variationPlies)
	}
}

// TestLinesAreChecked: of a line that can't be played, only the start is.
func TestLinesAreChecked(t *testing.T) {
	r, err := NewTimeline(viewOf(t, shortWin...))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		from int
		line []games.Move
		want int
	}{
		{"legal", 0, []games.Move{"d4", "e5"}, 2},
		{"the end isn't", 0, []games.Move{"d4", "d4", "e5"}, 1},
		{"nothing is", 0, []games.Move{"swap"}, 0},
		{"over the end", 6, []games.Move{"d1", "a1"}, 1},
		{"after the end", 7, []games.Move{"a1"}, 0},
		{"empty", 3, nil, 0},
	} {
		got := 0
		if b := NewVariation(r, tt.from, tt.line, BestLine); b != nil {
			got = len(b.Moves)
			b.To(got).Scene()
		}
		if got != tt.want {
			t.Errorf("%s: %d moves of %v, want %d", tt.name, got, tt.line, tt.want)
		}
	}
}
