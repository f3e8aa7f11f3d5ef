package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
)

// A Prose is text that scrolls. A heading starts with "# ". Lines that start with a space are a drawing, which moves to the left
// in narrow windows; all others flow in windows narrower than they are. It scrolls no further than its last line.
type Prose struct {
	Words string
	top   int // the first line shown
}

// Key scrolls by a key in a window of the given size.
func (s Prose) Key(key string, w, h int) Prose {
	page := max(h-4, 1)
	switch key {
	case "enter":
		s.top++
	case "space":
		s.top += page
	default:
		s.top = Moved(key, s.top, len(s.Lines(w)), page)
	}
	return s.Fit(w, h)
}

// Wheel scrolls by a turn of the mouse wheel in a window of the given size.
func (s Prose) Wheel(msg tea.MouseWheelMsg, w, h int) Prose {
	s.top += Wheel(msg)
	return s.Fit(w, h)
}

// Fit keeps the text in a window of the given size.
func (s Prose) Fit(w, h int) Prose {
	s.top = max(min(s.top, len(s.Lines(w))-proseRoom(h)), 0)
	return s
}

// proseRoom returns how many lines of the text are shown.
func proseRoom(h int) int { return max(h-3, 1) }

// Draw draws the lines that are shown, with marks above and below where there is more.
func (s Prose) Draw(p *Page, t *Theme) {
	lines := s.Lines(p.Width)
	last := min(s.top+proseRoom(p.Height), len(lines))
	column := proseColumn(p.Width)
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

// proseColumn returns where prose starts: it stands in the middle of a wide window.
func proseColumn(w int) int { return max((w-Readable)/2, 2) }

// Lines breaks the text for a window of the given width.
func (s Prose) Lines(w int) []string {
	room := max(min(w-2*2, Readable), 1)
	var lines, flow []string
	flush := func() {
		lines = append(lines, text.Wrap(strings.Join(flow, " "), room)...)
		flow = flow[:0]
	}
	var drawing []string
	for line := range strings.SplitSeq(strings.TrimRight(s.Words, "\n"), "\n") {
		if strings.HasPrefix(line, " ") {
			flush()
			drawing = append(drawing, line)
			continue
		}
		lines, drawing = append(lines, outdented(drawing, room)...), nil
		switch {
		case line == "", strings.HasPrefix(line, "# "):
			flush()
			lines = append(lines, line)
		case strings.HasPrefix(line, "- "):
			flush()
			flow = append(flow, line)
		case room == Readable && text.Width(line) <= room:
			flush()
			lines = append(lines, line)
		default:
			flow = append(flow, line)
		}
	}
	flush()
	return append(lines, outdented(drawing, room)...)
}

// listIndent is the indentation of the lines of a list item. They are no drawing.
const listIndent = 2

// outdented returns the lines of a drawing with less common indentation, by as much as they are too wide for room.
func outdented(drawing []string, room int) []string {
	indent, widest := room, 0
	for _, line := range drawing {
		indent = min(indent, len(line)-len(strings.TrimLeft(line, " ")))
		widest = max(widest, text.Width(line))
	}
	if indent <= listIndent {
		return drawing
	}
	all := make([]string, len(drawing))
	for i, line := range drawing {
		all[i] = line[min(indent, max(widest-room, 0)):]
	}
	return all
}

// Paragraphs joins paragraphs with empty lines between them, except below headings.
func Paragraphs(all ...string) string {
	var b strings.Builder
	heading := false
	for _, p := range all {
		p = strings.TrimSpace(p)
		switch {
		case p == "":
			continue
		case b.Len() == 0:
		case heading:
			b.WriteByte('\n')
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(p)
		heading = strings.HasPrefix(p, "# ")
	}
	return b.String()
}
