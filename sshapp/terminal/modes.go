package terminal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// modes is what the terminal has been told apart from the cells.
type modes struct {
	begun    bool // something was sent at all
	alt      bool
	mouse    tea.MouseMode
	paste    bool
	focus    bool
	title    string
	titled   bool // the title was ever set, so that the old one has to come back
	cursorOn bool
	shape    int // as DECSCUSR counts; 0 is the terminal's own
	shaped   bool
}

const maxTitleBytes = 120

// The state a terminal is put in first thing and last thing, whatever the program before or a lost frame left behind: no
// marks open, no mouse, focus or paste reports, the usual character set, no colours.
const (
	neutral      = "\x1b[?2026l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x0f\x1b(B\x1b[m"
	neutralPlain = "\x0f\x1b(B\x1b[m"
)

// change adds what brings the terminal's modes in line with a view. While the driver draws, lines don't wrap: a
// character that a terminal takes to be wider than the driver does then stays in its row.
func (m *modes) change(buf []byte, s *screen, view *tea.View) []byte {
	if !m.begun {
		m.begun = true
		if s.plain {
			buf = append(buf, neutralPlain...)
		} else {
			buf = append(buf, neutral...)
		}
		buf = append(buf, "\x1b[?7l\x1b[?25l"...)
	}
	if s.plain {
		return buf
	}
	if view.AltScreen != m.alt {
		m.alt = view.AltScreen
		buf = append(buf, "\x1b[?1049"...)
		buf = append(buf, setting(m.alt))
		s.known, s.x = false, -1
	}
	if view.MouseMode != m.mouse {
		buf = m.changeMouse(buf, view.MouseMode)
	}
	if paste := !view.DisableBracketedPasteMode; paste != m.paste {
		m.paste = paste
		buf = append(buf, "\x1b[?2004"...)
		buf = append(buf, setting(paste))
	}
	if view.ReportFocus != m.focus {
		m.focus = view.ReportFocus
		buf = append(buf, "\x1b[?1004"...)
		buf = append(buf, setting(m.focus))
	}
	if view.WindowTitle != m.title {
		buf = m.changeTitle(buf, view.WindowTitle)
	}
	return buf
}

func setting(on bool) byte {
	if on {
		return 'h'
	}
	return 'l'
}

func (m *modes) changeMouse(buf []byte, mode tea.MouseMode) []byte {
	switch m.mouse { // off what is on; the two modes don't stack in every terminal
	case tea.MouseModeCellMotion:
		buf = append(buf, "\x1b[?1002l"...)
	case tea.MouseModeAllMotion:
		buf = append(buf, "\x1b[?1003l"...)
	}
	m.mouse = mode
	switch mode {
	case tea.MouseModeCellMotion:
		return append(buf, "\x1b[?1002h\x1b[?1006h"...)
	case tea.MouseModeAllMotion:
		return append(buf, "\x1b[?1003h\x1b[?1006h"...)
	default:
		return append(buf, "\x1b[?1006l"...)
	}
}

func (m *modes) changeTitle(buf []byte, title string) []byte {
	m.title = title
	if !m.titled {
		m.titled = true
		buf = append(buf, "\x1b[22;2t"...) // terminals with a stack of titles keep the old one
	}
	buf = append(buf, "\x1b]2;"...)
	buf = append(buf, shorten(printable(title), maxTitleBytes)...)
	return append(buf, '\a')
}

// printable leaves out what a title could end its sequence with, and invalid UTF-8.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, s)
}

// shorten cuts s to at most limit bytes without splitting a rune.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// cursor adds what shows the terminal's cursor where the view wants it, or hides it.
func (m *modes) cursor(buf []byte, s *screen, c *tea.Cursor) []byte {
	if c == nil || c.X < 0 || c.Y < 0 || c.X >= s.size.Width || c.Y >= s.size.Height {
		if m.cursorOn {
			m.cursorOn = false
			buf = append(buf, "\x1b[?25l"...)
		}
		return buf
	}
	buf = s.move(buf, c.X, c.Y)
	if shape := cursorShape(c); shape != m.shape && !s.plain {
		m.shape, m.shaped = shape, true
		buf = append(buf, "\x1b["...)
		buf = strconv.AppendInt(buf, int64(shape), 10)
		buf = append(buf, " q"...)
	}
	if !m.cursorOn {
		m.cursorOn = true
		buf = append(buf, "\x1b[?25h"...)
	}
	return buf
}

func cursorShape(c *tea.Cursor) int {
	shape := 1
	switch c.Shape {
	case tea.CursorUnderline:
		shape = 3
	case tea.CursorBar:
		shape = 5
	}
	if !c.Blink {
		shape++
	}
	return shape
}

// restore adds what gives the terminal back as it was, as far as that is possible.
func (m *modes) restore(buf []byte, s *screen) []byte {
	if s.plain {
		buf = append(buf, neutralPlain...)
		if m.begun {
			buf = append(buf, "\x1b[H\x1b[2J"...)
		}
		return append(buf, "\x1b[?7h\x1b[?25h"...)
	}
	buf = append(buf, neutral...)
	if m.shaped {
		buf = append(buf, "\x1b[0 q"...)
	}
	if m.titled {
		buf = append(buf, "\x1b]2;\a\x1b[23;2t"...)
	}
	switch {
	case m.alt:
		buf = append(buf, "\x1b[?1049l"...)
	case m.begun: // below what was drawn
		s.x = -1
		buf = s.move(buf, 0, s.size.Height-1)
		buf = append(buf, "\r\n"...)
	}
	return append(buf, "\x1b[?7h\x1b[?25h"...)
}
