package matchpage

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestChallengeAtBoard: the board says how long a challenge waits, and what comes of it.
func TestChallengeAtBoard(t *testing.T) {
	for _, tt := range []struct {
		name  string
		here  bool // rui
		clock string
		does  func(s *uitest.Session, club *lobby.Lobby, rui lobby.User, ref lobby.Ref)
		waits []string
		sees  []string
	}{
		{"declined", true, "5+3", func(s *uitest.Session, club *lobby.Lobby, rui lobby.User, ref lobby.Ref) {
			seat, err := club.Seats.At(s.T.Context(), rui, ref)
			if err == nil {
				err = seat.Abort(s.T.Context())
			}
			if err != nil {
				s.T.Error(err)
			}
		}, []string{"Waiting for rui to accept: 60 s left."}, []string{"rui declines the challenge."}},
		{"not answered", true, "5+3", func(s *uitest.Session, club *lobby.Lobby, rui lobby.User, ref lobby.Ref) {
			s.Live(13 * time.Second)
			s.Reads("Waiting for rui to accept: 47 s left.")
			s.Live(time.Minute)
		}, nil, []string{"rui has not answered in time."}},
		{"an invitation", false, "5+3", nil, []string{"Waiting for rui to accept. It waits", "under Your matches."}, nil},
		{"days for a move", true, "3d", nil, []string{"Waiting for rui to accept. It waits", "under Your matches."}, nil},
	} {
		for _, size := range [][2]int{{80, 24}, {40, 20}} {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := uitest.NewMatch(t, "petteia", nil, false)
					if tt.here {
						b.Club.Presence.Visit(b.Rui, true)
					}
					b.Club.Presence.Visit(b.Ana, true)
					ref, err := b.Club.Seats.Open(t.Context(), b.Ana, seats.Spec{Game: "4mation", To: "rui", Clock: uitest.ClockOfTest(tt.clock)})
					if err != nil {
						t.Fatal(err)
					}
					b.Ref = ref
					s := open(b, b.Ana, size[0], size[1], accounts.Settings{})
					for _, words := range tt.waits {
						s.Reads(words)
					}
					if tt.does != nil {
						tt.does(s, b.Club, b.Rui, ref)
						s.Settle()
					}
					for _, words := range tt.sees {
						s.Reads(words)
					}
					s.Misses("history")
				})
			})
		}
	}
}
