package review

import (
	"slices"
	"testing"

	"ludoteca/games"
)

// TestPath walks through a match, a line of the analysis and moves that are tried. After every step the moves that lead to the board, their
// numbers and the board itself agree.
func TestPath(t *testing.T) {
	v := viewOf(t, shortWin...)
	r, err := NewTimeline(v)
	if err != nil {
		t.Fatal(err)
	}
	all := len(shortWin)
	p := path{view: v, timeline: r}
	for _, tt := range []struct {
		name          string
		step          func(path) path
		inMatch       int          // moves of the match that lead to the board
		off           []games.Move // moves after these that were not played
		length        int
		trying, atEnd bool
	}{
		{"the end", func(p path) path { return p.goTo(all) }, all, nil, all, false, true},
		{"past the end", func(p path) path { return p.step(1) }, all, nil, all, false, true},
		{"back", func(p path) path { return p.step(-2) }, all - 2, nil, all, false, false},
		{"past the beginning", func(p path) path { return p.step(-all) }, 0, nil, all, false, false},
		{"on", func(p path) path { return p.step(1) }, 1, nil, all, false, false},
		{"a line", func(p path) path {
			p.variation = NewVariation(r, 1, []games.Move{"b1", "c2"}, BestLine)
			return p
		}, 1, []games.Move{"b1"}, 2, false, false},
		{"past its end", func(p path) path { return p.step(5) }, 1, []games.Move{"b1", "c2"}, 2, false, false},
		{"before its beginning", func(p path) path { return p.step(-5) }, 1, nil, 2, false, false},
		{"on in it", func(p path) path { return p.step(1) }, 1, []games.Move{"b1"}, 2, false, false},
		{"own moves after it", path.try, 1, []games.Move{"b1"}, 1, true, false},
		{"these done", path.done, 1, []games.Move{"b1"}, 1, false, false},
		{"back in the match", func(p path) path { return p.goTo(p.at) }, 1, nil, all, false, false},
		{"own moves", path.try, 1, nil, 0, true, false},
		{"none made", path.done, 1, nil, all, false, false},
	} {
		p = tt.step(p)
		want := slices.Concat(shortWin[:tt.inMatch], tt.off)
		if got := p.moves(); !slices.Equal(got, want) {
			t.Errorf("%s: the moves are %v, want %v", tt.name, got, want)
		}
		if p.inMatch() != tt.inMatch || p.length() != tt.length || p.trying() != tt.trying || p.atEnd() != tt.atEnd {
			t.Errorf("%s: %d of the match, %d in all, trying %v, at the end %v", tt.name, p.inMatch(), p.length(), p.trying(), p.atEnd())
		}
		if shown := len(tt.off); p.variation != nil && p.shown() != shown || p.variation == nil && p.shown() != tt.inMatch {
			t.Errorf("%s: %d moves are shown", tt.name, p.shown())
		}
		scene, before, last := p.board()
		if got := scene.Position().String(); got != positionAfter(t, want).String() {
			t.Errorf("%s: the board shows %s after %v", tt.name, got, want)
		}
		if before != nil && (last != want[len(want)-1] || before.Position().String() != positionAfter(t, want[:len(want)-1]).String()) {
			t.Errorf("%s: the last move is %s on %s, after %v", tt.name, last, before.Position(), want)
		}
	}
}

// positionAfter plays moves of 4Mation from its start.
func positionAfter(t *testing.T, moves []games.Move) games.Position {
	t.Helper()
	v := viewOf(t)
	p, err := v.Game.New(v.Options)
	for i := 0; err == nil && i < len(moves); i++ {
		p, err = p.Play(moves[i])
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}
