package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/presence/atboard"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage"
)

// maxStack bounds the screens that a session keeps, so that opening more and more of them takes no more memory.
const maxStack = 20

// A stack holds the screens of a session. The lowest is the lobby or the sign-up form, the last one is on top.
type stack struct {
	slots  []slot
	lastID uint64 // of the newest slot
}

// A slot is a screen on the stack and the address of its answers.
type slot struct {
	id     uint64
	screen screen.Screen
}

// top returns the screen on top, or nil if there is none.
func (s *stack) top() screen.Screen {
	if len(s.slots) == 0 {
		return nil
	}
	return s.slots[s.last()].screen
}

// last returns the place of the screen on top.
func (s *stack) last() int { return len(s.slots) - 1 }

// add puts a screen on top.
func (s *stack) add(next screen.Screen) {
	s.lastID++
	s.slots = append(s.slots, slot{s.lastID, next})
}

// makeRoom drops the screen right above the lowest if the stack is full; that above it if it waits for an opponent.
func (s *stack) makeRoom() {
	if len(s.slots) < maxStack {
		return
	}
	at := 1
	if s.slots[at].waits() {
		at++
	}
	s.slots[at].close()
	s.slots = slices.Delete(s.slots, at, at+1)
}

// waits reports whether a screen waits for an opponent.
func (s slot) waits() bool {
	w, ok := s.screen.(screen.WaitingPage)
	return ok && w.Waits()
}

// waiting returns the topmost screen that waits for an opponent below others, and its place; nil if there is none.
func (s *stack) waiting() (page screen.WaitingPage, at int) {
	for at := s.last() - 1; at > 0; at-- {
		if s.slots[at].waits() {
			return s.slots[at].screen.(screen.WaitingPage), at
		}
	}
	return nil, 0
}

// cut drops all screens but the lowest n.
func (s *stack) cut(n int) {
	for _, slot := range s.slots[n:] {
		slot.close()
	}
	clear(s.slots[n:])
	s.slots = s.slots[:n]
}

// close tells a screen that it is gone.
func (s slot) close() {
	if c, ok := s.screen.(screen.Closable); ok {
		c.Close()
	}
}

// find returns the place of the screen with an address; ok is false if it is gone.
func (s *stack) find(id uint64) (at int, ok bool) {
	at = slices.IndexFunc(s.slots, func(s slot) bool { return s.id == id })
	return at, at >= 0
}

// send lets the screen at a place take a message. The Cmd's answers are addressed to that screen.
func (s *stack) send(at int, msg tea.Msg) tea.Cmd {
	next, cmd := s.slots[at].screen.Update(msg)
	s.slots[at].screen = next
	return address(s.slots[at].id, cmd)
}

// initTop returns the first Cmd of the screen on top.
func (s *stack) initTop() tea.Cmd {
	top := s.slots[s.last()]
	return address(top.id, top.screen.Init())
}

// address makes the answers of cmd go to the screen with the given id, wherever in the stack it is by then.
func address(id uint64, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			addressed := make(tea.BatchMsg, len(msg))
			for i, c := range msg {
				addressed[i] = address(id, c)
			}
			return addressed
		default:
			return screen.Answer{To: id, Msg: msg}
		}
	}
}

// helpOfBoard reports whether the help of a board is on top of it.
func (s *stack) helpOfBoard() bool {
	if len(s.slots) < 2 || !screen.IsHelp(s.top()) {
		return false
	}
	_, ok := s.slots[s.last()-1].screen.(screen.BoardPage)
	return ok
}

// place returns where the session is, as the screen on top says, or the one below its help.
func (s *stack) place() atboard.Place {
	at := s.last()
	if at > 0 && screen.IsHelp(s.top()) { // the help of a board lies on it, or stands beside it
		at--
	}
	if at >= 0 {
		if b, ok := s.slots[at].screen.(screen.Board); ok {
			return b.Place()
		}
	}
	return atboard.Place{}
}

// match returns the match whose board is on top; ok is false if another screen is.
func (s *stack) match() (id storage.MatchID, ok bool) {
	if m, ok := s.top().(screen.MatchScreen); ok {
		return m.MatchID(), true
	}
	return "", false
}

// board returns the board at which the player looks, or nil: it is on top, or only its help lies on it or stands beside it.
func (s *stack) board() screen.MatchScreen {
	at := s.last()
	if at > 0 && screen.IsHelp(s.top()) {
		at--
	}
	if at < 0 {
		return nil
	}
	m, _ := s.slots[at].screen.(screen.MatchScreen)
	return m
}

// shows reports whether the player looks at the board of a match.
func (s *stack) shows(id storage.MatchID) bool {
	m := s.board()
	return m != nil && m.MatchID() == id
}

// title returns what the topmost screen with a title of its own adds to the window's title. A help page has none, so it leaves the
// title to the board behind it.
func (s *stack) title() string {
	for _, slot := range slices.Backward(s.slots) {
		if t, ok := slot.screen.(screen.TitleProvider); ok {
			return t.WindowTitle()
		}
	}
	return ""
}

// leaveQuestion returns the question of the topmost board: its help may lie on it.
func (s *stack) leaveQuestion() string {
	for _, slot := range slices.Backward(s.slots) {
		if l, ok := slot.screen.(screen.LeaveConfirmer); ok {
			return l.ConfirmLeave()
		}
	}
	return ""
}

// draw draws the given number of lines of the screen at a place of the stack.
func (s *stack) draw(c *canvas.Canvas, at int, area canvas.Rect, lines int) {
	shown := canvas.Area(area.Min.X, area.Min.Y, area.Dx(), lines)
	s.slots[at].screen.Draw(c.Sub(shown), area)
}
