package terminal

import "unicode/utf8"

// A colour is what a cell asks of the terminal: its own default, a number of its palette, or 24 bits of RGB. The kind is in
// the top byte, so that the zero value is the default.
type colour uint32

const (
	paletteColour colour = 1 << 24
	rgbColour     colour = 2 << 24
	colourKind    colour = 0xff << 24
)

// attrs is a set of text attributes. All kinds of underline are one: the fancy ones confuse older terminals.
type attrs uint8

const (
	bold attrs = 1 << iota
	faint
	italic
	underline
	blink
	reverse
	conceal
	strike
)

// A style is how a cell looks apart from its text. The zero value is the terminal's default.
type style struct {
	fg, bg colour
	attrs  attrs
}

// A glyph is the text of a cell: a rune, or the number of a grapheme cluster in a clusters table. Zero is the right half of
// a wide character. The wide bit says that the text takes two columns. Between that and the value there is room for attrs.
type glyph uint32

const (
	clusterBit glyph = 1 << 31
	wideBit    glyph = 1 << 30
	attrsShift       = 22
	glyphValue glyph = 1<<attrsShift - 1 // a rune takes 21 bits
	rightHalf  glyph = 0
)

// A cell is one column of one row, compared as a whole. It is 12 bytes, which are most of what a session keeps in memory. The
// right half of a wide character has the style of the left.
type cell struct {
	fg, bg colour
	mark   glyph // with attrs
}

var blank = cellOf(style{}, ' ')

func cellOf(s style, g glyph) cell { return cell{s.fg, s.bg, g | glyph(s.attrs)<<attrsShift} }

func (c cell) style() style { return style{c.fg, c.bg, attrs(c.mark >> attrsShift)} }
func (c cell) glyph() glyph { return c.mark & (clusterBit | wideBit | glyphValue) }

// doubtful reports whether terminals disagree on the columns this glyph takes: clusters and the younger emoji.
func (g glyph) doubtful() bool {
	return g&clusterBit != 0 || g&glyphValue >= 0x1f000
}

// Bounds of the clusters table. The longest cluster in use is a family with four skin tones at 41 bytes; a table that is
// full at the start of a frame is emptied and the screen drawn anew.
const (
	maxClusterBytes = 48
	maxClusters     = 256
)

// clusters keeps the grapheme clusters of more than one rune that are on the screen; most screens have none.
type clusters struct {
	texts []string
	index map[string]glyph
}

// intern returns the number of a cluster, cut to maxClusterBytes.
func (c *clusters) intern(cluster []byte) glyph {
	cluster = cut(cluster, maxClusterBytes)
	if g, ok := c.index[string(cluster)]; ok {
		return g
	}
	if c.index == nil {
		c.index = make(map[string]glyph)
	}
	g := clusterBit | glyph(len(c.texts))
	text := string(cluster)
	c.texts = append(c.texts, text)
	c.index[text] = g
	return g
}

func (c *clusters) full() bool { return len(c.texts) >= maxClusters }

func (c *clusters) reset() { *c = clusters{} }

// append adds the text of a glyph to buf.
func (c *clusters) append(buf []byte, g glyph) []byte {
	value := g & glyphValue
	switch {
	case g&clusterBit != 0:
		return append(buf, c.texts[value]...)
	case value < utf8.RuneSelf:
		return append(buf, byte(value))
	default:
		return utf8.AppendRune(buf, rune(value))
	}
}

// cut shortens s to at most limit bytes without splitting a rune.
func cut[T string | []byte](s T, limit int) T {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
