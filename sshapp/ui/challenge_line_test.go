package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// TestChallengeLine: a challenged player is told so at once on every screen, and answers with a key.
func TestChallengeLine(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		keys  string // that answer
		sees  []string
		ends  func(v *lobby.View) bool // how the match of the challenge stands then
		lasts bool                     // the line is gone, and the challenge is not
	}{
		{"accepted", 100, "ctrl+y", []string{"bia challenges you: Petteia, 5+3, casual, you play first · ctrl+y accepts, ctrl+d declines"},
			func(v *lobby.View) bool { return !v.Started.IsZero() && !v.Over }, false},
		{"declined", 80, "ctrl+d", []string{"bia challenges you: Petteia, 5+3, casual · ctrl+y accepts, ctrl+d declines"},
			func(v *lobby.View) bool { return v.Over && v.Started.IsZero() }, false},
		{"in a narrow window", 64, "ctrl+d", []string{"bia challenges you: Petteia · ctrl+y accepts, ctrl+d declines"},
			func(v *lobby.View) bool { return v.Over && v.Started.IsZero() }, false},
		{"hidden, in a very narrow window", 40, "esc", []string{"bia challenges you: Petteia", "ctrl+y accepts, ctrl+d declines"},
			func(v *lobby.View) bool { return !v.Over && v.Started.IsZero() }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				club := uitest.OpenLobby(t)
				ana, err := club.Accounts.SignUp(t.Context(), "SHA256:ana", "ana")
				if err != nil {
					t.Fatal(err)
				}
				bia, err := club.Accounts.SignUp(t.Context(), "SHA256:bia", "bia")
				if err != nil {
					t.Fatal(err)
				}
				defer club.Presence.Enter(bia)()
				s := begin(t, tt.width, 24, Config{Lobby: screen.Of(club), Who: ana, Now: time.Now})
				s.GoTo("Settings")
				clock, err := lobby.ParseClock("5+3")
				if err != nil {
					t.Fatal(err)
				}
				ref, err := club.Seats.Open(t.Context(), bia, seats.Spec{Game: "petteia", To: "ana", Clock: clock, Side: seats.PlaySecond})
				if err != nil {
					t.Fatal(err)
				}
				s.Pass(time.Second)
				s.Sees(tt.sees...)
				if s.Bells != 1 {
					t.Errorf("the bell rang %d times, want once", s.Bells)
				}
				s.Keys(tt.keys)
				s.Pass(time.Second)
				if strings.Contains(s.Page(), "challenges you") {
					t.Errorf("the line is still there:\n%s", s.Page())
				}
				seat, err := club.Seats.At(t.Context(), bia, ref)
				if err != nil {
					t.Fatal(err)
				}
				v, err := seat.Now(t.Context())
				if err != nil || !tt.ends(v) {
					t.Errorf("the match: started %v, over %v, %v", v.Started, v.Over, err)
				}
				if n := len(club.Lists.Yours(ana).Invitations); (n == 1) != tt.lasts {
					t.Errorf("%d challenges are left", n)
				}
			})
		})
	}
}

// TestChallengeLineEnds: the line goes with the challenge, and does not tell of what waited before the session.
func TestChallengeLineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		ana, err := club.Accounts.SignUp(t.Context(), "SHA256:ana", "ana")
		if err != nil {
			t.Fatal(err)
		}
		bia, err := club.Accounts.SignUp(t.Context(), "SHA256:bia", "bia")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := club.Seats.Open(t.Context(), bia, seats.Spec{Game: "petteia", To: "ana"}); err != nil {
			t.Fatal(err)
		}
		defer club.Presence.Enter(bia)()
		s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: ana, Now: time.Now})
		s.Misses("challenges you")
		eva, err := club.Accounts.SignUp(t.Context(), "SHA256:eva", "eva")
		if err != nil {
			t.Fatal(err)
		}
		defer club.Presence.Enter(eva)()
		if _, err := club.Seats.Open(t.Context(), eva, seats.Spec{Game: "tanks", To: "ana"}); err != nil {
			t.Fatal(err)
		}
		s.Pass(time.Second)
		s.Sees("eva challenges you")
		s.Pass(seats.ChallengeWait)
		s.Misses("challenges you")
	})
}

// TestChallengeSaysItsStake: below a rated challenge stands what it would do to the player's rating, as long as the challenge does; it is
// read once.
func TestChallengeSaysItsStake(t *testing.T) {
	club := challenged()
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, 80, 24, Config{Lobby: club.Services(), Who: uitest.Ana})
		s.Sees("rui challenges you: Petteia, 5+3, rated", "win +9 · draw +1 · loss -7")
		s.Keys("down", "up")
		s.Sees("win +9 · draw +1 · loss -7")
		s.Keys("esc")
		s.Misses("challenges you", "win +9")
		if len(club.Staked) != 1 {
			t.Errorf("its stake was read %d times", len(club.Staked))
		}
	})
}

// TestHiddenChallengeComesBack: a challenge that was hidden is shown again by the key that accepts it, and accepted by the next one.
func TestHiddenChallengeComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		ana, err := club.Accounts.SignUp(t.Context(), "SHA256:ana", "ana")
		if err != nil {
			t.Fatal(err)
		}
		bia, err := club.Accounts.SignUp(t.Context(), "SHA256:bia", "bia")
		if err != nil {
			t.Fatal(err)
		}
		defer club.Presence.Enter(bia)()
		s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: ana, Now: time.Now})
		ref, err := club.Seats.Open(t.Context(), bia, seats.Spec{Game: "petteia", To: "ana"})
		if err != nil {
			t.Fatal(err)
		}
		s.Pass(time.Second)
		s.Sees("bia challenges you")
		s.Keys("esc")
		s.Misses("bia challenges you")
		s.Sees("ctrl+y shows the challenge again.")
		s.Keys("ctrl+d") // nothing is declined that isn't seen
		if n := len(club.Lists.Yours(ana).Invitations); n != 1 {
			t.Fatalf("%d challenges are open, want 1", n)
		}
		s.Keys("ctrl+y")
		s.Sees("bia challenges you")
		s.Keys("ctrl+y")
		s.Pass(time.Second)
		seat, err := club.Seats.At(t.Context(), bia, ref)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := seat.Now(t.Context()); err != nil || v.Started.IsZero() {
			t.Errorf("the challenge is not accepted: %v", err)
		}
		s.Keys("ctrl+y") // nothing is left to be shown
		s.Misses("bia challenges you")
	})
}
