package terminal

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// A screen is what the client shows, as far as the driver knows, and how to get from there to another frame.
//
// Each row of a frame is compared with what the client has, and only the cells that differ are sent, each run of them after an
// absolute position. Characters whose width terminals disagree about are followed by a new position, and a row that holds
// such a one is drawn whole, so that a disagreement never spreads along the row.
type screen struct {
	canvas Window // what the model draws on
	left   int    // columns before the canvas, in a window that is larger
	top    int    // rows above it

	cells    []cell // canvas.Height rows of canvas.Width
	row      []cell // the row being drawn
	known    bool   // cells are what the client shows; false: draw everything
	made     source // what cells were made of
	spare    []byte // room for the next text
	clusters clusters
	palette  *palette
	plain    bool // the terminal gets only what a VT100 or the Linux console understands

	pen   style // of the terminal
	x, y  int   // cursor of the terminal, on the canvas; x is negative when it isn't known
	modes modes
}

// Frames shorter than this reach a terminal in one piece; marks around them would cost more than the frame.
const minSyncBytes = 256

const (
	syncBegin = "\x1b[?2026h"
	syncEnd   = "\x1b[?2026l"
)

// A gap of equal cells up to this long is written again rather than jumped over: a jump is 6 to 8 bytes.
const maxGap = 5

// spareTime is how long a window has to stay as it is before the room that a larger one took is given back. Dragging one makes
// no garbage so; the most that is kept is a canvas of MaxWidth by MaxHeight, which a window may have for good.
const spareTime = 10 * time.Second

// maxSpareCells is how many cells more than the canvas has are kept for good.
const maxSpareCells = 1 << 10

// maxOffset bounds the place of the canvas in a window that claims to be absurdly large.
const maxOffset = 9999

func newScreen(p *palette, plain bool) *screen {
	return &screen{palette: p, plain: plain, x: -1}
}

// resize takes the window's new size. Terminals rearrange or keep what they show at will, so everything is drawn anew.
func (s *screen) resize(window Window) {
	s.canvas = Clamp(window)
	s.left = min(max(0, window.Width-s.canvas.Width)/2, maxOffset)
	s.top = min(max(0, window.Height-s.canvas.Height)/2, maxOffset)
	s.cells = sized(s.cells, s.canvas.Width*s.canvas.Height, MaxWidth*MaxHeight)
	s.row = sized(s.row, s.canvas.Width, MaxWidth)
	s.made.resize(s.canvas.Height)
	s.known = false
}

// sized returns a slice of so many elements, made of a present one if that has the room. What is in it means nothing. One that has
// to grow gets some room more, up to the most that it will ever need: a window that grows once grows again.
func sized[T any](s []T, need, most int) []T {
	if cap(s) == 0 {
		return make([]T, need)
	}
	if cap(s) < need {
		return make([]T, need, max(need, min(2*cap(s), most)))
	}
	return s[:need]
}

// settle gives back the room that larger windows took.
func (s *screen) settle() {
	if cap(s.cells) > len(s.cells)+maxSpareCells {
		s.cells = append(make([]cell, 0, len(s.cells)), s.cells...)
	}
}

// forget makes the next frame draw everything.
func (s *screen) forget() { s.known = false }

// page is room for the text of the next frame, to be given to drawText.
func (s *screen) page() []byte { return s.spare[:0] }

// draw is drawText for a view that holds its own text.
func (s *screen) draw(buf []byte, view *tea.View, ring bool) []byte {
	return s.drawText(buf, append(s.page(), view.Content...), view, ring)
}

