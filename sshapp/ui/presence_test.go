package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// TestPresenceOfScreens: a player is at the board that they look at, also behind its help, away in the lobby, and away without a key.
func TestPresenceOfScreens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		bia, err := club.Accounts.SignUp(t.Context(), "SHA256:bia", "bia")
		if err != nil {
			t.Fatal(err)
		}
		caio, err := club.Accounts.SignUp(t.Context(), "SHA256:caio", "caio")
		if err != nil {
			t.Fatal(err)
		}
		ref, err := club.Seats.Open(t.Context(), bia, seats.Spec{Game: "petteia", Side: seats.PlayFirst})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: caio, Start: StartJoin, Code: ref.Code, Now: time.Now})
		s.AtMatch()
		seat, err := club.Seats.At(t.Context(), bia, ref)
		if err != nil {
			t.Fatal(err)
		}
		near := func(when string, want lobby.Nearness) {
			t.Helper()
			s.Pass(2 * time.Second)
			v, err := seat.Now(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Presence[1].Near; got != want {
				t.Errorf("%s: %v, want %v", when, got, want)
			}
		}
		near("at the board", lobby.Here)
		s.Keys("?")
		near("behind the help", lobby.Here)
		s.Keys("esc")
		s.Pass(presence.IdleAfter + time.Minute)
		near("long after the last key", lobby.Away)
		s.Keys("down")
		near("after a key", lobby.Here)
		s.Keys("esc")
		near("in the lobby", lobby.Away)
	})
}
