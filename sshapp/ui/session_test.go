package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
)

// walk runs a test in a bubble with a session at 80x24.
func walk(t *testing.T, cfg Config, f func(t *testing.T, s *session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, begin(t, 80, 24, cfg)) })
}

// onScreen fails the test unless the screen on top is of the same kind as want.
func (s *session) onScreen(want screen) {
	s.t.Helper()
	if got, want := fmt.Sprintf("%T", s.app.top()), fmt.Sprintf("%T", want); got != want {
		s.t.Fatalf("on screen %s, want %s:\n%s", got, want, s.page())
	}
}

// atMatch fails the test unless a board is on top.
func (s *session) atMatch() {
	s.t.Helper()
	s.onScreen(newMatch(s.app.env, lobby.Ref{ID: "m1"}))
}

// goTo chooses an item of the menu.
func (s *session) goTo(words string) {
	s.t.Helper()
	for i, item := range menu {
		if item.words == words {
			s.keys("home")
			for range i {
				s.keys("down")
			}
			s.keys("enter")
			return
		}
	}
	s.t.Fatalf("the menu has no %q", words)
}

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

// A session is an App that a test runs in a bubble. Cmds run concurrently, as under Bubble Tea, and each call returns when nothing
// is left to do without waiting.
type session struct {
	t     testing.TB
	app   *App
	msgs  chan tea.Msg
	bells int
	quit  bool
}

// begin starts a session in a window of the given size. It must be called in a bubble.
func begin(t testing.TB, w, h int, cfg Config) *session {
	t.Helper()
	s := &session{t: t, msgs: make(chan tea.Msg, 100)}
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return noon }
	}
	if cfg.Term == "" {
		cfg.Term = "xterm-256color"
	}
	cfg.Bell = func() tea.Msg { return bellMsg{} }
	s.app = NewApp(t.Context(), cfg)
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	s.run(s.app.Init())
	s.settle()
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	return s
}

// send gives the App a message and waits until everything that follows from it is done.
func (s *session) send(msg tea.Msg) {
	s.t.Helper()
	_, cmd := s.app.Update(msg)
	s.run(cmd)
	s.settle()
}

func (s *session) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { s.msgs <- cmd() }() // ends when the bubble's context does
	}
}

// settle delivers the answers of Cmds until there are none.
func (s *session) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-s.msgs:
			s.take(msg)
		default:
			return
		}
	}
}

func (s *session) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		s.quit = true
	case bellMsg:
		s.bells++
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	default:
		_, cmd := s.app.Update(msg)
		s.run(cmd)
	}
}

// pass lets time go by.
func (s *session) pass(d time.Duration) {
	time.Sleep(d) // the bubble's
	s.settle()
}

// keys presses keys by their names in Bubble Tea. Anything else is typed letter by letter.
func (s *session) keys(names ...string) {
	s.t.Helper()
	for _, name := range names {
		for _, msg := range pressed(name) {
			s.send(msg)
		}
	}
}

// pressed returns the key of a name, or the keys that type a text.
func pressed(name string) []tea.KeyPressMsg {
	if key, ok := named[name]; ok {
		return []tea.KeyPressMsg{tea.KeyPressMsg(key)}
	}
	var all []tea.KeyPressMsg
	for _, r := range name {
		all = append(all, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return all
}

var named = map[string]tea.Key{
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "home": {Code: tea.KeyHome},
	"end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "space": {Code: tea.KeySpace, Text: " "},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+l": {Code: 'l', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl},
	"ctrl+t": {Code: 't', Mod: tea.ModCtrl}, "ctrl+z": {Code: 'z', Mod: tea.ModCtrl},
}

// lists shows the session lists as the lobby would.
func (s *session) lists(l *lobby.Lists, y lobby.Yours) {
	s.t.Helper()
	s.send(nextListsMsg{who: s.app.env.who, lists: listsMsg{l, y}})
}

// click presses the left button on the first place in the window where words stand.
func (s *session) click(words string) {
	s.t.Helper()
	for y, line := range strings.Split(s.page(), "\n") {
		if before, _, ok := strings.Cut(line, words); ok {
			s.send(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseLeft})
			return
		}
	}
	s.t.Fatalf("%q is not on the page:\n%s", words, s.page())
}

// page returns what the terminal shows, without colours.
func (s *session) page() string { return s.canvas().Plain() }

// canvas returns what the terminal shows.
func (s *session) canvas() *canvas.Canvas {
	c := canvas.New(s.app.size.Width, s.app.size.Height)
	s.app.Draw(c)
	return c
}

// styleOf returns the style of the first place on the page where words stand.
func (s *session) styleOf(words string) canvas.Style {
	s.t.Helper()
	c := s.canvas()
	for y, line := range strings.Split(c.Plain(), "\n") {
		if before, _, ok := strings.Cut(line, words); ok {
			return c.At(ansi.StringWidth(before), y).Style()
		}
	}
	s.t.Fatalf("%q is not on the page:\n%s", words, c.Plain())
	return canvas.Style{}
}

// sees fails the test unless the page shows all the words.
func (s *session) sees(all ...string) {
	s.t.Helper()
	for _, words := range all {
		if !strings.Contains(s.page(), words) {
			s.t.Fatalf("%q is not on the page:\n%s", words, s.page())
		}
	}
}

// misses fails the test if the page shows any of the words.
func (s *session) misses(any ...string) {
	s.t.Helper()
	for _, words := range any {
		if strings.Contains(s.page(), words) {
			s.t.Fatalf("%q is on the page:\n%s", words, s.page())
		}
	}
}

// drawn returns the text of a screen's body.
func drawn(s screen, width, height int) string {
	c := canvas.New(width, height)
	s.Draw(c, c.Bounds())
	return c.Plain()
}
