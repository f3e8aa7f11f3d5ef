package ui

import (
	"errors"
	"slices"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/storage"
)

// keyed returns a lobby in which ana has two keys.
func keyed() *fakeLobby {
	l := fullLobby()
	day := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	l.recovery = "K7QM-2XPD-9RTV-AAAA-BBBB-CCCC"
	l.account = storage.Account{
		Player: storage.Player{ID: "p1", Name: "ana", NameKey: "ana", Since: day}, Recovery: day,
		Keys: []storage.Key{{Fingerprint: "SHA256:one", Added: day, Used: day.AddDate(0, 0, 9)}, {Fingerprint: "SHA256:two", Added: day.AddDate(0, 0, 3)}},
	}
	return l
}

// TestAccountPage: what changes something asks before, what is typed must fit, and any other key withdraws the question.
func TestAccountPage(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		err  error
		want string // that was done; "" for nothing
		sees string
	}{
		{"another name", []string{"enter", "Eva", "enter"}, nil, "rename Eva", "You are Eva from now on."},
		{"another name, not", []string{"enter", "Eva", "esc"}, nil, "", "Enter changes it"},
		{"a name too soon", []string{"enter", "Eva", "enter"}, &lobby.RenamedError{Next: noon}, "rename Eva", "once in 30 days: again from 2026-08-01"},
		{"a new recovery code", []string{"down", "enter", "enter"}, nil, "", "K7QM-2XPD-9RTV-AAAA-BBBB-CCCC"},
		{"no new recovery code", []string{"down", "enter", "down"}, nil, "", "Enter makes another one"},
		{"removing a key", []string{"down", "down", "down", "enter", "enter"}, nil, "remove SHA256:two", "The key is removed."},
		{"the key of this visit", []string{"down", "down", "enter"}, nil, "", "removing it ends this visit"},
		{"the last key", []string{"down", "down", "enter", "enter"}, lobby.ErrLastKey, "remove SHA256:one", "This is your only key."},
		{"adding a key", []string{"down", "down", "down", "down", "enter"}, nil, "add", "K7QM-2XPD-9RTV"},
		{"deleting", []string{"end", "enter", "ana", "enter", "enter"}, nil, "delete", ""},
		{"deleting, once", []string{"end", "enter", "ana", "enter"}, nil, "", "This can't be undone."},
		{"deleting another", []string{"end", "enter", "rui", "enter"}, nil, "", "That is not your name."},
		{"deleting, not", []string{"end", "enter", "ana", "enter", "esc", "enter"}, nil, "", "To delete your account, type your name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club := keyed()
			walk(t, Config{Lobby: club, Who: ana, Fingerprint: "SHA256:one"}, func(t *testing.T, s *session) {
				s.goTo("Settings")
				s.keys("end", "enter")
				s.sees("SHA256:one", "SHA256:two", "2026-07-01")
				club.err = tt.err
				s.keys(tt.keys...)
				if got := slices.DeleteFunc([]string{tt.want}, func(w string) bool { return w == "" }); !slices.Equal(club.changes, got) {
					t.Errorf("done %q, want %q", club.changes, got)
				}
				if s.quit != (tt.want == "delete") {
					t.Errorf("the session ends: %v", s.quit)
				}
				if !s.quit {
					s.sees(tt.sees)
				}
			})
		})
	}
}

// TestClaimPage: a new key gets into an account by either kind of code, and what is wrong is said.
func TestClaimPage(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want []string
		sees string
	}{
		{"a key code", []string{"k7qm 2xpd-9rtv", "enter"}, []string{"claim SHA256:x k7qm 2xpd-9rtv"}, "Nobody waits for a key with this code."},
		{"a recovery code without a name", []string{"AAAA-BBBB-CCCC-DDDD-EEEE-FFFF", "enter"}, nil, "goes with the name"},
		{"a recovery code", []string{"AAAABBBBCCCCDDDDEEEEFFFF", "tab", "ana", "enter"}, []string{"recover SHA256:x ana AAAABBBBCCCCDDDDEEEEFFFF"}, "don't fit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club := fullLobby()
			walk(t, Config{Lobby: club, Fingerprint: "SHA256:x", Suggested: "ana"}, func(t *testing.T, s *session) {
				s.keys("up", "down", "down", "down", "enter")
				s.sees("Let this key into your account.")
				s.keys(tt.keys...)
				if !slices.Equal(club.changes, tt.want) {
					t.Errorf("done %q, want %q", club.changes, tt.want)
				}
				s.sees(tt.sees)
				s.keys("esc")
				s.sees("Your name")
			})
		})
	}
}

// TestRecoveryCodeInTheLobby: a newcomer sees the code in the lobby until esc hides it, and not at boards.
func TestRecoveryCodeInTheLobby(t *testing.T) {
	club := fullLobby()
	club.recovery = "K7QM-2XPD-9RTV-AAAA-BBBB-CCCC"
	walk(t, Config{Lobby: club, Fingerprint: "SHA256:x", Suggested: "ana"}, func(t *testing.T, s *session) {
		s.keys("enter")
		s.sees(club.recovery, "Write it down", "Play the computer", "Esc hides it.")
		s.keys("down", "down")
		s.sees(club.recovery)
		s.goTo("Settings")
		s.misses(club.recovery)
		s.keys("esc")
		s.sees(club.recovery, "Play the computer")
		s.keys("esc")
		s.misses(club.recovery)
		s.sees("Play the computer")
	})
	failing := &fakeLobby{err: errors.New("no disk")}
	walk(t, Config{Lobby: failing, Who: ana}, func(t *testing.T, s *session) { s.misses("Write it down") })
}
