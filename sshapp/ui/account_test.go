package ui

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/accounts"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/uitest"
	accountstore "ludoteca/storage/accounts"
	"ludoteca/storage/schema"
)

// keyed returns a lobby in which ana has two keys.
func keyed() *uitest.FakeLobby {
	l := uitest.FullLobby()
	day := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	l.Recovery = "K7QM-2XPD-9RTV-AAAA-BBBB-CCCC"
	l.Kept = schema.Account{Account: accountstore.Account{
		Player: accountstore.Player{ID: "p1", Name: "ana", NameKey: "ana", Since: day}, Recovery: day,
		Keys: []accountstore.Key{{Fingerprint: "SHA256:one", Added: day, Used: day.AddDate(0, 0, 9)}, {Fingerprint: "SHA256:two", Added: day.AddDate(0, 0, 3)}},
	}}
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
		{"a name too soon", []string{"enter", "Eva", "enter"}, &accounts.RenamedError{Next: uitest.Noon}, "rename Eva", "once in 30 days: again from 2026-08-01"},
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
			walk(t, Config{Lobby: club.Services(), Who: uitest.Ana, Fingerprint: "SHA256:one"}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Settings")
				s.Keys("end", "enter")
				s.Sees("SHA256:one", "SHA256:two", "2026-07-01")
				club.Err = tt.err
				s.Keys(tt.keys...)
				if got := slices.DeleteFunc([]string{tt.want}, func(w string) bool { return w == "" }); !slices.Equal(club.Did, got) {
					t.Errorf("done %q, want %q", club.Did, got)
				}
				if s.Quit != (tt.want == "delete") {
					t.Errorf("the session ends: %v", s.Quit)
				}
				if !s.Quit {
					s.Sees(tt.sees)
				}
			})
		})
	}
}

// TestKeypadEnterOnForms: the enter key of the number pad answers the questions of a page, as the other one does.
func TestKeypadEnterOnForms(t *testing.T) {
	club := keyed()
	walk(t, Config{Lobby: club.Services(), Who: uitest.Ana, Fingerprint: "SHA256:one"}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Settings")
		enter := func() { s.Send(tea.KeyPressMsg{Code: tea.KeyKpEnter}) }
		s.Keys("end")
		enter()
		s.Keys("down", "down", "down")
		enter()
		s.Sees("Remove this key?")
		enter()
		if want := []string{"remove SHA256:two"}; !slices.Equal(club.Did, want) {
			t.Errorf("done %q, want %q", club.Did, want)
		}
	})
}

// TestPasteOnAccountPage: a name can be pasted where one is asked for, and what is pasted elsewhere is ignored.
func TestPasteOnAccountPage(t *testing.T) {
	club := keyed()
	walk(t, Config{Lobby: club.Services(), Who: uitest.Ana, Fingerprint: "SHA256:one"}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Settings")
		s.Keys("end", "enter")
		s.Send(tea.PasteMsg{Content: "Rui"})
		s.Misses("Rui")
		s.Keys("enter")
		s.Send(tea.PasteMsg{Content: "Eva"})
		s.Sees("> Eva")
		s.Keys("enter")
		if want := []string{"rename Eva"}; !slices.Equal(club.Did, want) {
			t.Errorf("done %q, want %q", club.Did, want)
		}
	})
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
			club := uitest.FullLobby()
			walk(t, Config{Lobby: club.Services(), Fingerprint: "SHA256:x", Suggested: "ana"}, func(t *testing.T, s *uitest.Session) {
				s.Keys("up", "down", "down", "down", "enter")
				s.Sees("Let this key into your account.")
				s.Keys(tt.keys...)
				if !slices.Equal(club.Did, tt.want) {
					t.Errorf("done %q, want %q", club.Did, tt.want)
				}
				s.Sees(tt.sees)
				s.Keys("esc")
				s.Sees("Your name")
			})
		})
	}
}

// TestClaimPageNarrow: of a code that is longer than its line in the smallest window the end is seen while it is typed, with the cursor behind it.
func TestClaimPageNarrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, 40, 20, Config{Lobby: uitest.FullLobby().Services(), Fingerprint: "SHA256:x", Suggested: "ana"})
		s.Keys("up", "down", "down", "down", "enter", "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF")
		s.Sees("> Code             CCCC-DDDD-EEEE-FFFF")
		if at := s.App.Draw(canvas.New(40, 20)).Cursor; at == nil || at.X != 39 {
			t.Errorf("the cursor is at %+v, want column 39", at)
		}
		s.Keys("tab")
		s.Sees("  Code             AAAA-BBBB-CCCC-DDDD…")
	})
}

// TestRecoveryCodeInTheLobby: a newcomer sees the code in the lobby until esc hides it, and not at boards.
func TestRecoveryCodeInTheLobby(t *testing.T) {
	club := uitest.FullLobby()
	club.Recovery = "K7QM-2XPD-9RTV-AAAA-BBBB-CCCC"
	walk(t, Config{Lobby: club.Services(), Fingerprint: "SHA256:x", Suggested: "ana"}, func(t *testing.T, s *uitest.Session) {
		s.Keys("enter")
		s.Sees(club.Recovery, "Write it down", "Play the computer", "Esc hides it.")
		s.Keys("down", "down")
		s.Sees(club.Recovery)
		s.GoTo("Settings")
		s.Misses(club.Recovery)
		s.Keys("esc")
		s.Sees(club.Recovery, "Play the computer")
		s.Keys("esc")
		s.Misses(club.Recovery)
		s.Sees("Play the computer")
	})
	failing := &uitest.FakeLobby{Err: errors.New("no disk")}
	walk(t, Config{Lobby: failing.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) { s.Misses("Write it down") })
}
