package canvas

import "unicode/utf8"

// A Cell is one column of one row, compared as a whole. It is 12 bytes: cells are most of what a session keeps in memory. The
// right half of a wide character has the style of the left. Cells mean something only together with the Clusters of their canvas.
//
// The zero value is blank, a space in the terminal's default style, so that clear blanks cells: for each key all of a canvas are.
type Cell struct {
	fg, bg Color
	mark   glyph // its bits of a space are turned round; with the attributes
}

// A glyph is the text of a cell: a rune, or the number of a grapheme cluster in a table. Zero is the right half of a wide
// character. wideBit is set if the text takes two columns. Between that bit and the value there is room for the attributes.
type glyph uint32

const (
	clusterBit glyph = 1 << 31
	wideBit    glyph = 1 << 30
	attrsShift       = 22
	glyphValue glyph = 1<<attrsShift - 1 // a rune takes 21 bits
	rightHalf  glyph = 0
)

func newCell(s Style, g glyph) Cell { return Cell{s.Fg, s.Bg, g ^ ' ' | glyph(s.Attrs)<<attrsShift} }

func (c Cell) glyph() glyph { return c.mark&(clusterBit|wideBit|glyphValue) ^ ' ' }

// Style returns how the cell looks.
func (c Cell) Style() Style { return Style{c.fg, c.bg, Attrs(c.mark >> attrsShift)} }

// Columns returns how many columns the text of the cell takes: 1, 2 for the left half of a wide character, 0 for its right half.
func (c Cell) Columns() int {
	switch g := c.glyph(); {
	case g == rightHalf:
		return 0
	case g&wideBit != 0:
		return 2
	default:
		return 1
	}
}

// IsBlank reports whether the cell is a space in the terminal's default style.
func (c Cell) IsBlank() bool { return c == Cell{} }

// Rune returns the character of the cell: a space for the right half of a wide one and for a cluster of several runes.
func (c Cell) Rune() rune {
	g := c.glyph()
	if g == rightHalf || g&clusterBit != 0 {
		return ' '
	}
	return rune(g & glyphValue)
}

// Ambiguous reports whether terminals disagree on the columns that the text takes: clusters and the younger emoji.
func (c Cell) Ambiguous() bool {
	g := c.glyph()
	return g&clusterBit != 0 || g&glyphValue >= 0x1f000
}

// Bounds of the table of clusters. The longest cluster in use is a family with four skin tones at 41 bytes.
const (
	maxClusterBytes = 48
	maxClusters     = 256
)

// Clusters holds the grapheme clusters of more than one rune that are on canvases. Most canvases have none. The zero value is ready to
// use.
type Clusters struct {
	texts []string
	index map[string]glyph
}

// intern returns the number of a cluster, which must be at most maxClusterBytes long.
func (c *Clusters) intern(cluster string) glyph {
	if g, ok := c.index[cluster]; ok {
		return g
	}
	if c.index == nil {
		c.index = make(map[string]glyph)
	}
	g := clusterBit | glyph(len(c.texts))
	c.texts = append(c.texts, cluster)
	c.index[cluster] = g
	return g
}

// Full reports whether the clusters have reached maxClusters and should be forgotten with Reset.
func (c *Clusters) Full() bool { return len(c.texts) >= maxClusters }

// Reset forgets the clusters. Earlier cells are no longer valid.
func (c *Clusters) Reset() { *c = Clusters{} }

// AppendText adds the text of a cell to buf: nothing for the right half of a wide character.
func (c *Clusters) AppendText(buf []byte, cell Cell) []byte {
	g := cell.glyph()
	value := g & glyphValue
	switch {
	case g == rightHalf:
		return buf
	case g&clusterBit != 0:
		return append(buf, c.texts[value]...)
	case value < utf8.RuneSelf:
		return append(buf, byte(value))
	default:
		return utf8.AppendRune(buf, rune(value))
	}
}

// cut shortens s to at most limit bytes without splitting a rune.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
