package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

func TestSettings(t *testing.T) {
	tests := []struct {
		name string
		who  lobby.User
		keys []string
		want storage.Settings
		sees string
	}{
		{"ascii", ana, []string{"down", "right", "right"}, storage.Settings{Charset: "ascii"}, "< ASCII >"},
		{"back round", ana, []string{"down", "left"}, storage.Settings{Charset: "ascii"}, "< ASCII >"},
		{"no bell", ana, []string{"down", "down", "enter"}, storage.Settings{Mute: true}, "off"},
		{"theme", ana, []string{"right"}, storage.Settings{Theme: "dark"}, "dark background"},
		{"guest", guest, []string{"right"}, storage.Settings{Theme: "dark"}, "last for this visit only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			club := fullLobby()
			walk(t, Config{Lobby: club, Who: tt.who}, func(t *testing.T, s *session) {
				s.goTo("Settings")
				s.keys(tt.keys...)
				s.sees(tt.sees)
				if diff := cmp.Diff(tt.want, s.app.env.settings); diff != "" {
					t.Errorf("settings (-want +got):\n%s", diff)
				}
				switch {
				case tt.who == guest && len(club.saved) > 0:
					t.Errorf("saved %v for a guest", club.saved)
				case tt.who == ana && (len(club.saved) == 0 || club.saved[len(club.saved)-1] != tt.want):
					t.Errorf("saved %v, want %v last", club.saved, tt.want)
				}
			})
		})
	}
}

// TestSettingsAreSavedInOrder holds the first write back while more changes are made.
func TestSettingsAreSavedInOrder(t *testing.T) {
	club := fullLobby()
	walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
		club.mu.Lock()
		s.app.env.settings.Theme = widget.ThemeDark
		first := s.app.save()
		s.app.env.settings.Theme = widget.ThemeLight
		for range 2 {
			if s.app.save() != nil {
				t.Fatal("a second write beside the first")
			}
		}
		club.mu.Unlock()
		s.run(first)
		s.settle()
		want := []storage.Settings{{Theme: widget.ThemeDark}, {Theme: widget.ThemeLight}}
		if diff := cmp.Diff(want, club.saved); diff != "" {
			t.Errorf("saved (-want +got):\n%s", diff)
		}
	})
}

// TestQuickChangesAreAllKept presses keys in forms faster than Cmds answer: what the form shows is in use, and is stored.
func TestQuickChangesAreAllKept(t *testing.T) {
	t.Run("the language of a newcomer", func(t *testing.T) {
		club := &fakeLobby{closed: true}
		s := beginSlow(t, Config{Lobby: club, Fingerprint: "SHA256:x", Suggested: "bia"})
		s.keys("down", "right", "right", "enter")
		s.answer()
		if got := s.app.env.say.Code(); got != "de" {
			t.Errorf("the lobby speaks %q, want de", got)
		}
		if len(club.saved) != 1 || club.saved[0].Language != "de" {
			t.Errorf("saved %+v, want German once", club.saved)
		}
	})
	t.Run("two settings", func(t *testing.T) {
		club := &fakeLobby{closed: true}
		s := beginSlow(t, Config{Lobby: club, Who: ana})
		s.onSettings()
		s.keys("right", "right", "down", "left")
		if got, want := s.app.env.settings, (storage.Settings{Theme: widget.ThemeLight, Charset: widget.CharsetASCII}); got != want {
			t.Errorf("in use are %+v before any answer, want %+v", got, want)
		}
		s.answer()
		if want := s.app.env.settings; len(club.saved) == 0 || club.saved[len(club.saved)-1] != want {
			t.Errorf("saved %+v, want %+v last", club.saved, want)
		}
	})
	t.Run("leaving at once", func(t *testing.T) {
		club := &fakeLobby{closed: true}
		s := beginSlow(t, Config{Lobby: club, Who: ana})
		s.onSettings()
		s.keys("right", "right", "ctrl+c")
		if last := s.cmds[len(s.cmds)-1]; last != nil {
			t.Errorf("ctrl+c answers %T before the settings are kept, want nothing", last())
		}
		s.answer()
		if len(club.saved) == 0 || club.saved[len(club.saved)-1].Theme != widget.ThemeLight {
			t.Errorf("saved %+v, want the light theme last", club.saved)
		}
		if !s.quit {
			t.Error("the session goes on after the settings are kept")
		}
	})
	t.Run("leaving twice", func(t *testing.T) {
		s := beginSlow(t, Config{Lobby: &fakeLobby{closed: true}, Who: ana})
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
		club := openLobby(t)
		s := begin(t, 80, 24, Config{Lobby: club, Fingerprint: "SHA256:bia", Suggested: "bia", Now: time.Now})
		s.keys("enter")
		s.goTo("Settings")
		s.keys("down", "left", "esc")
		_, kept, err := club.SignIn(t.Context(), "SHA256:bia")
		if want := (storage.Settings{Charset: widget.CharsetASCII}); err != nil || kept != want {
			t.Errorf("kept %+v, %v, want %+v", kept, err, want)
		}
	})
}
