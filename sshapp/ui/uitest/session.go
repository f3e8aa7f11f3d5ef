// Package uitest helps tests of screens: sessions that press keys and read pages, real and fake clubs, and fixed lists.
package uitest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/goldentest"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// OnScreen fails the test unless the type of the screen on top is name, such as lobbypage.lobbyScreen.
func (s *Session) OnScreen(name string) {
	s.T.Helper()
	if got := fmt.Sprintf("%T", s.App.Top()); got != name {
		s.T.Fatalf("on screen %s, want %s:\n%s", got, name, s.Page())
	}
}

// A Session is an App that a test runs in a bubble. Cmds run concurrently, as under Bubble Tea, and each call returns when nothing
// is left to do without waiting.
type Session struct {
	App   Model
	Bells int // how often the bell rang
	Quit  bool

	T    testing.TB
	msgs chan tea.Msg
	size tea.WindowSizeMsg
}

// HeaderLines is the number of lines above the body of a page.
const HeaderLines = 1

// A Model has the methods of *ui.App that a session needs.
type Model interface {
	tea.Model
	Draw(*canvas.Canvas) tea.View
	Top() screen.Screen
	Env() *screen.Env
	Answer(tea.Msg) tea.Cmd
}

// rung is the answer of the bell.
type rung struct{}

// RingBell is the Cmd with which an App in a session rings the bell.
func RingBell() tea.Msg { return rung{} }

// Start starts a session in a window of the given size. It must be called in a bubble.
func Start(t testing.TB, w, h int, app Model) *Session {
	t.Helper()
	s := &Session{T: t, App: app, msgs: make(chan tea.Msg, 100)}
	s.Send(tea.WindowSizeMsg{Width: w, Height: h})
	s.Run(s.App.Init())
	s.Settle()
	s.Send(tea.WindowSizeMsg{Width: w, Height: h})
	return s
}

// AtMatch fails the test unless the board of a running match is on top.
func (s *Session) AtMatch() {
	s.T.Helper()
	if _, ok := s.App.Top().(screen.InMatch); !ok {
		s.T.Fatalf("a %T is on top, want a match:\n%s", s.App.Top(), s.Page())
	}
}

// GoTo chooses an item of the lobby's menu, or of a home's, by its English words.
func (s *Session) GoTo(words string) {
	s.T.Helper()
	s.Keys("home")
	for range 20 {
		if strings.Contains(s.Page(), "> "+words) {
			s.Keys("enter")
			return
		}
		s.Keys("down")
	}
	s.T.Fatalf("the menu has no %q:\n%s", words, s.Page())
}

// A homePage stands for the lobby in the tests of pages that the lobby opens: a menu, and nothing else.
type homePage struct {
	env   *screen.Env
	items []HomeItem
	at    int
}

// A HomeItem is a line of the menu.
type HomeItem struct {
	Words string
	Open  func(*screen.Env) screen.Screen
}

// NewHome returns a constructor for the home of a session.
func NewHome(items ...HomeItem) func(*screen.Env) screen.Screen {
	return func(e *screen.Env) screen.Screen { return homePage{env: e, items: items} }
}

func (s homePage) Init() tea.Cmd { return nil }

func (s homePage) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	switch {
	case !ok || len(s.items) == 0:
	case press.Code == tea.KeyHome:
		s.at = 0
	case press.Code == tea.KeyDown:
		s.at = min(s.at+1, len(s.items)-1)
	case press.Code == tea.KeyEnter:
		return s, screen.Push(s.items[s.at].Open(s.env))
	}
	return s, nil
}

func (s homePage) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	for i, item := range s.items {
		mark := "  "
		if i == s.at {
			mark = "> "
		}
		p.Line(0, s.env.Theme.Plain, mark+item.Words)
	}
}

func (s homePage) Title() string             { return "Ludoteca" }
func (s homePage) Status() string            { return "" }
func (s homePage) Typing() bool              { return false }
func (s homePage) ShortHelp() []key.Binding  { return nil }
func (s homePage) FullHelp() [][]key.Binding { return nil }

// Send gives the App a message and waits until everything that follows from it is done.
func (s *Session) Send(msg tea.Msg) {
	s.T.Helper()
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		s.size = size
	}
	_, cmd := s.App.Update(msg)
	s.Run(cmd)
	s.Settle()
}

// Answer gives the screen on top a message, as the answer of one of its Cmds.
func (s *Session) Answer(msg tea.Msg) {
	s.T.Helper()
	s.Run(s.App.Answer(msg))
	s.Settle()
}

func (s *Session) Run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { s.msgs <- cmd() }() // ends when the bubble's context does
	}
}

// Settle delivers the answers of Cmds until there are none.
func (s *Session) Settle() {
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

func (s *Session) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		s.Quit = true
	case rung:
		s.Bells++
	case tea.BatchMsg:
		for _, c := range msg {
			s.Run(c)
		}
	default:
		_, cmd := s.App.Update(msg)
		s.Run(cmd)
	}
}

// Pass lets d go by.
func (s *Session) Pass(d time.Duration) {
	<-time.NewTimer(d).C // of the synctest bubble
	s.Settle()
}

// Keys presses keys by their names in Bubble Tea. Anything else is typed letter by letter.
func (s *Session) Keys(names ...string) {
	s.T.Helper()
	for _, name := range names {
		for _, msg := range Pressed(name) {
			s.Send(msg)
		}
	}
}

