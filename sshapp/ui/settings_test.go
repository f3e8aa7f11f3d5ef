package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/storage"
)

// A slowSession is an App whose Cmds run when the test says so: keys come faster than answers.
type slowSession struct {
	t    *testing.T
	app  *App
	cmds []tea.Cmd
	quit bool
}

func beginSlow(t *testing.T, cfg Config) *slowSession {
	t.Helper()
	cfg.Term = "xterm-256color"
	s := &slowSession{t: t, app: NewApp(t.Context(), cfg)}
	s.app.Init()
	s.app.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return s
}

// keys presses keys and runs nothing.
func (s *slowSession) keys(names ...string) {
	for _, name := range names {
		press, ok := named[name]
		if !ok {
			press = tea.Key{Code: rune(name[0]), Text: name}
		}
		_, cmd := s.app.Update(tea.KeyPressMsg(press))
		s.cmds = append(s.cmds, cmd)
	}
}

// answer runs what is waiting, the newest first, until nothing waits.
func (s *slowSession) answer() {
	for len(s.cmds) > 0 {
		cmd := s.cmds[len(s.cmds)-1]
		s.cmds = s.cmds[:len(s.cmds)-1]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.QuitMsg:
			s.quit = true
		case tea.BatchMsg:
			s.cmds = append(s.cmds, msg...)
		default:
			_, next := s.app.Update(msg)
			s.cmds = append(s.cmds, next)
		}
	}
}

// onSettings shows the page of settings.
func (s *slowSession) onSettings() {
	s.app.push(newSettings(s.app.env))
	s.cmds = nil
}

// TestQuickChangesAreAllKept presses keys in forms faster than anything is answered: what the form shows is what holds, and
// what is kept.
func TestQuickChangesAreAllKept(t *testing.T) {
	t.Run("the language of a newcomer", func(t *testing.T) {
		club := &fakeClub{closed: true}
		s := beginSlow(t, Config{Club: club, Fingerprint: "SHA256:x", Suggested: "bia"})
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
		club := &fakeClub{closed: true}
		s := beginSlow(t, Config{Club: club, Who: ana})
		s.onSettings()
		s.keys("right", "right", "down", "left")
		if got, want := s.app.env.settings, (storage.Settings{Theme: themeLight, Charset: charsetASCII}); got != want {
			t.Errorf("in use are %+v before any answer, want %+v", got, want)
		}
		s.answer()
		if want := s.app.env.settings; len(club.saved) == 0 || club.saved[len(club.saved)-1] != want {
			t.Errorf("saved %+v, want %+v last", club.saved, want)
		}
	})
	t.Run("leaving at once", func(t *testing.T) {
		club := &fakeClub{closed: true}
		s := beginSlow(t, Config{Club: club, Who: ana})
		s.onSettings()
		s.keys("right", "right", "q")
		if last := s.cmds[len(s.cmds)-1]; last != nil {
			t.Errorf("q answers %T before the settings are kept, want nothing", last())
		}
		s.answer()
		if len(club.saved) == 0 || club.saved[len(club.saved)-1].Theme != themeLight {
			t.Errorf("saved %+v, want the light theme last", club.saved)
		}
		if !s.quit {
			t.Error("the session goes on after the settings are kept")
		}
	})
	t.Run("leaving twice", func(t *testing.T) {
		s := beginSlow(t, Config{Club: &fakeClub{closed: true}, Who: ana})
		s.onSettings()
		s.keys("right", "q")
		s.cmds = nil // the store does not answer
		s.keys("q")
		if s.answer(); !s.quit {
			t.Error("a second q waits for a store that does not answer")
		}
	})
}
