package matchpage

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestAdjournAtTheBoard: one side asks to adjourn the match, the other agrees, and the clock stands until one of them goes on.
func TestAdjournAtTheBoard(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		synctest.Test(t, func(t *testing.T) {
			b := uitest.NewTimedMatch(t, "fourmation", nil, true, clock.NewCorrespondence(3))
			ana, rui := open(b, b.Ana, size[0], size[1], accounts.Settings{}, "LC_ALL=C.UTF-8"), open(b, b.Rui, 80, 24, accounts.Settings{}, "LC_ALL=C.UTF-8")
			settle := func() {
				ana.Settle()
				rui.Settle()
			}
			stands := func(want bool) {
				t.Helper()
				if got := len(b.View().Pauses.At(time.Now())) > 0; got != want {
					t.Fatalf("the clock stands: %v, want %v", got, want)
				}
			}
			ana.Keys("/adjourn", "enter")
			ana.Sees("Not both sides have moved yet")
			b.Play("d4", "e5")
			settle()
			ana.Keys("/resume", "enter")
			ana.Sees("not adjourned")
			ana.Keys("/adjourn", "enter")
			settle()
			rui.Sees("ana asks to adjourn the match: /accept, /decline")
			stands(false)
			rui.Keys("/accept", "enter")
			settle()
			stands(true)
			rui.Sees("The match is adjourned until")
			if page := ana.Page(); strings.Contains(page, "declines") {
				t.Errorf("an agreement is shown as declined:\n%s", page)
			}
			uitest.Golden(t, fmt.Sprintf("utf-8/board-adjourned-%dx%d", size[0], size[1]), b.Page(ana))
			rui.Keys("/resume", "enter")
			settle()
			stands(false)
			for _, s := range []*uitest.Session{ana, rui} {
				s.Misses("adjourned")
			}
		})
	}
}

// TestVacationAtTheBoard: the board says who is on vacation until when.
func TestVacationAtTheBoard(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		synctest.Test(t, func(t *testing.T) {
			b := uitest.NewTimedMatch(t, "fourmation", nil, true, clock.NewCorrespondence(3))
			b.Play("d4", "e5")
			if _, err := b.Club.Vacations.Begin(t.Context(), b.Ana, time.Now().Add(5*clock.Day)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			s := open(b, b.Rui, size[0], size[1], accounts.Settings{}, "LC_ALL=C.UTF-8")
			uitest.Golden(t, fmt.Sprintf("utf-8/board-vacation-%dx%d", size[0], size[1]), b.Page(s))
		})
	}
}
