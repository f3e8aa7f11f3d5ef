package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
)

// readable is how wide lines of prose get.
const readable = 72

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

// newHelp is the page behind the key ? of a screen.
func newHelp(e *env, of screen) screen {
	var b strings.Builder
	if h, ok := of.(helpProvider); ok {
		b.WriteString(strings.TrimSpace(h.Help()))
		b.WriteString("\n\n")
	}
	b.WriteString("# " + e.say.T("Keys") + "\n")
	own := of.Hints()
	for i, h := range append(own[:len(own):len(own)], everywhere(e.say)...) {
		if i >= len(own) && slices.ContainsFunc(own, func(o hint) bool { return o.key == h.key }) {
			continue // the screen has said what the key does there
		}
		b.WriteString(strings.TrimRight("  "+text.Fit(h.key, 14)+h.what, " ") + "\n")
	}
	page := newReader(e, of.Title(), b.String())
	page.help = true
	return page
}

// isHelp says whether a screen is the page behind the key ?, which the same key closes.
func isHelp(s screen) bool {
	r, ok := s.(reader)
	return ok && r.help
}

// everywhere are the keys that mean the same on every screen.
func everywhere(say text.Say) []hint {
	return []hint{
		{"", ""},
		{say.T("arrows, hjkl"), say.T("move, where nothing is typed")},
		{"home end", say.T("first and last line")},
		{"pgup pgdn", say.T("a page up or down")},
		{"enter", say.T("choose")},
		{"esc", say.T("back")},
		{"?", say.T("help for this screen")},
		{"ctrl+l", say.T("draw the screen again")},
		{"q, ctrl+c", say.T("leave the club")},
	}
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
		switch msg.String() {
		case "up":
			s.top--
		case "down", "enter":
			s.top++
		case "pgup":
			s.top -= page
		case "pgdown", "space", " ":
			s.top += page
		case "home":
			s.top = 0
		case "end":
			s.top = len(s.lines(s.size.Width))
		}
	}
	s.top = max(min(s.top, len(s.lines(s.size.Width))-s.room(s.size.Height)), 0)
	return s, nil
}

// room is how many lines of the text a body shows.
func (s reader) room(height int) int { return max(height-3, 1) }

func (s reader) View(w, h int) string {
	t := s.env.theme
	p := newPage(w, h)
	lines := s.lines(w)
	last := min(s.top+s.room(h), len(lines))
	column := column(w)
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
	return p.String()
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

func (s reader) Hints() []hint {
	say := s.env.say
	hints := []hint{{say.T("arrows"), say.T("scroll")}, {"esc", say.T("back")}}
	if s.help {
		hints = append(hints, hint{"?", say.T("close")})
	}
	return hints
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
