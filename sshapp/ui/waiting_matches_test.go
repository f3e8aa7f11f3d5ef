package ui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
)

// TestNextMatch: ctrl+n goes from match to match that waits for the player, the longest first, from any screen, and the window's title
// says how many wait.
func TestNextMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		who, err := club.Accounts.SignUp(t.Context(), "SHA256:ana", "ana")
		if err != nil {
			t.Fatal(err)
		}
		var waiting []storage.MatchID
		open := func() {
			t.Helper()
			ref, err := club.Seats.Open(t.Context(), who, seats.Spec{Game: "petteia", Bot: "random", Side: seats.PlayFirst})
			if err != nil {
				t.Fatal(err)
			}
			waiting = append(waiting, ref.ID)
			time.Sleep(time.Minute)
		}
		s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: who, Now: time.Now})
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

// TestBegunMatch: a player whose match begins while they are on another screen is told so, and ctrl+n leads there.
func TestBegunMatch(t *testing.T) {
	for _, tt := range []struct {
		name string
		side seats.Choice // of the player
	}{
		{"the player begins", seats.PlayFirst},
		{"the opponent begins", seats.PlaySecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				club := uitest.OpenLobby(t)
				var users [2]lobby.User
				for i, name := range []string{"ana", "rui"} {
					u, err := club.Accounts.SignUp(t.Context(), "SHA256:"+name, name)
					if err != nil {
						t.Fatal(err)
					}
					users[i] = u
				}
				defer club.Presence.Enter(users[1])()
				s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: users[0], Now: time.Now})
				ref, err := club.Seats.Open(t.Context(), users[0], seats.Spec{Game: "petteia", Public: true, Side: tt.side})
				if err != nil {
					t.Fatal(err)
				}
				s.GoTo("Settings")
				s.Pass(time.Second)
				if page := s.Page(); strings.Contains(page, "begins") {
					t.Errorf("told too early:\n%s", page)
				}
				if _, err := club.Seats.Take(t.Context(), users[1], ref.ID); err != nil {
					t.Fatal(err)
				}
				s.Pass(time.Second)
				s.Sees("Your match with rui begins: Petteia · ctrl+n")
				if s.Bells != 1 {
					t.Errorf("the bell rang %d times, want once", s.Bells)
				}
				s.Keys("ctrl+n")
				s.Pass(time.Second)
				if m, ok := s.App.Top().(screen.MatchScreen); !ok || m.MatchID() != ref.ID {
					t.Fatalf("not at the board:\n%s", s.Page())
				}
				if page := s.Page(); strings.Contains(page, "begins") {
					t.Errorf("still told at the board:\n%s", page)
				}
				s.Keys("esc", "ctrl+n")
				s.Pass(time.Second)
				if onBoard := s.App.Top() != nil && strings.Contains(s.Page(), "match "+ref.Code); onBoard != (tt.side == seats.PlayFirst) {
					t.Errorf("seen already, ctrl+n leads there: %v", onBoard)
				}
			})
		})
	}
}

// TestChallengeOver: a player on another screen is told what has come of a challenge, unless they have withdrawn it.
func TestChallengeOver(t *testing.T) {
	for _, tt := range []struct {
		name  string
		end   func(ctx context.Context, challenger, challenged *seats.Seat) error
		words string // "": none
	}{
		{"declined", func(ctx context.Context, _, challenged *seats.Seat) error { return challenged.Abort(ctx) }, "rui declines the challenge."},
		{"not answered", func(context.Context, *seats.Seat, *seats.Seat) error { time.Sleep(seats.ChallengeWait); return nil }, "rui has not answered in time."},
		{"withdrawn", func(ctx context.Context, challenger, _ *seats.Seat) error { return challenger.Abort(ctx) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				club := uitest.OpenLobby(t)
				var users [2]lobby.User
				for i, name := range []string{"ana", "rui"} {
					who, err := club.Accounts.SignUp(t.Context(), "SHA256:"+name, name)
					if err != nil {
						t.Fatal(err)
					}
					users[i] = who
				}
				club.Presence.Visit(users[1], true)
				s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: users[0], Now: time.Now})
				s.GoTo("Settings")
				ref, err := club.Seats.Open(t.Context(), users[0], seats.Spec{Game: "petteia", To: "rui"})
				if err != nil {
					t.Fatal(err)
				}
				s.Pass(time.Second)
				var seats [2]*seats.Seat
				for i, who := range users {
					if seats[i], err = club.Seats.At(t.Context(), who, ref); err != nil {
						t.Fatal(err)
					}
				}
				before := s.Page()
				if err := tt.end(t.Context(), seats[0], seats[1]); err != nil {
					t.Fatal(err)
				}
				s.Pass(time.Second)
				if tt.words == "" {
					if s.Page() != before || s.Bells > 0 {
						t.Errorf("%d bells:\n%s", s.Bells, s.Page())
					}
					return
				}
				s.Sees("! " + tt.words)
				if s.Bells != 1 {
					t.Errorf("the bell rang %d times, want once", s.Bells)
				}
			})
		})
	}
}

// TestRenamedElsewhere: a session shows the name that its player has got in another one, or from an operator.
func TestRenamedElsewhere(t *testing.T) {
	club := uitest.FullLobby()
	club.Yours.Name = "anabela"
	walk(t, Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Sees("anabela")
	})
}
