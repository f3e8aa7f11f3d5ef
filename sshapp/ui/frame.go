package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
)

// The lines above and below the body, and how far they stay from the edges.
const (
	topLines    = 1
	bottomLines = 1
	margin      = 1
)

// body is the room that screens have.
func (a *App) body() tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: a.size.Width, Height: max(a.size.Height-topLines-bottomLines, 0)}
}

// small says whether the window is too small for any screen.
func (a *App) small() bool { return a.size.Width < minWidth || a.size.Height < minHeight }

// resize tells every screen the new size, so that one that comes back fits.
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

// View draws the page: the top line, the body of the screen on top, the hints.
func (a *App) View() tea.View {
	content, v := a.AppendView(nil)
	v.Content = string(content)
	return v
}

// AppendView is View with the content added to dst, which spares each key a string of the whole page.
func (a *App) AppendView(dst []byte) ([]byte, tea.View) {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "Ludoteca"
	top := a.top()
	if top == nil {
		return dst, v
	}
	if a.small() {
		return append(dst, a.tooSmall()...), v
	}
	if calling := a.calling(); calling != "" {
		v.WindowTitle = calling + " - Ludoteca"
	}
	if p, ok := top.(cursorProvider); ok {
		if x, y, shown := p.Cursor(); shown && x < a.size.Width && y < a.body().Height {
			v.Cursor = tea.NewCursor(x, y+topLines)
			v.Cursor.Blink = false
		}
	}
	if a.env.theme.ascii {
		v.WindowTitle = text.ASCII(v.WindowTitle)
		return append(dst, text.ASCII(string(a.content(nil, top)))...), v
	}
	return a.content(dst, top), v
}

// calling is what the window's title says. A page in front of a board, such as its help, says what the board says.
func (a *App) calling() string {
	for i := len(a.stack) - 1; i >= 0; i-- {
		if c, ok := a.stack[i].screen.(titleProvider); ok {
			return c.WindowTitle()
		}
	}
	return ""
}

// content adds the whole page as lines to dst.
func (a *App) content(dst []byte, top screen) []byte {
	w, h := a.size.Width, a.size.Height
	body := a.body()
	p := &page{b: slices.Grow(dst, w*h), width: w, height: h}
	a.header(p, top)
	notes := text.Wrap(a.note, w-2*margin-2)
	notes = notes[:min(len(notes), body.Height/2)]
	room := body.Height - len(notes)
	if d, ok := top.(drawer); ok && len(notes) == 0 {
		p.part(room, d.draw)
	} else {
		for line := range strings.SplitSeq(top.View(w, body.Height), "\n") {
			if p.lines == topLines+room {
				break
			}
			p.raw(line)
		}
		p.down(topLines + room)
	}
	for i, words := range notes {
		mark := "! "
		if i > 0 {
			mark = "  "
		}
		p.line(margin, a.env.theme.accent, mark+words)
	}
	a.footer(p)
	return p.bytes()
}

// header draws the screen's title and status.
func (a *App) header(p *page, top screen) {
	t := a.env.theme
	title := text.Cut(text.Clean(top.Title()), p.width-2*margin)
	status := fitted(text.Clean(top.Status()), t.dot, p.width-2*margin-text.Width(title)-statusGap)
	p.to(margin).put(t.bold, title).to(p.width-margin-text.Width(status)).put(t.dim, status).end()
}

// statusGap is the room between a title and a status, in cells.
const statusGap = 2

// fitted is what of a status fits whole. Its last part, which changes the most, stays the longest, then the first one.
func fitted(status, dot string, room int) string {
	parts := strings.Split(status, dot)
	for len(parts) > 0 && text.Width(strings.Join(parts, dot)) > room {
		at := max(len(parts)-2, 0)
		parts = slices.Delete(parts, at, at+1)
	}
	return strings.Join(parts, dot)
}

// footer draws as many of the keys that work now as there is room for, whole ones.
func (a *App) footer(p *page) {
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

// tooSmall is what a window shows in which nothing fits.
func (a *App) tooSmall() string {
	words := a.env.say.T("A bit more room, please: %dx%d.", minWidth, minHeight)
	p := newPage(a.size.Width, a.size.Height)
	lines := text.Wrap(words, p.width)
	lines = lines[:min(len(lines), p.height)]
	p.down((p.height - len(lines)) / 2)
	for _, line := range lines {
		line = text.Cut(line, p.width)
		p.line((p.width-text.Width(line))/2, a.env.theme.plain, line)
	}
	if a.env.theme.ascii {
		return text.ASCII(p.String())
	}
	return p.String()
}
