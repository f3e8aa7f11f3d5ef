package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// A reader is a page of prose that can be scrolled. A heading line starts with "# "; lines that start with spaces are
// shown as they are; the others flow where the window is narrower than they are.
type reader struct {
	env   *env
	title string
	words string
	help  bool // it is the page behind the key ?
	top   int
	size  tea.WindowSizeMsg
}

func newReader(e *env, title, words string) reader { return reader{env: e, title: title, words: words} }

// newHelp returns the help page of a screen, which lists its keys.
func newHelp(e *env, of screen, keys keyMap) screen {
	var b strings.Builder
	if h, ok := of.(helpProvider); ok {
		b.WriteString(strings.TrimSpace(h.Help()))
		b.WriteString("\n\n")
	}
	b.WriteString("# " + e.say.T("Keys") + "\n")
	for i, group := range keys.FullHelp() {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, k := range shown(group) {
			b.WriteString("  " + text.Fit(k.Help().Key, 14) + k.Help().Desc + "\n")
		}
	}
	page := newReader(e, of.Title(), b.String())
	page.help = true
	return page
}

// isHelp reports whether a screen is a help page.
func isHelp(s screen) bool {
	r, ok := s.(reader)
	return ok && r.help
}

func (s reader) Init() tea.Cmd { return nil }

func (s reader) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case tea.MouseWheelMsg:
		s.top += wheel(msg)
	case tea.KeyPressMsg:
		page := max(s.size.Height-4, 1)
		switch k := s.keys(); {
		case key.Matches(msg, k.on) && msg.String() == "enter":
			s.top++
		case key.Matches(msg, k.on):
			s.top += page
		case k.list.matches(msg):
			s.top = moved(msg.String(), s.top, len(s.lines(s.size.Width)), page)
		}
	}
	s.top = max(min(s.top, len(s.lines(s.size.Width))-s.room(s.size.Height)), 0)
	return s, nil
}

// room is how many lines of the text a body shows.
func (s reader) room(height int) int { return max(height-3, 1) }

func (s reader) Draw(c *canvas.Canvas, area canvas.Rect) {
	t := s.env.theme
	p := newPage(c, area)
	lines := s.lines(p.width)
	last := min(s.top+s.room(p.height), len(lines))
	column := column(p.width)
	up, down := "", ""
	if s.top > 0 {
		up = t.up
	}
	if last < len(lines) {
		down = t.down
	}
	p.line(column, t.dim, up)
	for _, line := range lines[min(s.top, last):last] {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			p.line(column, t.accent, heading)
		} else {
			p.line(column, t.plain, line)
		}
	}
	p.line(column, t.dim, down)
}

// column is where prose starts: it stays narrow and in the middle of a wide window.
func column(w int) int { return max((w-readable)/2, 2) }

// lines breaks the text for a window of the given width.
func (s reader) lines(w int) []string {
	room := max(min(w-2*2, readable), 1)
	var lines, flow []string
	flush := func() {
		lines = append(lines, text.Wrap(strings.Join(flow, " "), room)...)
		flow = flow[:0]
	}
	for line := range strings.SplitSeq(strings.TrimRight(s.words, "\n"), "\n") {
		switch {
		case line == "", strings.HasPrefix(line, " "), strings.HasPrefix(line, "# "):
			flush()
			lines = append(lines, line)
		case strings.HasPrefix(line, "- "):
			flush()
			flow = append(flow, line)
		case room == readable && text.Width(line) <= room:
			flush()
			lines = append(lines, line)
		default:
			flow = append(flow, line)
		}
	}
	flush()
	return lines
}

func (s reader) Title() string { return s.title }
func (s reader) Typing() bool  { return false }

func (s reader) Status() string {
	if s.help {
		return s.env.say.T("help")
	}
	return ""
}

// readerKeys are the keys of a page of prose.
type readerKeys struct {
	scroll, on, back key.Binding
	list             listKeys
}

func (s reader) keys() readerKeys {
	return readerKeys{
		scroll: bind(s.env.say.T("arrows"), s.env.say.T("scroll"), "up", "down"),
		on:     bind("", "", "enter", "space"),
		back:   backKey(s.env.say),
		list:   newListKeys(s.env.say),
	}
}

func (s reader) Keys() keyMap { return s.keys() }

func (k readerKeys) ShortHelp() []key.Binding { return []key.Binding{k.scroll, k.back} }
func (k readerKeys) FullHelp() [][]key.Binding {
	return [][]key.Binding{k.ShortHelp(), k.list.others()}
}

// wheel is how many lines a turn of the mouse wheel moves.
func wheel(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelUp:
		return -3
	case tea.MouseWheelDown:
		return 3
	}
	return 0
}