// Pressed returns the key of a name, or the keys that type a text.
func Pressed(name string) []tea.KeyPressMsg {
	if k, ok := Named[name]; ok {
		return []tea.KeyPressMsg{tea.KeyPressMsg(k)}
	}
	var all []tea.KeyPressMsg
	for _, r := range name {
		all = append(all, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return all
}

var Named = map[string]tea.Key{
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "home": {Code: tea.KeyHome},
	"end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "space": {Code: tea.KeySpace, Text: " "},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+l": {Code: 'l', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl},
	"ctrl+g": {Code: 'g', Mod: tea.ModCtrl}, "ctrl+t": {Code: 't', Mod: tea.ModCtrl}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl}, "ctrl+z": {Code: 'z', Mod: tea.ModCtrl}, "ctrl+n": {Code: 'n', Mod: tea.ModCtrl}, "ctrl+o": {Code: 'o', Mod: tea.ModCtrl}, "ctrl+k": {Code: 'k', Mod: tea.ModCtrl}, "ctrl+b": {Code: 'b', Mod: tea.ModCtrl}, "ctrl+p": {Code: 'p', Mod: tea.ModCtrl},
	"ctrl+y": {Code: 'y', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl}, "ctrl+e": {Code: 'e', Mod: tea.ModCtrl},
}

// Lists shows the session lists as the lobby would.
func (s *Session) Lists(l *lists.Lists, y lists.Yours) {
	s.T.Helper()
	s.Send(screen.ListsMsg{Lists: l, Yours: y})
}

// Click presses the left button on the first place in the window where words stand.
func (s *Session) Click(words string) {
	s.T.Helper()
	for y, line := range strings.Split(s.Page(), "\n") {
		if before, _, ok := strings.Cut(line, words); ok {
			s.Send(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseLeft})
			return
		}
	}
	s.T.Fatalf("%q is not on the page:\n%s", words, s.Page())
}

// Page returns the contents of the terminal, without colours.
func (s *Session) Page() string { return s.Canvas().Plain() }

// Canvas returns the contents of the terminal.
func (s *Session) Canvas() *canvas.Canvas {
	c := canvas.New(s.size.Width, s.size.Height)
	s.App.Draw(c)
	return c
}

// StyleOf returns the style of the first place on the page where words stand.
func (s *Session) StyleOf(words string) canvas.Style {
	s.T.Helper()
	c := s.Canvas()
	for y, line := range strings.Split(c.Plain(), "\n") {
		if before, _, ok := strings.Cut(line, words); ok {
			return c.At(ansi.StringWidth(before), y).Style()
		}
	}
	s.T.Fatalf("%q is not on the page:\n%s", words, c.Plain())
	return canvas.Style{}
}

// Sees fails the test unless the page shows all the words.
func (s *Session) Sees(all ...string) {
	s.T.Helper()
	for _, words := range all {
		if !strings.Contains(s.Page(), words) {
			s.T.Fatalf("%q is not on the page:\n%s", words, s.Page())
		}
	}
}

// Misses fails the test if the page shows any of the words.
func (s *Session) Misses(any ...string) {
	s.T.Helper()
	for _, words := range any {
		if strings.Contains(s.Page(), words) {
			s.T.Fatalf("%q is on the page:\n%s", words, s.Page())
		}
	}
}

// Drawn returns the text of a screen's body.
func Drawn(s screen.Screen, width, height int) string {
	c := canvas.New(width, height)
	s.Draw(c, c.Bounds())
	return c.Plain()
}

// StaysInside draws a window of w x h cells on a larger canvas. It fails the test if anything is drawn outside the window, or nothing in it
// although there is room.
func StaysInside(t interface{ Fatalf(string, ...any) }, app Model, w, h int) {
	const more = 5
	app.Update(tea.WindowSizeMsg{Width: w, Height: h})
	c := canvas.New(w+more, h+more)
	app.Draw(c)
	for y := range h + more {
		for x, cell := range c.Row(y) {
			if (x >= w || y >= h) && !cell.IsBlank() {
				t.Fatalf("column %d of line %d is drawn on in a window of %dx%d:\n%s", x, y, w, h, c.Plain())
			}
		}
	}
	if drawn := strings.TrimSpace(c.Plain()) != ""; drawn != (w > 0 && h > 0) {
		t.Fatalf("something is drawn in a window of %dx%d: %v", w, h, drawn)
	}
}

// Golden compares a page with its golden file, in which the escape character is written as ␛.
func Golden(t *testing.T, name, page string) {
	t.Helper()
	goldentest.Compare(t, name, strings.ReplaceAll(page, "\x1b", "␛")+"\n")
}

// Live lets d go by while the session works as under its driver, and returns the number of TickMsgs that came.
func (s *Session) Live(d time.Duration) (ticks int) {
	timer := time.NewTimer(d)
	for {
		select {
		case msg := <-s.msgs:
			if a, ok := msg.(screen.Answer); ok {
				if _, ok := a.Msg.(screen.TickMsg); ok {
					ticks++
				}
			}
			s.take(msg)
		case <-timer.C:
			s.Settle()
			return ticks
		}
	}
}

// Reads fails the test unless the page shows the words, in as many lines as they need.
func (s *Session) Reads(words string) {
	s.T.Helper()
	plain := func(words string) string { return strings.Join(strings.Fields(words), " ") }
	if !strings.Contains(plain(s.Page()), plain(words)) {
		s.T.Errorf("%q can't be read on the page:\n%s", words, s.Page())
	}
}

// A boardPage stands for the board of a match.
type boardPage struct{ homePage }

// NewBoard returns a page that stands for the board of a match.
func NewBoard(e *screen.Env, _ lobby.Ref) screen.Screen { return boardPage{homePage{env: e}} }

func (s boardPage) Update(tea.Msg) (screen.Screen, tea.Cmd) { return s, nil }

// InMatch makes the session wait longer for a key.
func (s boardPage) InMatch() bool { return true }
