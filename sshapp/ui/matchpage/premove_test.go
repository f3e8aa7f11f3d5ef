package matchpage

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"ludoteca/lobby/clock"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// openTimed opens ana's board of a match of five minutes a side, after d4, while rui thinks.
func openTimed(t *testing.T, w, h int) (*uitest.Match, *uitest.Session) {
	t.Helper()
	b := uitest.NewTimedMatch(t, "fourmation", nil, true, clock.NewFischer(5, 3))
	b.Play("d4")
	return b, open(b, b.Ana, w, h, accounts.Settings{}, "LC_ALL=C.UTF-8")
}

// TestBoardWithPremove shows a premove on the board and in the prompt.
func TestBoardWithPremove(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		synctest.Test(t, func(t *testing.T) {
			b, s := openTimed(t, size[0], size[1])
			s.Keys("e6")
			uitest.Golden(t, fmt.Sprintf("utf-8/board-premove-typed-%dx%d", size[0], size[1]), b.Page(s))
			s.Keys("enter")
			uitest.Golden(t, fmt.Sprintf("utf-8/board-premove-%dx%d", size[0], size[1]), b.Page(s))
		})
	}
}

// TestPremove: a premove is played when the turn comes if it is legal then, and dropped with a word if it isn't.
func TestPremove(t *testing.T) {
	for _, tt := range []struct {
		name  string
		keys  []string // of ana while rui thinks
		reply string   // rui's move
		moves string
		says  string
	}{
		{"legal then", []string{"e6", "enter"}, "e5", "[d4 e5 e6]", "waiting"},
		{"legal before and then", []string{"d5", "enter"}, "e5", "[d4 e5 d5]", "waiting"},
		{"illegal then", []string{"e6", "enter"}, "c3", "[d4 c3]", "e6 can't be played now"},
		{"another one instead", []string{"e6", "enter", "d6", "enter"}, "e5", "[d4 e5 d6]", "waiting"},
		{"taken back by esc", []string{"e6", "enter", "esc"}, "e5", "[d4 e5]", "Your move"},
		{"esc clears what is typed first", []string{"e6", "enter", "f", "esc"}, "e5", "[d4 e5 e6]", "waiting"},
		{"taken back by a command", []string{"e6", "enter", "/premove off", "enter"}, "e5", "[d4 e5]", "Your move"},
		{"typed only", []string{"e6"}, "e5", "[d4 e5]", "enter plays e6"},
		{"no move", []string{"zz9", "enter"}, "e5", "[d4 e5]", "zz9"},
		{"on the square of the reply", []string{"e5", "enter"}, "e5", "[d4 e5]", "e5 can't be played now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, s := openTimed(t, 80, 24)
				s.Keys(tt.keys...)
				if v := b.View(); v.Ply() != 1 {
					t.Fatalf("before the reply the moves are %v", v.Moves)
				}
				b.PlayAs(b.Rui, tt.reply)
				s.Settle()
				if v := b.View(); fmt.Sprint(v.Moves) != tt.moves {
					t.Errorf("the moves are %v, want %s", v.Moves, tt.moves)
				}
				if page := s.Page(); !strings.Contains(page, tt.says) {
					t.Errorf("the page lacks %q:\n%s", tt.says, page)
				}
			})
		})
	}
}

// TestPremoveOnlyOnce: a premove is sent once, and the next turn is the player's own.
func TestPremoveOnlyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := openTimed(t, 80, 24)
		s.Keys("e6", "enter")
		b.PlayAs(b.Rui, "e5")
		s.Settle()
		b.PlayAs(b.Rui, "f6")
		s.Settle()
		if v := b.View(); fmt.Sprint(v.Moves) != "[d4 e5 e6 f6]" || !v.YourTurn(b.Ana) {
			t.Errorf("the moves are %v", v.Moves)
		}
	})
}

// TestNoPremove: there are no premoves where no clock counts seconds, at one keyboard, or for spectators.
func TestNoPremove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := openSlow(t, 80, 24)
		s.Keys("e6", "enter")
		if page := s.Page(); !strings.Contains(page, "It is not your turn") {
			t.Errorf("with days a move:\n%s", page)
		}
		b.PlayAs(b.Rui, "e5")
		s.Settle()
		if v := b.View(); v.Ply() != 2 {
			t.Errorf("the moves are %v", v.Moves)
		}
		timed, _ := openTimed(t, 80, 24)
		eva := timed.Person("eva")
		w := open(timed, eva, 80, 24, accounts.Settings{}, "LC_ALL=C.UTF-8")
		w.Keys("e6", "enter")
		timed.PlayAs(timed.Rui, "e5")
		w.Settle()
		if v := timed.View(); v.Ply() != 2 {
			t.Errorf("a spectator has moved: %v", v.Moves)
		}
	})
}

// TestPremoveOfPiece: a premove may move a piece, which is chosen on the board meanwhile.
func TestPremoveOfPiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewTimedMatch(t, "petteia", nil, true, clock.NewFischer(5, 3))
		b.Play("b1-b7")
		s := open(b, b.Ana, 80, 24, accounts.Settings{}, "LC_ALL=C.UTF-8")
		s.Keys("d1d5", "enter")
		if page := s.Page(); !strings.Contains(page, "d1-d5 is played as soon as it is your turn") {
			t.Errorf("the page is\n%s", page)
		}
		b.PlayAs(b.Rui, "c8-c2")
		s.Settle()
		if v := b.View(); fmt.Sprint(v.Moves) != "[b1-b7 c8-c2 d1-d5]" {
			t.Errorf("the moves are %v", v.Moves)
		}
	})
}
