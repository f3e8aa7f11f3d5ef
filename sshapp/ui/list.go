package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// A list is a cursor on lines of which a part is shown. The zero value stands on the first line.
type list struct {
	at  int // the line with the cursor
	top int // the first line shown
}

// key moves the cursor among n lines of which room are shown.
func (l list) key(key string, n, room int) list {
	l.at = moved(key, l.at, n, room-1)
	return l.fit(n, room)
}

// fit keeps the cursor on a line and the line in view.
func (l list) fit(n, room int) list {
	room = max(room, 1)
	l.at = max(min(l.at, n-1), 0)
	l.top = max(min(l.top, l.at, n-room), l.at-room+1, 0)
	return l
}

// end returns the line below the last one shown.
func (l list) end(n, room int) int { return max(min(l.top+room, n), l.top) }

// mouse scrolls with the wheel, and moves the cursor to the line under a click. The list is drawn from line first of the body on.
// clicked reports whether a line was clicked.
func (l list) mouse(msg tea.MouseMsg, first, n, room int) (moved list, clicked bool) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		l.at = max(min(l.at+wheel(msg), n-1), 0)
		return l.fit(n, room), false
	case tea.MouseClickMsg:
		line := msg.Y - first
		if msg.Button == tea.MouseLeft && line >= 0 && line < room && line+l.top < n {
			l.at = line + l.top
			return l, true
		}
	}
	return l, false
}

// drawList draws the lines of a list, with marks above and below where there is more. draw gets the number of a line, the style
// of its words, and the page at the column where they start.
func drawList(p *page, t *theme, l list, n, room int, draw func(i int, y canvas.Style)) {
	above, below := "", ""
	if l.top > 0 {
		above = t.up
	}
	if l.end(n, room) < n {
		below = t.down
	}
	p.line(menuColumn, t.dim, above)
	for i := l.top; i < l.end(n, room); i++ {
		y := t.plain
		if i == l.at {
			y = t.accent
			p.to(menuColumn-2).put(y, ">")
		}
		p.to(menuColumn)
		draw(i, y)
		p.end()
	}
	p.line(menuColumn, t.dim, below)
}

// arrowKeys returns the action of the keys up and down.
func arrowKeys[S any](say text.Say, move func(S, tea.KeyPressMsg) (S, tea.Cmd)) keyAction[S] {
	return onKey(say.T("arrows"), say.T("move"), move, "up", "down")
}

// jumpKeys returns the actions of the keys that move a cursor by more than a line.
func jumpKeys[S any](say text.Say, move func(S, tea.KeyPressMsg) (S, tea.Cmd)) []keyAction[S] {
	return []keyAction[S]{
		onKey("home end", say.T("first and last line"), move, "home", "end"),
		onKey("pgup pgdn", say.T("a page up or down"), move, "pgup", "pgdown"),
	}
}

// moved returns where a key takes a cursor from line at of n, with pages of the given length. Other keys leave it there.
func moved(key string, at, n, page int) int {
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

// wheel returns how many lines a turn of the mouse wheel scrolls.
func wheel(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelUp:
		return -3
	case tea.MouseWheelDown:
		return 3
	}
	return 0
}
