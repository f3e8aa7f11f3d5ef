package boardview

import "unicode/utf8"

// An Ink says what a character on the board means. A Look says how each ink is set off.
type Role uint8

// The inks.
const (
	Plain       Role = iota
	Line             // grid lines, links, empty points
	Label            // letters and numbers around the board
	CursorLabel      // the letter and the number of the cell under the cursor
	First            // pieces of the side that began
	Second           // pieces of the other side
	Legal            // where a move can go
	Forced           // where it has to go
	Idle             // where a move of the other side can go
	Last             // the brackets around both ends of the last move
	Taken            // what the last move captured, pushed or turned
	Target           // the brackets around what a move would capture
	Cursor           // the brackets around the place under the cursor
	Selected         // the brackets around what has been chosen first; the wheel that is being turned
	Win              // the marks of a winning line or group
	Roles            // how many there are
)

// A Look is how a session's boards look: whether they may use more than ASCII, and the sequences before and after each ink.
// The zero value is UTF-8 without colours.
type Look struct {
	ASCII   bool
	On, Off [Roles]string
}

// A glyph is one character of one cell, with its ink in the top byte. Zero is a plain space.
type glyph uint32

const roleShift = 24 // a rune takes 21 bits

func (g glyph) rune() rune { return rune(g & (1<<roleShift - 1)) }
func (g glyph) role() Role { return Role(g >> roleShift) }

// A canvas is a rectangle of cells to draw on. Whatever lies outside is left out.
type canvas struct {
	width, height int
	glyphs        []glyph
}

// canvasOn returns an empty canvas, in the room of one that is done with if that is large enough.
func canvasOn(room []glyph, width, height int) canvas {
	width, height = max(width, 0), max(height, 0)
	if cap(room) < width*height {
		room = make([]glyph, width*height)
	}
	room = room[:width*height]
	clear(room)
	return canvas{width, height, room}
}

func (c *canvas) line(y int) []glyph { return c.glyphs[y*c.width : (y+1)*c.width] }

// set draws one character, which must be one cell wide.
func (c *canvas) set(x, y int, r rune, ink Role) {
	if x >= 0 && y >= 0 && x < c.width && y < c.height {
		c.glyphs[y*c.width+x] = glyph(r) | glyph(ink)<<roleShift
	}
}

// empty says whether nothing was drawn on a cell.
func (c *canvas) empty(x, y int) bool { return c.glyphs[y*c.width+x] == 0 }

// write draws characters from left to right.
func (c *canvas) write(x, y int, s string, ink Role) {
	for _, r := range s {
		c.set(x, y, r, ink)
		x++
	}
}

// number draws a number that ends at column x.
func (c *canvas) number(x, y, n int, ink Role) {
	for {
		c.set(x, y, rune('0'+n%10), ink)
		if n /= 10; n == 0 {
			return
		}
		x--
	}
}

// around draws a character at either side of a cell, d cells away.
func (c *canvas) around(x, y, d int, left, right rune, ink Role) {
	c.set(x-d, y, left, ink)
	c.set(x+d, y, right, ink)
}

// appendLine adds what was drawn on line y, exactly as wide as the canvas: sequences stand only where the ink changes, and
// spaces have none.
func (c *canvas) appendLine(dst []byte, look *Look, y int) []byte {
	ink := Plain
	for _, g := range c.line(y) {
		r := g.rune()
		if r == 0 {
			g, r = 0, ' '
		}
		if now := g.role(); now != ink {
			dst = append(dst, look.Off[ink]...)
			dst = append(dst, look.On[now]...)
			ink = now
		}
		if r < utf8.RuneSelf {
			dst = append(dst, byte(r))
		} else {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, look.Off[ink]...)
}
