package matchpage

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// openSlow opens ana's board of a match with three days a move, after d4.
func openSlow(t *testing.T, w, h int) (*uitest.Match, *uitest.Session) {
	t.Helper()
	b := uitest.NewTimedMatch(t, "fourmation", nil, true, clock.NewCorrespondence(3))
	b.Play("d4")
	return b, open(b, b.Ana, w, h, accounts.Settings{}, "LC_ALL=C.UTF-8")
}

// TestBoardWithPlan: a player plays on at the board to make a plan, sees it there, and drops it. The other side sees nothing.
func TestBoardWithPlan(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		synctest.Test(t, func(t *testing.T) {
			b, s := openSlow(t, size[0], size[1])
			name := func(what string) string { return fmt.Sprintf("utf-8/board-plan-%s-%dx%d", what, size[0], size[1]) }
			s.Keys("/plan", "enter", "e5", "enter", "e4", "enter")
			uitest.Golden(t, name("made"), b.Page(s))
			s.Keys("ctrl+p", "backspace", "d5", "enter", "ctrl+p") // the other answer counts
			uitest.Golden(t, name("kept"), b.Page(s))
			s.Keys("backspace", "backspace", "d5", "enter", "ctrl+p")
			if page := s.Page(); !strings.Contains(page, "A planned line begins") {
				t.Errorf("a line without an answer:\n%s", page)
			}
			s.Keys("c6", "enter", "ctrl+p", "esc", "esc", "esc")
			uitest.Golden(t, name("shown"), b.Page(s))
			rui := open(b, b.Rui, size[0], size[1], accounts.Settings{}, "LC_ALL=C.UTF-8")
			if page := rui.Page(); strings.Contains(page, "lan") && (strings.Contains(page, "Your plan") || strings.Contains(page, "Planned")) {
				t.Errorf("the other side sees\n%s", page)
			}
			rui.Keys("e5", "enter")
			if v := b.View(); fmt.Sprint(v.Moves) != "[d4 e5 d5]" {
				t.Errorf("the moves are %v", v.Moves)
			}
			s.Settle()
			if page := s.Page(); strings.Contains(page, "Your plan") || strings.Contains(page, "Planned") {
				t.Errorf("after its last move the plan is\n%s", page)
			}
		})
	}
}

// TestPlanEndsWithItsMatch: a review that is open when its match ends shows no plan any more, and plans nothing.
func TestPlanEndsWithItsMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := openSlow(t, 80, 24)
		s.Keys("/plan", "enter", "e5", "enter", "e4", "enter", "ctrl+p", "esc")
		if page := s.Page(); !strings.Contains(page, "Your plan") {
			t.Fatalf("the review shows no plan:\n%s", page)
		}
		rui, err := b.Club.Seats.At(t.Context(), b.Rui, b.Ref)
		if err != nil {
			t.Fatal(err)
		}
		if err := rui.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Settle()
		if page := s.Page(); strings.Contains(page, "Your plan") || strings.Contains(page, "plan moves") {
			t.Errorf("when the match is over the review shows\n%s", page)
		}
	})
}

// TestDropPlan: a plan is dropped by a command, and there is none in a match without days a move or on the player's turn.
func TestDropPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := openSlow(t, 80, 24)
		s.Keys("/plan clear", "enter")
		if page := s.Page(); !strings.Contains(page, "That can't be done now.") {
			t.Errorf("nothing to drop:\n%s", page)
		}
		s.Keys("/plan", "enter", "e5", "enter", "e4", "enter", "ctrl+p", "esc", "esc", "esc")
		if p, err := b.Club.Plans.Of(t.Context(), b.Ana, b.Ref.ID); err != nil || fmt.Sprint(p.Lines) != "[[e5 e4]]" {
			t.Errorf("the plan is %v, %v", p.Lines, err)
		}
		s.Keys("/plan clear", "enter")
		if p, err := b.Club.Plans.Of(t.Context(), b.Ana, b.Ref.ID); err != nil || len(p.Lines) > 0 {
			t.Errorf("the plan is %v, %v", p.Lines, err)
		}
		b.Play("e5")
		s.Settle()
		s.Keys("/plan", "enter")
		if page := s.Page(); !strings.Contains(page, "It is your turn. Move first") {
			t.Errorf("on the player's turn:\n%s", page)
		}
		other := uitest.NewMatch(t, "fourmation", nil, true)
		other.Play(games.Move("d4"))
		o := open(other, other.Ana, 80, 24, accounts.Settings{}, "LC_ALL=C.UTF-8")
		o.Keys("/plan", "enter")
		if page := o.Page(); !strings.Contains(page, "days a move") {
			t.Errorf("without days a move:\n%s", page)
		}
	})
}
