package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

// A reader is a page of prose that scrolls. A heading starts with "# ". Lines that start with a space stay as they are, all
// others flow in windows narrower than they are.
type reader struct {
	env   *env
	title string
	words string
	help  bool // it is a help page
	top   int
	size  tea.WindowSizeMsg
}

func newReader(e *env, title, words string) reader { return reader{env: e, title: title, words: words} }

func (s reader) Init() tea.Cmd { return nil }

func (s reader) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case tea.MouseWheelMsg:
		s.top += widget.Wheel(msg)
	case tea.KeyPressMsg:
		if run, ok := s.keys().Find(msg); ok {
			s, _ = run(s, msg)
		}
	}
	s.top = max(min(s.top, len(s.lines(s.size.Width))-s.room(s.size.Height)), 0)
	return s, nil
}

func (s reader) keys() widget.Actions[reader] {
	say := s.env.say
	return widget.Actions[reader]{
		Footer: []widget.Action[reader]{
			widget.OnKey(say.T("arrows"), say.T("scroll"), reader.scroll, "up", "down"),
			widget.Typed[reader]("esc", say.T("back")), // App's key, named here to stand before help
		},
		Others: append(widget.JumpKeys(say, reader.scroll), widget.OnKey("", "", reader.scroll, "enter", "space")),
	}
}

func (s reader) scroll(msg tea.KeyPressMsg) (reader, tea.Cmd) {
	page := max(s.size.Height-4, 1)
	switch key := msg.String(); key {
	case "enter":
		s.top++
	case "space":
		s.top += page
	default:
		s.top = widget.Moved(key, s.top, len(s.lines(s.size.Width)), page)
	}
	return s, nil
}

// room returns how many lines of the text are shown.
func (s reader) room(height int) int { return max(height-3, 1) }

func (s reader) Draw(c *canvas.Canvas, area canvas.Rect) {
	t := s.env.theme
	p := widget.NewPage(c, area)
	lines := s.lines(p.Width)
	last := min(s.top+s.room(p.Height), len(lines))
	column := column(p.Width)
	up, down := "", ""
	if s.top > 0 {
		up = t.Up
	}
	if last < len(lines) {
		down = t.Down
	}
	p.Line(column, t.Dim, up)
	for _, line := range lines[min(s.top, last):last] {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			p.Line(column, t.Accent, heading)
		} else {
			p.Line(column, t.Plain, line)
		}
	}
	p.Line(column, t.Dim, down)
}

// column returns where prose starts: it stands in the middle of a wide window.
func column(w int) int { return max((w-widget.Readable)/2, 2) }

// lines breaks the text for a window of the given width.
func (s reader) lines(w int) []string {
	room := max(min(w-2*2, widget.Readable), 1)
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
		case room == widget.Readable && text.Width(line) <= room:
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
func (s reader) Keys() keyMap  { return s.keys() }
func (s reader) Typing() bool  { return false }

func (s reader) Status() string {
	if s.help {
		return s.env.say.T("help")
	}
	return ""
}
