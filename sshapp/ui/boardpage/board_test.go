package boardpage

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// TestBoardTurns: a board is seen from the side of its player, and is turned round and back. One that has no other side says so and stays. The
// board before the key is not changed.
func TestBoardTurns(t *testing.T) {
	ana, rui := lobby.User{Kind: storage.Person, ID: "p1", Name: "ana"}, lobby.User{Kind: storage.Person, ID: "p2", Name: "rui"}
	v := &lobby.View{Summary: lobby.Summary{Seats: [2]storage.Occupant{ana.Occupant(), rui.Occupant()}}}
	for _, tt := range []struct {
		game    string
		flipped [2]bool // for the two players before the key
		turns   bool
	}{
		{"petteia", [2]bool{false, true}, true},
		{"fourmation", [2]bool{false, false}, true},
		{"flugelrad", [2]bool{false, false}, false},
	} {
		b := Board{Scene: sceneOf(t, tt.game)}
		seen := func(b Board) [2]bool { return [2]bool{b.Flipped(v, ana), b.Flipped(v, rui)} }
		turned := b.Flip(wording.Words{})
		if got := seen(b); got != tt.flipped {
			t.Errorf("%s: flipped for the players: %v, want %v", tt.game, got, tt.flipped)
		}
		if !tt.turns {
			if turned.Turned || turned.Input.Problem != "This board has no other side." || turned.MayFlip() != ErrNoOtherSide {
				t.Errorf("%s: turned %v, and it says %q", tt.game, turned.Turned, turned.Input.Problem)
			}
			continue
		}
		if got := seen(turned); got != [2]bool{!tt.flipped[0], !tt.flipped[1]} || turned.Input.Problem != "" {
			t.Errorf("%s turned round: flipped for the players: %v, and it says %q", tt.game, got, turned.Input.Problem)
		}
		if back := turned.Flip(wording.Words{}); seen(back) != tt.flipped {
			t.Errorf("%s turned twice is another one", tt.game)
		}
	}
}

// TestBoardScrolls: on a board that does not fit, the cursor stays in view where it goes. On one that fits, nothing scrolls.
func TestBoardScrolls(t *testing.T) {
	for _, size := range []tea.WindowSizeMsg{{Width: 100, Height: 40}, {Width: 24, Height: 9}} {
		b := Board{Scene: sceneOf(t, "petteia"), Size: size}
		b.Input.Sel = b.Scene.Start(0)
		scrolled := false
		for range 30 {
			next, ok := b.Arrow("up", false, true)
			if !ok {
				t.Fatal("an arrow is refused")
			}
			st := boardview.State{Selection: next.Input.Selection(next.Scene), Yours: true, Scroll: next.Scroll}
			b = next.Scrolled(st)
			scrolled = scrolled || b.Scroll != boardview.Scroll{}
			st.Scroll = b.Scroll
			if x, y := b.CursorAt(st); x < 0 || y < 0 || x >= size.Width || y >= size.Height {
				t.Fatalf("in %dx%d the cursor is at %d,%d", size.Width, size.Height, x, y)
			}
		}
		if fits := size.Height > 30; scrolled == fits {
			t.Errorf("in %dx%d the board scrolls: %v", size.Width, size.Height, scrolled)
		}
	}
}
