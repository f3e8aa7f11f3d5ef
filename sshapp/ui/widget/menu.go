package widget

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
)

// A Menu is a list that fills a screen, with a paragraph about it below. Each line has a name, and a few words about it in a second column. The
// zero value stands on the first line.
type Menu struct {
	size tea.WindowSizeMsg
	list List
}

// At returns the line with the cursor.
func (m Menu) At() int { return m.list.At }

// Update takes the size of the window, or what the mouse does, for a menu of n lines. chosen reports whether a line was clicked.
func (m Menu) Update(msg tea.Msg, n int) (next Menu, chosen bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.size = msg
		m.list = m.list.Fit(n, m.room(msg.Height, n))
	case tea.MouseMsg:
		m.list, chosen = m.list.Mouse(msg, FirstLine+1, n, m.room(m.size.Height, n))
	}
	return m, chosen
}

// Key moves the cursor among n lines.
func (m Menu) Key(msg tea.KeyPressMsg, n int) Menu {
	m.list = m.list.Key(msg.String(), n, m.room(m.size.Height, n))
	return m
}

// room returns how many lines are shown: all, unless the window is lower than the list and the words below it.
func (m Menu) room(h, n int) int { return max(min(h-FirstLine-2-HelpLines, n), 1) }

// asideColumn is where the second column of a menu begins.
const asideColumn = MenuColumn + 20

// Draw draws the n lines of the menu, and the paragraph about it. line returns the name of a line, and the words of its second column.
func (m Menu) Draw(c *canvas.Canvas, area canvas.Rect, t *Theme, n int, line func(i int) (name, aside string), about string) {
	p := NewPage(c, area)
	p.Down(FirstLine)
	DrawList(&p, t, m.list, n, m.room(p.Height, n), func(i int, y canvas.Style) {
		name, aside := line(i)
		p.Put(y, name).To(asideColumn).Put(t.Dim, aside)
	})
	p.Wrap(MenuColumn, t.Dim, about, min(p.Width-2*MenuColumn, Readable))
}
