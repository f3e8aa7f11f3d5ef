package review

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
)

// withRui returns a session of rui in the lobby of the club.
func (l reviewTest) withRui(t *testing.T, w, h int, environ ...string) *uitest.Session {
	t.Helper()
	return begin(t, w, h, ui.Config{Lobby: l.analyzer.Services(), Who: l.Rui, Now: time.Now, Environ: environ})
}

// invite has ana ask rui to look at the review, and rui join.
func (l reviewTest) invite(rui *uitest.Session) {
	l.Keys("t", "rui", "enter")
	rui.Settle()
	rui.Keys("ctrl+g")
	l.Settle()
}

// TestTogether: one leads through a review, the other sees the same board, both write to each other, notes stay private, and each may leave.
func TestTogether(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		rui := l.withRui(t, 80, 24)
		l.ready()
		l.Keys("t")
		l.Sees("Who is to look at this with you? Type a name.")
		l.Keys("nobody", "enter")
		l.Sees("Nobody here has this name.")
		l.Keys("t", "/together rui", "enter")
		l.Sees("Waiting for rui ...")
		rui.Settle()
		rui.Sees("ana asks you to look at a review together", "ctrl+g joins, esc declines")
		rui.Keys("ctrl+g")
		rui.Sees("ana leads through the review.", "move 7 of 7")
		rui.Misses("asks you")
		l.Settle()
		l.Sees("You lead; rui sees your board.")

		l.Keys("left", "left", "w", "a secret", "enter")
		l.Sees("Your note: a secret")
		rui.Settle()
		rui.Sees("move 5 of 7")
		rui.Misses("secret")
		rui.Keys("left", "home", "up")
		rui.Sees("move 5 of 7")
		l.Keys("a", "d1", "enter", "d2", "enter")
		rui.Settle()
		rui.Sees("ana shows: d1 d2", "not played")
		l.Keys("backspace")
		rui.Settle()
		rui.Misses("d1 d2")
		l.Keys("esc", "esc")
		rui.Settle()
		rui.Sees("move 5 of 7")
		rui.Misses("ana shows")

		l.Keys("t", "you see?", "enter")
		rui.Settle()
		rui.Sees("ana: you see?")
		rui.Keys("t")
		rui.Sees("Write to ana.")
		rui.Keys("I do", "enter")
		l.Settle()
		l.Sees("rui: I do")

		rui.Keys("esc")
		rui.Misses("ana leads")
		rui.Keys("left")
		rui.Sees("move 4 of 7")
		l.Settle()
		l.Sees("rui has left. You look at the review alone now.", "move 5 of 7")
	})
}

// TestTurnedTogether: the board is turned round for the one who follows, too.
func TestTurnedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := reviewCase{game: "petteia", plies: 40}
		l := v.at(t, 80, 24) // rui's review
		ana := begin(t, 80, 24, ui.Config{Lobby: l.analyzer.Services(), Who: l.Ana, Now: time.Now})
		l.Keys("t", "ana", "enter")
		ana.Settle()
		ana.Keys("ctrl+g")
		flipped := func(s *uitest.Session) bool {
			r := s.App.Top().(reviewScreen)
			return r.Flipped(r.view, r.env.Who)
		}
		for range 3 {
			if flipped(l.Session) != flipped(ana) {
				t.Fatalf("one board is turned and the other is not:\n%s\n%s", l.page(), ana.Page())
			}
			l.Keys("f")
			ana.Settle()
		}
	})
}

// TestInvitationsEnd: an invitation that is declined is gone for both, and a page that is left ends what it led.
func TestInvitationsEnd(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		rui := l.withRui(t, 40, 20)
		l.Keys("t", "rui", "enter")
		rui.Settle()
		rui.Keys("esc")
		rui.Misses("asks you")
		l.Settle()
		l.Sees("rui doesn't come.")
		l.invite(rui)
		rui.Sees("ana leads")
		l.Keys("esc")
		rui.Settle()
		rui.Sees("ana has left.")
	})
}

// TestTogetherPictures keeps pictures of both boards and of the invitation.
func TestTogetherPictures(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		name := map[int]string{80: "80x24", 40: "40x20"}[size[0]]
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := openReview(t, size[0], size[1], "LC_ALL=C.UTF-8")
				l.ready()
				rui := l.withRui(t, size[0], size[1], "LC_ALL=C.UTF-8")
				l.Keys("t", "rui", "enter")
				rui.Settle()
				uitest.Golden(t, "utf-8/review-invited-"+name, l.Mask(rui.Page()))
				rui.Keys("ctrl+g")
				l.Settle()
				l.Keys("left", "left", "t", "here you had d1 first, and the line was yours", "enter")
				rui.Settle()
				uitest.Golden(t, "utf-8/review-led-"+name, l.page())
				rui.Keys("t", "I did not see it")
				uitest.Golden(t, "utf-8/review-following-"+name, l.Mask(rui.Page()))
			})
		})
	}
}
