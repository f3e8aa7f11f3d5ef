package widget

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// A List is a cursor on lines of which a part is shown. The zero value stands on the first line.
type List struct {
	At  int // the line with the cursor
	top int // the first line shown
}

// Key moves the cursor among n lines of which room are shown.
func (l List) Key(key string, n, room int) List {
	l.At = Moved(key, l.At, n, room-1)
	return l.Fit(n, room)
}

// Fit keeps the cursor on a line and the line in view.
func (l List) Fit(n, room int) List {
	room = max(room, 1)
	l.At = max(min(l.At, n-1), 0)
	l.top = max(min(l.top, l.At, n-room), l.At-room+1, 0)
	return l
}

// Shift moves the cursor and the lines shown alike, so that both stand where they did when lines have come or gone above.
func (l List) Shift(by, n, room int) List {
	l.At, l.top = l.At+by, l.top+by
	return l.Fit(n, room)
}

// End returns the line below the last one shown.
func (l List) End(n, room int) int { return max(min(l.top+room, n), l.top) }

// Mouse scrolls with the wheel, and moves the cursor to the line under a click. The list is drawn from line first of the body on.
// clicked reports whether a line was clicked.
func (l List) Mouse(msg tea.MouseMsg, first, n, room int) (moved List, clicked bool) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		l.At = max(min(l.At+Wheel(msg), n-1), 0)
		return l.Fit(n, room), false
	case tea.MouseClickMsg:
		line := msg.Y - first
		if msg.Button == tea.MouseLeft && line >= 0 && line < room && line+l.top < n {
			l.At = line + l.top
			return l, true
		}
	}
	return l, false
}

// DrawList draws the lines of a list, with marks above and below where there is more. draw gets the number of a line, the style
// of its words, and the page at the column where they start.
func DrawList(p *Page, t *Theme, l List, n, room int, draw func(i int, y canvas.Style)) {
	above, below := "", ""
	if l.top > 0 {
		above = t.Up
	}
	if l.End(n, room) < n {
		below = t.Down
	}
	p.Line(MenuColumn, t.Dim, above)
	for i := l.top; i < l.End(n, room); i++ {
		y := t.Plain
		if i == l.At {
			y = t.Accent
			p.To(MenuColumn-2).Put(y, ">")
		}
		p.To(MenuColumn)
		draw(i, y)
		p.End()
	}
	p.Line(MenuColumn, t.Dim, below)
}

// ArrowKeys returns the action of the keys up and down.
func ArrowKeys[S any](move func(S, tea.KeyPressMsg) (S, tea.Cmd)) Action[S] {
	return OnKey(text.T("arrows"), text.T("move"), move, "up", "down")
}

// JumpKeys returns the actions of the keys that move a cursor by more than a line, and others that have no name.
func JumpKeys[S any](move func(S, tea.KeyPressMsg) (S, tea.Cmd), others ...Action[S]) []Action[S] {
	return append([]Action[S]{
		OnKey("home end", text.T("first and last line"), move, "home", "end"),
		OnKey("pgup pgdn", text.T("a page up or down"), move, "pgup", "pgdown"),
	}, others...)
}

// Moved returns the line to which a key moves a cursor from line at of n, with pages of the given length. Other keys don't move it.
func Moved(key string, at, n, page int) int {
	switch key {
	case "up":
		at--
	case "down":
		at++
	case "pgup":
		at -= max(page, 1)
	case "pgdown":
		at += max(page, 1)
	case "home":
		at = 0
	case "end":
		at = n - 1
	}
	return max(min(at, n-1), 0)
}

// Wheel returns the number of lines that a turn of the mouse wheel scrolls.
func Wheel(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelUp:
		return -3
	case tea.MouseWheelDown:
		return 3
	}
	return 0
}

// WheelStep returns the direction of the mouse wheel: -1 up, 1 down, 0 for none.
func WheelStep(msg tea.MouseWheelMsg) int { return min(max(Wheel(msg), -1), 1) }
