package terminal

import (
	"bytes"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const tabStop = 8 // columns

// content turns the text of a frame, valid UTF-8, into rows of cells. Text and SGR sequences count, everything else a string can
// hold is left out: cursor movement, other control sequences, control characters and runes without width. So whatever got into
// a frame, it can't leave its row.
type content struct {
	rest     []byte
	pen      style
	palette  *palette
	clusters *clusters
}

func newContent(text []byte, p *palette, c *clusters) content {
	return content{rest: text, palette: p, clusters: c}
}

// row fills row with the next line and moves behind its end. What doesn't fit is left out; after the last line rows are blank.
// A row is plain if it was made of nothing but colours and characters of which plain can tell that they are valid.
func (c *content) row(row []cell) (plain bool) {
	x := 0
	plain = true
	for {
		x += c.plain(row[min(x, len(row)):])
		if len(c.rest) == 0 {
			break
		}
		b := c.rest[0]
		if b == '\n' {
			c.rest = c.rest[1:]
			break
		}
		if b == ansi.ESC {
			plain = c.sequence() && plain
			continue
		}
		plain = false
		switch {
		case b == '\t':
			c.rest = c.rest[1:]
			for next := x - x%tabStop + tabStop; x < next; x++ {
				put(row, x, c.pen, ' ')
			}
		case b < ' ' || b == ansi.DEL:
			c.rest = c.rest[1:]
		case x >= len(row):
			c.skipText()
		default:
			if g := c.glyph(); g != rightHalf {
				x += put(row, x, c.pen, g)
			}
		}
	}
	for ; x < len(row); x++ {
		row[x] = blank
	}
	return plain
}

// plain fills cells with what most frames are made of, ASCII and narrow letters and lines, and returns how many it has filled. It
// stops before anything else, and before a character with which something else may join.
func (c *content) plain(row []cell) int {
	x := 0
	r, size, plain := character(c.rest)
	for plain && x < len(row) {
		next, nextSize, nextPlain := character(c.rest[size:])
		if !nextPlain && next >= utf8.RuneSelf {
			break
		}
		row[x] = cellOf(c.pen, glyph(r))
		x++
		c.rest = c.rest[size:]
		r, size, plain = next, nextSize, nextPlain
	}
	return x
}

// character decodes what s begins with. It is plain if it takes one column whatever comes before it.
func character(s []byte) (r rune, size int, plain bool) {
	switch {
	case len(s) == 0:
		return 0, 0, false
	case s[0] < utf8.RuneSelf:
		return rune(s[0]), 1, s[0] >= ' ' && s[0] != ansi.DEL
	}
	r, size = utf8.DecodeRune(s)
	return r, size, narrow(r)
}

// put writes a glyph into a row and returns how many columns it takes. A wide one that would stick out is a blank.
func put(row []cell, x int, pen style, g glyph) int {
	if x >= len(row) {
		return 1
	}
	if g&wideBit == 0 {
		row[x] = cellOf(pen, g)
		return 1
	}
	if x+1 >= len(row) {
		row[x] = cellOf(pen, ' ')
		return 1
	}
	row[x], row[x+1] = cellOf(pen, g), cellOf(pen, rightHalf)
	return 2
}

// skipText passes over text that is beyond the right edge: only a line's end and sequences matter there.
func (c *content) skipText() {
	end := bytes.IndexAny(c.rest, "\n\x1b")
	if end < 0 {
		end = len(c.rest)
	}
	c.rest = c.rest[end:]
}

// glyph takes the next character. The result is rightHalf when nothing is to be shown for it.
func (c *content) glyph() glyph {
	r, size := utf8.DecodeRune(c.rest)
	if (r < utf8.RuneSelf || narrow(r)) && !joins(c.rest[size:]) {
		c.rest = c.rest[size:]
		return glyph(r)
	}
	text, width := ansi.FirstGraphemeCluster(c.rest, ansi.GraphemeWidth)
	c.rest = c.rest[len(text):]
	if width <= 0 {
		return rightHalf
	}
	g := glyph(r)
	if len(text) > size {
		g = c.clusters.intern(text)
	}
	if width > 1 {
		g |= wideBit
	}
	return g
}

// narrow reports whether r is one of the letters, lines and signs beyond ASCII that boards and European texts are made of:
// one column wide and never part of a cluster of its own accord. It spares them the dear general way.
func narrow(r rune) bool {
	switch {
	case r < 0x2010:
		return 0xa1 <= r && r <= 0x24f && r != 0xad && r != 0xa9 && r != 0xae // Latin; not soft hyphen, (c), (r)
	case r < 0x2500:
		return r <= 0x2027 || 0x2190 <= r && r <= 0x2193 // dashes, quotes, dots; arrows
	default:
		return r <= 0x25a9 || 0x25c1 <= r && r <= 0x25fa // boxes, blocks; circles
	}
}

// joins reports whether the text may go on with something that belongs to the character before it. It may say yes too often.
func joins(s []byte) bool {
	if len(s) == 0 || s[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRune(s)
	return !narrow(r)
}

// sequence takes an escape sequence and reports whether it was one of ASCII that begins as most do. SGR changes the pen, all
// others are left out.
func (c *content) sequence() (plain bool) {
	s := c.rest
	if len(s) > 1 && s[1] == '[' {
		i := 2
		for i < len(s) && s[i] >= ' ' && s[i] <= '?' {
			i++
		}
		if i < len(s) && s[i] == 'm' {
			c.pen.apply(s[2:i], c.palette)
		}
		if i < len(s) && s[i] > '?' && s[i] <= '~' {
			i++
		}
		c.rest = s[i:]
		return true
	}
	_, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
	c.rest = s[max(n, 1):]
	return false
}