// drawText adds to buf what turns the client's screen into view with the given text, which it keeps, and a bell if it is to
// ring. It adds nothing when the client has all of it already.
func (s *screen) drawText(buf, text []byte, view *tea.View, ring bool) []byte {
	start := len(buf)
	if !s.plain {
		buf = append(buf, syncBegin...)
	}
	body := len(buf)
	buf = s.modes.change(buf, s, view)
	if s.clusters.full() {
		s.known = false
	}
	if !s.known {
		buf = s.clear(buf)
	}
	buf, valid := s.drawRows(buf, text)
	if !valid {
		text = bytes.ToValidUTF8(text, nil)
		buf, _ = s.drawRows(buf, text)
	}
	s.keep(text)
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

// keep keeps the text that the rows were made of, and the room of the one before it.
func (s *screen) keep(text []byte) {
	if s.spare = s.made.text; cap(s.spare) > maxKeptFrame {
		s.spare = nil
	}
	s.made.text = text
}

// drawRows turns all rows into those of a text. It gives up at one that is made of invalid UTF-8, which is for the caller to
// take out: most rows are as they were, and all of a frame would be looked through for what no model of ours does.
func (s *screen) drawRows(buf, text []byte) (longer []byte, valid bool) {
	c := newContent(text, s.palette, &s.clusters)
	for y := range s.canvas.Height {
		at, pen := len(text)-len(c.rest), c.pen
		if !s.made.skip(y, &c) {
			if !c.row(s.row) && !utf8.Valid(text[at:len(text)-len(c.rest)]) {
				s.made.known = false
				return buf, false
			}
			buf = s.drawRow(buf, y, s.cells[y*s.canvas.Width:][:s.canvas.Width])
		}
		s.made.starts[y], s.made.pens[y] = at, pen
	}
	s.made.end(len(text), &c)
	return buf, true
}

// clear empties the client's screen.
func (s *screen) clear(buf []byte) []byte {
	buf = append(buf, "\x1b[m\x1b[2J"...)
	s.pen, s.x = style{}, -1
	s.clusters.reset()
	s.made.known = false
	for i := range s.cells {
		s.cells[i] = blank
	}
	s.known = true
	return buf
}

// drawRow turns row y, which the client has as old, into s.row.
func (s *screen) drawRow(buf []byte, y int, old []cell) []byte {
	first, last := differing(old, s.row)
	if first > last {
		return buf
	}
	if anyDoubtful(old) || anyDoubtful(s.row) {
		buf = s.eraseFrom(buf, 0, y)
		for i := range old {
			old[i] = blank
		}
		first, last = differing(old, s.row)
	}
	end := len(s.row) // of what isn't blank
	for end > 0 && s.row[end-1] == blank {
		end--
	}
	if erase := max(first, end); last-erase >= maxGap {
		buf = s.drawCells(buf, y, old, first, erase)
		buf = s.eraseFrom(buf, erase, y)
	} else {
		buf = s.drawCells(buf, y, old, first, last+1)
	}
	copy(old, s.row)
	return buf
}

// drawCells writes the cells of row y from column x to before end that differ from old.
func (s *screen) drawCells(buf []byte, y int, old []cell, x, end int) []byte {
	for x < end {
		c := s.row[x]
		g := c.glyph()
		if c == old[x] || g == rightHalf {
			x++
			continue
		}
		if gap := x - s.x; s.y == y && s.x >= 0 && 0 < gap && gap <= maxGap && s.cheap(s.x, x) {
			for ; s.x < x; s.x++ {
				buf = s.clusters.append(buf, s.row[s.x].glyph())
			}
		}
		buf = s.move(buf, x, y)
		buf = appendSGR(buf, s.pen, c.style())
		s.pen = c.style()
		buf = s.clusters.append(buf, g)
		x++
		s.x = x
		if g&wideBit != 0 {
			x++
		}
		if g&wideBit != 0 || g.doubtful() || x >= len(s.row) {
			s.x = -1
		}
	}
	return buf
}

// cheap reports whether the cells of the row between two columns are a byte or three each in the present style.
func (s *screen) cheap(from, to int) bool {
	for _, c := range s.row[from:to] {
		if g := c.glyph(); c.style() != s.pen || g == rightHalf || g&(wideBit|clusterBit) != 0 {
			return false
		}
	}
	return true
}

// eraseFrom blanks row y from column x on.
func (s *screen) eraseFrom(buf []byte, x, y int) []byte {
	buf = s.move(buf, x, y)
	buf = appendSGR(buf, s.pen, style{}) // what is erased takes the pen's background
	s.pen = style{}
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
func differing(a, b []cell) (first, last int) {
	last = len(a) - 1
	for first <= last && a[first] == b[first] {
		first++
	}
	for last >= first && a[last] == b[last] {
		last--
	}
	return first, last
}

func anyDoubtful(row []cell) bool {
	for _, c := range row {
		if c.glyph().doubtful() {
			return true
		}
	}
	return false
}

// A source is the text that the rows of a screen were made of. Of most frames most rows are as they were, and needn't be
// made again to know it.
type source struct {
	known  bool
	text   []byte
	starts []int   // where the text of each row begins, and that of the last one ends
	pens   []style // with which each row begins, and the last one ends
}

func (m *source) resize(rows int) {
	m.known, m.starts, m.pens = false, sized(m.starts, rows+1, MaxHeight+1), sized(m.pens, rows+1, MaxHeight+1)
}

// skip moves c behind row y and returns true if the row is made of what it was made of before.
func (m *source) skip(y int, c *content) bool {
	if !m.known || m.pens[y] != c.pen {
		return false
	}
	row := m.text[m.starts[y]:m.starts[y+1]]
	ended := m.starts[y+1] == len(m.text) // and not at a line's end: the row may go on now
	if ended && len(c.rest) != len(row) || !bytes.HasPrefix(c.rest, row) {
		return false
	}
	c.rest, c.pen = c.rest[len(row):], m.pens[y+1]
	return true
}

// end says how long the text is of which all rows have been made, up to where c is.
func (m *source) end(length int, c *content) {
	last := len(m.starts) - 1
	m.known = true
	m.starts[last], m.pens[last] = length-len(c.rest), c.pen
}
