package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// listKeys are the keys that move the cursor of a list.
type listKeys struct{ move, ends, pages key.Binding }

func newListKeys(say text.Say) listKeys {
	return listKeys{
		move:  bind(say.T("arrows"), say.T("move"), "up", "down"),
		ends:  bind("home end", say.T("first and last line"), "home", "end"),
		pages: bind("pgup pgdn", say.T("a page up or down"), "pgup", "pgdown"),
	}
}

// matches reports whether a key moves the cursor.
func (k listKeys) matches(msg tea.KeyPressMsg) bool { return key.Matches(msg, k.move, k.ends, k.pages) }

// others are the keys that the help page lists and the footer does not.
func (k listKeys) others() []key.Binding { return []key.Binding{k.ends, k.pages} }

// A list is a cursor over lines that may be more than there is room for. The zero value stands on the first one.
type list struct {
	at  int // the line with the cursor
	top int // the first one shown
}

// key moves the cursor among n lines of which room are shown.
func (l list) key(key string, n, room int) list {
	l.at = moved(key, l.at, n, room-1)
	return l.fit(n, room)
}

// wheel scrolls, and takes the cursor along.
func (l list) wheel(msg tea.MouseWheelMsg, n, room int) list {
	l.at = max(min(l.at+wheel(msg), n-1), 0)
	return l.fit(n, room)
}

// fit keeps the cursor on a line and the line in view.
func (l list) fit(n, room int) list {
	room = max(room, 1)
	l.at = max(min(l.at, n-1), 0)
	l.top = max(min(l.top, l.at, n-room), l.at-room+1, 0)
	return l
}

// end is the line below the last one shown.
func (l list) end(n, room int) int { return max(min(l.top+room, n), l.top) }

// click is the line under the mouse when the first one is shown at line first; ok is false beside all lines.
func (l list) click(m tea.MouseClickMsg, first, n, room int) (at int, ok bool) {
	line := m.Y - first
	at = line + l.top
	return at, m.Button == tea.MouseLeft && line >= 0 && line < room && at < n
}

// drawList draws the lines of a list through draw, which gets the place of a line, the style of its words and the page
// at the column where they start, and marks above and below that there is more.
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

// moved returns where a key takes a cursor from place at in a list of n, with pages of the given length.
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
