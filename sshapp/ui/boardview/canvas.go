package boardview

import "strings"

// An Ink says what a character on the board means. A Look says how each ink is set off.
type Ink uint8

// The inks.
const (
	Plain  Ink = iota
	Line       // grid lines, links, empty points
	Label      // letters and numbers around the board
	Here       // the letter and the number of the cell under the cursor
	First      // pieces of the side that began
	Second     // pieces of the other side
	Legal      // where a move can go
	Must       // where it has to go
	Idle       // where a move of the other side can go
	Last       // the brackets around both ends of the last move
	Taken      // what the last move captured, pushed or turned
	Target     // the brackets around what a move would capture
	Cursor     // the brackets around the place under the cursor
	Held       // the brackets around what has been chosen first; the wheel that is being turned
	Win        // the marks of a winning line or group
	Inks       // how many there are
)

// A Look is how a session's boards look: whether they may use more than ASCII, and the sequences before and after each ink.
// The zero value is UTF-8 without colours.
type Look struct {
	ASCII   bool
	On, Off [Inks]string
}

// A glyph is one character of one cell.
type glyph struct {
	r   rune // 0 is a space
	ink Ink
}

// A canvas is a rectangle of cells to draw on. Whatever lies outside is left out.
type canvas struct {
	width, height int
	glyphs        []glyph
}

func newCanvas(width, height int) *canvas {
	width, height = max(width, 0), max(height, 0)
	return &canvas{width, height, make([]glyph, width*height)}
}

// set draws one character, which must be one cell wide.
func (c *canvas) set(x, y int, r rune, ink Ink) {
	if x >= 0 && y >= 0 && x < c.width && y < c.height {
		c.glyphs[y*c.width+x] = glyph{r, ink}
	}
}

// write draws characters from left to right.
func (c *canvas) write(x, y int, s string, ink Ink) {
	for _, r := range s {
		c.set(x, y, r, ink)
		x++
	}
}

// number draws a number that ends at column x.
func (c *canvas) number(x, y, n int, ink Ink) {
	for {
		c.set(x, y, rune('0'+n%10), ink)
		if n /= 10; n == 0 {
			return
		}
		x--
	}
}

// around draws a character at either side of a cell, d cells away.
func (c *canvas) around(x, y, d int, left, right rune, ink Ink) {
	c.set(x-d, y, left, ink)
	c.set(x+d, y, right, ink)
}

// lines returns what was drawn, each line exactly as wide as the canvas. They are parts of one string.
func (c *canvas) lines(look *Look) []string {
	const perCell, perLine = 3, 64 // of bytes, about: box characters take three, colours come on top
	var all strings.Builder
	all.Grow(c.height * (c.width*perCell + perLine))
	ends := make([]int, c.height)
	for y := range c.height {
		look.line(&all, c.glyphs[y*c.width:(y+1)*c.width])
		ends[y] = all.Len()
	}
	text, start := all.String(), 0
	lines := make([]string, c.height)
	for y, end := range ends {
		lines[y], start = text[start:end], end
	}
	return lines
}

// line writes one line: sequences stand only where the ink changes, and spaces have none.
func (k *Look) line(dst *strings.Builder, cells []glyph) {
	ink := Plain
	for _, g := range cells {
		if g.r == 0 {
			g.r, g.ink = ' ', Plain
		}
		if g.ink != ink {
			dst.WriteString(k.Off[ink])
			dst.WriteString(k.On[g.ink])
			ink = g.ink
		}
		dst.WriteRune(g.r)
	}
	dst.WriteString(k.Off[ink])
}
