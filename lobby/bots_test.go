package lobby

import (
	"context"
	"testing"

	"ludoteca/games"
)

// TestResigning: a computer player gives up what it has lost and nothing else.
func TestResigning(t *testing.T) {
	// Each of its turns: how far the loss is, and whether that is proven.
	type turn struct {
		plies  int
		proven bool
	}
	ten := func(then ...turn) []turn { return append(make([]turn, 5), then...) }
	for _, tt := range []struct {
		name  string
		turns []turn
		want  bool // it resigns at the last of them
	}{
		{"proven twice, and the other follows the way", ten(turn{-14, true}, turn{-12, true}), true},
		{"the other is even quicker", ten(turn{-14, true}, turn{-10, true}), true},
		{"proven once", ten(turn{-14, true}), false},
		{"only believed", ten(turn{-14, false}, turn{-12, false}), false},
		{"proven, then only believed", ten(turn{-14, true}, turn{-12, false}), false},
		{"the other has lost the way", ten(turn{-14, true}, turn{-14, true}), false},
		{"a pretty end", ten(turn{-8, true}, turn{-6, true}), false},
		{"a win", ten(turn{14, true}, turn{12, true}), false},
		{"a draw", ten(turn{0, true}, turn{0, true}), false},
		{"not in a row", ten(turn{-16, true}, turn{0, false}, turn{-12, true}), false},
		{"too early", []turn{{-14, true}, {-12, true}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			loser := Level{ID: "loser", Name: "Victus", Think: func(_ context.Context, p games.Position, _ *games.Random) (Decision, error) {
				d := Decision{Move: p.Legal()[0], Ahead: true, Plies: tt.turns[n].plies, Proven: tt.turns[n].proven}
				n++
				return d, nil
			}}
			c := newClub(t, func(cfg *Config) { cfg.Levels = []Level{loser} })
			spec := Spec{Game: "fourmation", Side: PlayFirst, Bot: "loser", Options: games.Options{"cols": 9, "rows": 9, "win_length": 7}}
			a := c.seat(c.ana, c.open(c.ana, spec).ID)
			var v *View
			for range tt.turns {
				v = c.now(a)
				if v.Over {
					t.Fatalf("over after %d moves: %s", v.Ply(), v.Reason)
				}
				if err := a.Move(t.Context(), v.Position.Legal()[0], v.Ply()); err != nil {
					t.Fatal(err)
				}
				v = c.until(a, func(v *View) bool { return v.Over || v.YourTurn(c.ana) })
			}
			if v.Over != tt.want || v.Over && (v.Reason != "resigned" || v.Result != "first") {
				t.Errorf("over %v: %q, %q", v.Over, v.Result, v.Reason)
			}
		})
	}
}
