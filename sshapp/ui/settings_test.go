package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
)

func TestSettings(t *testing.T) {
	tests := []struct {
		name string
		who  lobby.User
		keys []string
		want accounts.Settings
		sees string
	}{
		{"ascii", uitest.Ana, []string{"down", "right", "right"}, accounts.Settings{Charset: "ascii"}, "< ASCII >"},
		{"back round", uitest.Ana, []string{"down", "left"}, accounts.Settings{Charset: "ascii"}, "< ASCII >"},
		{"no bell", uitest.Ana, []string{"down", "down", "enter"}, accounts.Settings{Mute: true}, "off"},
		{"theme", uitest.Ana, []string{"right"}, accounts.Settings{Theme: "dark"}, "dark background"},
		{"guest", uitest.Guest, []string{"right"}, accounts.Settings{Theme: "dark"}, "last for this visit only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			club := uitest.FullLobby()
			walk(t, Config{Lobby: club.Services(), Who: tt.who}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Settings")
				s.Keys(tt.keys...)
				s.Sees(tt.sees)
				if diff := cmp.Diff(tt.want, s.App.Env().Settings); diff != "" {
					t.Errorf("settings (-want +got):\n%s", diff)
				}
				switch {
				case tt.who == uitest.Guest && len(club.Saved) > 0:
					t.Errorf("saved %v for a guest", club.Saved)
				case tt.who == uitest.Ana && (len(club.Saved) == 0 || club.Saved[len(club.Saved)-1] != tt.want):
					t.Errorf("saved %v, want %v last", club.Saved, tt.want)
				}
			})
		})
	}
}

// TestSettingsAreSavedInOrder holds the first write back while more changes are made.
func TestSettingsAreSavedInOrder(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		club.Mu.Lock()
		s.App.Env().Settings.Theme = widget.ThemeDark
		first := s.App.(*App).settings.save()
		s.App.Env().Settings.Theme = widget.ThemeLight
		for range 2 {
			if s.App.(*App).settings.save() != nil {
				t.Fatal("a second write beside the first")
			}
		}
		club.Mu.Unlock()
		s.Run(first)
		s.Settle()
		want := []accounts.Settings{{Theme: widget.ThemeDark}, {Theme: widget.ThemeLight}}
		if diff := cmp.Diff(want, club.Saved); diff != "" {
			t.Errorf("saved (-want +got):\n%s", diff)
		}
	})
}

// TestQuickChangesAreAllKept presses keys in forms faster than Cmds answer: what the form shows is in use, and is stored.
func TestQuickChangesAreAllKept(t *testing.T) {
	t.Run("the language of a newcomer", func(t *testing.T) {
		club := &uitest.FakeLobby{Closed: true}
		s := beginSlow(t, Config{Lobby: club.Services(), Fingerprint: "SHA256:x", Suggested: "bia"})
		s.keys("down", "right", "right", "enter")
		s.answer()
		if got := s.app.Env().Say.Code(); got != "de" {
			t.Errorf("the lobby speaks %q, want de", got)
		}
		if len(club.Saved) != 1 || club.Saved[0].Language != "de" {
			t.Errorf("saved %+v, want German once", club.Saved)
		}
	})
	t.Run("two settings", func(t *testing.T) {
		club := &uitest.FakeLobby{Closed: true}
		s := beginSlow(t, Config{Lobby: club.Services(), Who: uitest.Ana})
		s.onSettings()
		s.keys("right", "right", "down", "left")
		if got, want := s.app.Env().Settings, (accounts.Settings{Theme: widget.ThemeLight, Charset: accounts.CharsetASCII}); got != want {
			t.Errorf("in use are %+v before any answer, want %+v", got, want)
		}
		s.answer()
		if want := s.app.Env().Settings; len(club.Saved) == 0 || club.Saved[len(club.Saved)-1] != want {
			t.Errorf("saved %+v, want %+v last", club.Saved, want)
		}
	})
	t.Run("leaving at once", func(t *testing.T) {
		club := &uitest.FakeLobby{Closed: true}
		s := beginSlow(t, Config{Lobby: club.Services(), Who: uitest.Ana})
		s.onSettings()
		s.keys("right", "right", "ctrl+c")
		if last := s.cmds[len(s.cmds)-1]; last != nil {
			t.Errorf("ctrl+c answers %T before the settings are kept, want nothing", last())
		}
		s.answer()
		if len(club.Saved) == 0 || club.Saved[len(club.Saved)-1].Theme != widget.ThemeLight {
			t.Errorf("saved %+v, want the light theme last", club.Saved)
		}
		if !s.quit {
			t.Error("the session goes on after the settings are kept")
		}
	})
	t.Run("leaving twice", func(t *testing.T) {
		s := beginSlow(t, Config{Lobby: (&uitest.FakeLobby{Closed: true}).Services(), Who: uitest.Ana})
		s.onSettings()
		s.keys("right", "ctrl+c")
		s.cmds = nil // the store does not answer
		s.keys("ctrl+c")
		if s.answer(); !s.quit {
			t.Error("a second ctrl+c waits for a store that does not answer")
		}
	})
}

// TestSettingsComeBack: a player's choice is there at the next sign-in.
func TestSettingsComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Fingerprint: "SHA256:bia", Suggested: "bia", Now: time.Now})
		s.Keys("enter")
		s.GoTo("Settings")
		s.Keys("down", "left", "esc")
		_, kept, err := club.Accounts.SignIn(t.Context(), "SHA256:bia")
		if want := (accounts.Settings{Charset: accounts.CharsetASCII}); err != nil || kept != want {
			t.Errorf("kept %+v, %v, want %+v", kept, err, want)
		}
	})
}
