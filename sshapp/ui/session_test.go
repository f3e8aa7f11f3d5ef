package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
)

// A session is an App in the hands of a test, which runs it in a bubble of its own: Cmds run beside it as they do under
// Bubble Tea, and no call returns before all that can be done without waiting is done.
type session struct {
	t     testing.TB
	app   *App
	msgs  chan tea.Msg
	wait  func() // until all Cmds that can end have ended
	bells int
	quit  bool
}

// begin starts a session in a window of the given size. It must be called in a bubble, unless by a benchmark: there are no
// bubbles for those, and the clubs of the scenes answer at once.
func begin(t testing.TB, w, h int, cfg Config) *session {
	t.Helper()
	s := &session{t: t, msgs: make(chan tea.Msg, 100), wait: synctest.Wait}
	if _, ok := t.(*testing.B); ok {
		s.wait = func() { <-time.After(time.Millisecond) }
	}
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

// settle hands the answers of Cmds on until no Cmd has one.
func (s *session) settle() {
	for {
		s.wait()
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

// keys presses keys, named as Bubble Tea names them; what is no such name is typed letter by letter.
func (s *session) keys(names ...string) {
	s.t.Helper()
	for _, name := range names {
		if code, ok := named[name]; ok {
			s.send(tea.KeyPressMsg(code))
			continue
		}
		for _, r := range name {
			s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
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

// page is what the terminal shows, without colours.
func (s *session) page() string { return s.canvas().Plain() }

// canvas is what the terminal shows.
func (s *session) canvas() *canvas.Canvas {
	c := canvas.New(s.app.size.Width, s.app.size.Height)
	s.app.Draw(c)
	return c
}

// styleOf is how the first of some words on the page is shown.
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

// drawn is the text of a screen's body.
func drawn(s screen, width, height int) string {
	c := canvas.New(width, height)
	s.Draw(c, c.Bounds())
	return c.Plain()
}
