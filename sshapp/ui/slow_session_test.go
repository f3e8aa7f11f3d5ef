package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/ui/accountpage"
	"ludoteca/sshapp/ui/pages"
	"ludoteca/sshapp/ui/uitest"
)

// A slowSession is an App whose Cmds run only when the test runs them, so that keys come faster than answers.
type slowSession struct {
	t    *testing.T
	app  *App
	cmds []tea.Cmd
	quit bool
}

func beginSlow(t *testing.T, cfg Config) *slowSession {
	t.Helper()
	cfg.Term, cfg.Pages = "xterm-256color", pages.All()
	s := &slowSession{t: t, app: NewApp(t.Context(), cfg)}
	s.app.Init()
	s.app.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return s
}

// keys presses keys and runs nothing.
func (s *slowSession) keys(names ...string) {
	for _, name := range names {
		press, ok := uitest.Named[name]
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
	s.app.nav.push(accountpage.NewSettings(s.app.env))
	s.cmds = nil
}
