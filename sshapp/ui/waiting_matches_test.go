package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
)

// TestNextMatch: ctrl+n goes from match to match that waits for the player, the longest first, from any screen, and the window's title
// says how many wait.
func TestNextMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		who, err := club.SignUp(t.Context(), "SHA256:ana", "ana")
		if err != nil {
			t.Fatal(err)
		}
		var waiting []storage.MatchID
		open := func() {
			t.Helper()
			ref, err := club.Open(t.Context(), who, lobby.Spec{Game: "petteia", Bot: "random", Side: lobby.PlayFirst})
			if err != nil {
				t.Fatal(err)
			}
			waiting = append(waiting, ref.ID)
			time.Sleep(time.Minute)
		}
		s := begin(t, 80, 24, Config{Lobby: club, Who: who, Now: time.Now})
		s.Keys("ctrl+n") // nothing waits: it does nothing
		s.OnScreen("lobbypage.lobbyScreen")
		on := func(match int) {
			t.Helper()
			if m, ok := s.App.Top().(screen.MatchScreen); !ok || m.MatchID() != waiting[match] {
				t.Fatalf("not on match %d:\n%s", match, s.Page())
			}
		}
		title := func(want string) {
			t.Helper()
			if got := s.App.View().WindowTitle; !strings.HasPrefix(got, want) {
				t.Errorf("the title is %q, want %q", got, want)
			}
		}
		open()
		s.Pass(time.Second)
		title("your move")
		s.GoTo("Settings")
		title("your move")
		open()
		open()
		s.Pass(time.Second)
		title("(3) your move")
		for _, match := range []int{0, 1, 2, 0} {
			s.Keys("ctrl+n")
			s.Pass(time.Second)
			on(match)
		}
		s.Keys("esc")
		s.Sees("settings")
	})
}
