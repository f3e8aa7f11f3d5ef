package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// The lines above and below the body.
const (
	topLines    = 1
	bottomLines = 1
)

// body returns the size of the screens' area.
func (a *App) body() tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: a.size.Width, Height: max(a.size.Height-topLines-bottomLines, 0)}
}

// small reports whether the window is too small for any screen.
func (a *App) small() bool { return a.size.Width < minWidth || a.size.Height < minHeight }

// resize tells all screens the new size.
func (a *App) resize() tea.Cmd {
	if a.small() {
		return nil // the screens stay as they are until there is room again
	}
	cmds := make([]tea.Cmd, 0, len(a.stack))
	for i := range a.stack {
		cmds = append(cmds, a.send(i, a.body()))
	}
	return tea.Batch(cmds...)
}

// View renders what Draw draws, for tests and for the stock Bubble Tea program.
func (a *App) View() tea.View {
	c := canvas.New(a.size.Width, a.size.Height)
	v := a.Draw(c)
	v.Content = c.String()
	return v
}

// Draw draws the page: header, body of the screen on top, notes, footer.
func (a *App) Draw(c *canvas.Canvas) tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "Ludoteca"
	top := a.top()
	switch {
	case top == nil:
		return v
	case a.small():
		a.drawTooSmall(c)
	default:
		a.drawPage(c, top)
		if title := a.windowTitle(); title != "" {
			v.WindowTitle = title + " - Ludoteca"
		}
		if p, ok := top.(cursorProvider); ok {
			if x, y, shown := p.Cursor(); shown && x < a.size.Width && y < a.body().Height {
				v.Cursor = tea.NewCursor(x, y+topLines)
				v.Cursor.Blink = false
			}
		}
	}
	if a.env.theme.ascii {
		v.WindowTitle = text.ASCII(v.WindowTitle)
		c.MapText(text.ASCII)
	}
	return v
}

// windowTitle is what the topmost screen that has something to say adds to the window's title: a help page in front of a board
// leaves the title to the board.
func (a *App) windowTitle() string {
	for i := len(a.stack) - 1; i >= 0; i-- {
		if t, ok := a.stack[i].screen.(titleProvider); ok {
			return t.WindowTitle()
		}
	}
	return ""
}

// drawPage draws the whole page. Notes cover the end of the body.
func (a *App) drawPage(c *canvas.Canvas, top screen) {
	w, body := a.size.Width, a.body()
	notes := text.Wrap(a.note, w-2*margin-2)
	notes = notes[:min(len(notes), body.Height/2)]
	room := body.Height - len(notes)
	p := newPage(c, canvas.Area(0, 0, w, a.size.Height))
	a.drawHeader(p, top)
	area := canvas.Area(0, topLines, w, body.Height)
	top.Draw(c.Sub(canvas.Area(0, topLines, w, room)), area)
	p.down(topLines + room)
	mark := "! "
	for _, words := range notes {
		p.line(margin, a.env.theme.accent, mark+words)
		mark = "  "
	}
	a.drawFooter(p)
}

// drawHeader draws the screen's title and status.
func (a *App) drawHeader(p *page, top screen) {
	t := a.env.theme
	title := text.Cut(text.Clean(top.Title()), p.width-2*margin)
	status := fitted(text.Clean(top.Status()), t.dot, p.width-2*margin-text.Width(title)-statusGap)
	p.to(margin).put(t.bold, title).to(p.width-margin-text.Width(status)).put(t.dim, status).end()
}

// statusGap is the least room between title and status, in cells.
const statusGap = 2

// fitted returns the parts of a status that fit. The last part, which changes most, stays the longest, then the first.
func fitted(status, dot string, room int) string {
	parts := strings.Split(status, dot)
	for len(parts) > 0 && text.Width(strings.Join(parts, dot)) > room {
		at := max(len(parts)-2, 0)
		parts = slices.Delete(parts, at, at+1)
	}
	return strings.Join(parts, dot)
}

// drawFooter draws as many of the keys that work now as there is room for, whole ones.
func (a *App) drawFooter(p *page) {
	t := a.env.theme
	p.to(margin)
	for i, k := range a.keys().ShortHelp() {
		help := k.Help()
		need := text.Width(help.Key) + 1 + text.Width(help.Desc)
		if i > 0 {
			need += text.Width(t.dot)
		}
		if p.at+need > p.width-margin {
			break
		}
		if i > 0 {
			p.put(t.dim, t.dot)
		}
		p.put(t.bold, help.Key).to(p.at+1).put(t.dim, help.Desc)
	}
	p.end()
}

// drawTooSmall asks for a larger window.
func (a *App) drawTooSmall(c *canvas.Canvas) {
	p := newPage(c, canvas.Area(0, 0, a.size.Width, a.size.Height))
	lines := text.Wrap(a.env.say.T("A bit more room, please: %dx%d.", minWidth, minHeight), p.width)
	lines = lines[:min(len(lines), p.height)]
	p.down((p.height - len(lines)) / 2)
	for _, line := range lines {
		line = text.Cut(line, p.width)
		p.line((p.width-text.Width(line))/2, a.env.theme.plain, line)
	}
}
