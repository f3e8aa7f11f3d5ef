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
		drawListLine(p, t, l, i, draw)
	}
	p.Line(MenuColumn, t.Dim, below)
}

// drawListLine draws line i of a list.
func drawListLine(p *Page, t *Theme, l List, i int, draw func(i int, y canvas.Style)) {
	y := t.Plain
	if i == l.At {
		y = t.Accent
		p.To(MenuColumn-2).Put(y, ">")
	}
	p.To(MenuColumn)
	draw(i, y)
	p.End()
}

// columnCells is the least width of each of several columns of a list.
const columnCells = 80

// Columns say where the lines of a list stand. A list that is longer than the page has several columns in a wide window: it goes on at the top of
// the next one.
type Columns struct {
	first int // the first line, on the page
	rows  int // of each column
	count int
	width int // of each column
}

// NewColumns divides a page of the given size for a list of n lines that begins at line first. There is a mark below the list, and below that
// stand some more lines.
func NewColumns(size tea.WindowSizeMsg, first, below, n int) Columns {
	c := Columns{first: first, rows: max(size.Height-first-1-below, 1), count: 1, width: size.Width}
	if n > c.rows && size.Width >= 2*columnCells {
		c.count = size.Width / columnCells
		c.width = size.Width / c.count
	}
	return c
}

// Room returns how many lines are shown.
func (c Columns) Room() int { return c.rows * c.count }

// Mouse is List.Mouse for a list in columns.
func (c Columns) Mouse(l List, msg tea.MouseMsg, n int) (moved List, clicked bool) {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		line, column := click.Y-c.first, click.X/c.width
		if line < 0 || line >= c.rows || column >= c.count {
			return l, false
		}
		click.Y = c.first + column*c.rows + line
		msg = click
	}
	return l.Mouse(msg, c.first, n, c.Room())
}

// Each draws the next lines of a page in each column.
func (c Columns) Each(p *Page, lines int, draw func(p *Page, column int)) {
	for column := range c.count {
		part := NewPage(&p.Canvas, canvas.Area(p.Area.Min.X+column*c.width, p.Area.Min.Y+p.Lines, c.width, lines))
		draw(&part, column)
	}
	p.Down(p.Lines + lines)
}

// Draw is DrawList for a list in columns. draw gets the page of the line's column.
func (c Columns) Draw(p *Page, t *Theme, l List, n int, draw func(p *Page, i int, y canvas.Style)) {
	if c.count == 1 {
		DrawList(p, t, l, n, c.rows, func(i int, y canvas.Style) { draw(p, i, y) })
		return
	}
	above, below := "", ""
	if l.top > 0 {
		above = t.Up
	}
	if l.End(n, c.Room()) < n {
		below = t.Down
	}
	p.Line(MenuColumn, t.Dim, above)
	c.Each(p, c.rows, func(p *Page, column int) {
		for i := l.top + column*c.rows; i < min(l.top+(column+1)*c.rows, n); i++ {
			drawListLine(p, t, l, i, func(i int, y canvas.Style) { draw(p, i, y) })
		}
	})
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
