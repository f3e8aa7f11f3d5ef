package terminal

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ludoteca/sshapp/terminal/canvas"
)

// A screen is the driver's copy of what the client shows. It produces the bytes that turn this into the contents of a canvas.
//
// Each row of the canvas is compared with what the client has, and only the cells that differ are sent, each run of them after
// an absolute position. Characters whose width terminals disagree about are followed by a new position, and a row that holds
// such a character is drawn whole, so that a disagreement never spreads along the row.
type screen struct {
	size Window // of the canvas
	left int    // columns before the canvas, in a window that is larger
	top  int    // rows above it

	shown    []canvas.Cell   // what the client has: size.Height rows of size.Width
	clusters canvas.Clusters // of shown, and of the canvas on which the next frame is drawn
	known    bool            // whether the client has what is shown; if not, everything is drawn

	palette *palette
	plain   bool         // the terminal gets only what a VT100 or the Linux console understands
	pen     canvas.Style // of the terminal
	x, y    int          // cursor of the terminal, on the canvas; x is negative when it isn't known
	modes   modes
}

// Frames shorter than this reach a terminal in one piece; marks around them would cost more than the frame.
const minSyncBytes = 256

const (
	syncBegin = "\x1b[?2026h"
	syncEnd   = "\x1b[?2026l"
)

// A gap of equal cells up to this long is written again rather than jumped over: a jump is 6 to 8 bytes.
const maxGap = 5

// maxOffset bounds the place of the canvas in a window that claims to be absurdly large.
const maxOffset = 9999

func newScreen(p *palette, plain bool) *screen {
	return &screen{palette: p, plain: plain, x: -1}
}

// resize takes the window's new size. Terminals rearrange or keep what they show at will, so everything is drawn anew.
func (s *screen) resize(window Window) {
	s.size = Clamp(window)
	s.left = min(max(0, window.Width-s.size.Width)/2, maxOffset)
	s.top = min(max(0, window.Height-s.size.Height)/2, maxOffset)
	if n := s.size.Width * s.size.Height; n > cap(s.shown) || cap(s.shown) > 4*n {
		s.shown = make([]canvas.Cell, n)
	} else {
		s.shown = s.shown[:n]
	}
	s.known = false
}

// forget makes the next frame draw everything.
func (s *screen) forget() { s.known = false }

// prepare makes a canvas ready for the next frame.
func (s *screen) prepare(c *canvas.Canvas) {
	if s.clusters.Full() {
		s.clusters.Reset()
		s.known = false
	}
	c.Reset(s.size.Width, s.size.Height, &s.clusters)
}

// drawContent draws the content of a view on a canvas.
func drawContent(c *canvas.Canvas, content string) {
	content = strings.ToValidUTF8(content, "")
	if len(content) > longContent {
		content = ignored.ReplaceAllString(content, "")
	}
	uv.NewStyledString(content).Draw(c, c.Bounds())
}

// The time that ultraviolet takes for sequences and control characters which it leaves out grows with the square of how many
// follow each other. From this many bytes on, ten times what a usual screen has, they are taken out before.
const longContent = 64 << 10

var ignored = regexp.MustCompile(`[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f]|` +
	`\x1b(\[[ -?]*[@-ln-~]|[\]PX^_][^\x07\x1b]*(\x07|\x1b\\)?|[ -/]+[0-~]|[0-OQ-WYZ\\\x60a-~]|[\x00-\x09\x0b-\x1f\x7f])`)

// frame adds to buf the bytes that turn the client's screen into a prepared canvas, with the modes and the cursor of a view, and a bell if
// ring is true. It adds nothing if the client has all of it already.
func (s *screen) frame(buf []byte, c *canvas.Canvas, view *tea.View, ring bool) []byte {
	start := len(buf)
	if !s.plain {
		buf = append(buf, syncBegin...)
	}
	body := len(buf)
	buf = s.modes.change(buf, s, view)
	if !s.known {
		buf = s.clear(buf)
	}
	for y := range s.size.Height {
		buf = s.drawRow(buf, y, c.Row(y), s.shown[y*s.size.Width:][:s.size.Width])
	}
	buf = s.modes.cursor(buf, s, view.Cursor)
	if ring {
		buf = append(buf, '\a')
	}
	switch {
	case s.plain:
	case len(buf)-body < minSyncBytes:
		buf = append(buf[:start], buf[body:]...)
	default:
		buf = append(buf, syncEnd...)
	}
	return buf
}

// clear empties the client's screen.
func (s *screen) clear(buf []byte) []byte {
	buf = append(buf, "\x1b[m\x1b[2J"...)
	s.pen, s.x = canvas.Style{}, -1
	clear(s.shown)
	s.known = true
	return buf
}

// drawRow turns row y, which the client has as shown, into row.
func (s *screen) drawRow(buf []byte, y int, row, shown []canvas.Cell) []byte {
	first, last := differing(shown, row)
	if first > last {
		return buf
	}
	if anyAmbiguous(shown) || anyAmbiguous(row) {
		buf = s.eraseFrom(buf, 0, y)
		clear(shown)
		first, last = differing(shown, row)
	}
	end := len(row) // of what isn't blank
	for end > 0 && row[end-1].IsBlank() {
		end--
	}
	if erase := max(first, end); last-erase >= maxGap {
		buf = s.drawCells(buf, y, row, shown, first, erase)
		buf = s.eraseFrom(buf, erase, y)
	} else {
		buf = s.drawCells(buf, y, row, shown, first, last+1)
	}
	copy(shown, row)
	return buf
}

// drawCells writes the cells of row y from column x to before end that the client doesn't have.
func (s *screen) drawCells(buf []byte, y int, row, shown []canvas.Cell, x, end int) []byte {
	for x < end {
		c := row[x]
		columns := c.Columns()
		if c == shown[x] || columns == 0 {
			x++
			continue
		}
		if gap := x - s.x; s.y == y && s.x >= 0 && 0 < gap && gap <= maxGap && s.narrow(row[s.x:x]) {
			for ; s.x < x; s.x++ {
				buf = s.clusters.AppendText(buf, row[s.x])
			}
		}
		buf = s.move(buf, x, y)
		buf = s.setPen(buf, c.Style())
		buf = s.clusters.AppendText(buf, c)
		x += columns
		s.x = x
		if columns > 1 || c.Ambiguous() || x >= len(row) {
			s.x = -1
		}
	}
	return buf
}

// narrow reports whether all cells are one column wide in every terminal and in the style of the pen. Sending such cells takes fewer bytes than a new
// position.
func (s *screen) narrow(cells []canvas.Cell) bool {
	for _, c := range cells {
		if c.Columns() != 1 || c.Ambiguous() || s.palette.style(c.Style()) != s.pen {
			return false
		}
	}
	return true
}

// setPen gives the terminal's pen a style, as far as the terminal has it.
func (s *screen) setPen(buf []byte, style canvas.Style) []byte {
	style = s.palette.style(style)
	buf = canvas.AppendSGR(buf, s.pen, style)
	s.pen = style
	return buf
}

// eraseFrom blanks row y from column x on.
func (s *screen) eraseFrom(buf []byte, x, y int) []byte {
	buf = s.move(buf, x, y)
	buf = s.setPen(buf, canvas.Style{}) // what is erased takes the pen's background
	return append(buf, "\x1b[K"...)
}

// move puts the terminal's cursor on a cell of the canvas.
func (s *screen) move(buf []byte, x, y int) []byte {
	if s.x == x && s.y == y {
		return buf
	}
	s.x, s.y = x, y
	buf = append(buf, "\x1b["...)
	buf = strconv.AppendInt(buf, int64(s.top+y+1), 10)
	buf = append(buf, ';')
	buf = strconv.AppendInt(buf, int64(s.left+x+1), 10)
	return append(buf, 'H')
}

// differing returns the first and the last column in which two rows of one length differ; first > last when they don't.
func differing(a, b []canvas.Cell) (first, last int) {
	last = len(a) - 1
	for first <= last && a[first] == b[first] {
		first++
	}
	for last >= first && a[last] == b[last] {
		last--
	}
	return first, last
}

func anyAmbiguous(row []canvas.Cell) bool {
	for _, c := range row {
		if c.Ambiguous() {
			return true
		}
	}
	return false
}

// modes holds the modes that the driver has set in the terminal.
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
// marks open, no mouse, focus or paste reports, a number pad that types digits, the usual character set, no colours.
const (
	neutral      = "\x1b[?2026l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b>\x0f\x1b(B\x1b[m"
	neutralPlain = "\x1b>\x0f\x1b(B\x1b[m"
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
