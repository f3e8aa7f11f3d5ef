// Package canvas is the rectangle of cells that screens draw on and that a terminal driver shows.
//
// A screen has the shape of ultraviolet's Drawable:
//
//	func (s *screen) Draw(c *canvas.Canvas, area canvas.Rect)
//
// It writes runs of text in styles, at coordinates that count from the top left corner of the whole canvas:
//
//	x := c.Text(area.Min.X, area.Min.Y, theme.bold, "Momentum")
//	c.Text(x+1, area.Min.Y, theme.dim, "7x7")
//
// Nothing that is drawn leaves the canvas, or the part of it that Sub returns: text is clipped, wide characters are never split,
// and control characters and escape sequences are never stored, wherever the text comes from. A canvas is a uv.Screen, so all
// that the ecosystem draws with fits, for example a string with SGR sequences:
//
//	uv.NewStyledString(table.View()).Draw(c.Sub(area), area)
//
// A canvas belongs to one goroutine at a time.
package canvas

import (
	"strings"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// A Rect is a rectangle of cells: Min is inside, Max is not. It has the methods of image.Rectangle (Dx, Dy, Intersect, ...).
type Rect = uv.Rectangle

// Area returns the rectangle of a size at a place.
func Area(x, y, width, height int) Rect { return uv.Rect(x, y, width, height) }

// A Canvas is a rectangle of cells, or a part of one. Make one with New.
type Canvas struct {
	*sheet
	area Rect // where it may be drawn on
}

var _ uv.Screen = (*Canvas)(nil)

// A sheet is the cells that a canvas shares with its parts.
type sheet struct {
	width, height int
	cells         []Cell // height rows of width
	clusters      *Clusters
}

// New returns a blank canvas. A negative side is zero.
func New(width, height int) *Canvas {
	c := &Canvas{sheet: new(sheet)}
	c.Reset(width, height, new(Clusters))
	return c
}

// Reset makes a whole canvas, not a part of one, blank and gives it a size. Parts of it made before are void. Cells of canvases
// with the same clusters can be compared.
func (c *Canvas) Reset(width, height int, clusters *Clusters) {
	width, height = max(width, 0), max(height, 0)
	n := width * height
	if n > cap(c.cells) {
		c.cells = make([]Cell, n)
	}
	*c.sheet = sheet{width: width, height: height, cells: c.cells[:n], clusters: clusters}
	c.area = Area(0, 0, width, height)
	clear(c.cells)
}

// Sub returns the part of the canvas within area. It has the same coordinates and shares the cells.
func (c *Canvas) Sub(area Rect) *Canvas { return &Canvas{c.sheet, c.area.Intersect(area)} }

// Bounds returns the area of the canvas in which drawing has an effect.
func (c *Canvas) Bounds() Rect { return c.area }

// Clear makes all cells blank.
func (c *Canvas) Clear() { c.Fill(c.area, Style{}) }

// Fill fills an area with spaces in a style.
func (c *Canvas) Fill(area Rect, s Style) { c.fill(area, newCell(s, ' ')) }

// Repeat fills an area with a character of one column. A character of another width, or a control character, changes nothing.
func (c *Canvas) Repeat(area Rect, s Style, r rune) {
	if r >= ' ' && r < ansi.DEL || narrow(r) {
		c.fill(area, newCell(s, glyph(r)))
	}
}

func (c *Canvas) fill(area Rect, cell Cell) {
	area = c.area.Intersect(area)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := c.Row(y)
		mend(row, area.Min.X)
		mend(row, area.Max.X)
		part := row[area.Min.X:area.Max.X]
		for i := range part {
			part[i] = cell
		}
	}
}

// Restyle gives the cells of an area another style and leaves their text alone.
func (c *Canvas) Restyle(area Rect, s Style) {
	area = c.area.Intersect(area)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := c.Row(y)
		for x := area.Min.X; x < area.Max.X; x++ {
			row[x] = newCell(s, row[x].glyph())
		}
		for _, x := range [...]int{area.Min.X, area.Max.X} { // a wide character across an edge looks like its left half
			if 0 < x && x < len(row) && row[x].glyph() == rightHalf {
				row[x] = newCell(row[x-1].Style(), rightHalf)
			}
		}
	}
}

// Set draws one character. A character without a width of its own, or a control character, changes nothing.
func (c *Canvas) Set(x, y int, s Style, r rune) {
	if r >= utf8.RuneSelf && !narrow(r) {
		c.Text(x, y, s, string(r))
		return
	}
	if r >= ' ' && r != ansi.DEL && inside(c.area, x, y) {
		put(c.Row(y), x, newCell(s, glyph(r)))
	}
}

// Text draws text from left to right, beginning at column x of row y, and returns the column behind it, at most the right edge of
// the canvas. It returns the same for a row outside the canvas. A wide character of which only a half has room becomes a space. Control
// characters, escape characters, invalid UTF-8 and characters without a width are left out.
func (c *Canvas) Text(x, y int, s Style, text string) (next int) {
	left, right := c.area.Min.X, c.area.Max.X
	if x >= right {
		return x
	}
	var row []Cell
	visible := c.area.Min.Y <= y && y < c.area.Max.Y
	if visible {
		row = c.Row(y)
	}
	for len(text) > 0 && x < right {
		r, size, columns := rune(text[0]), 1, 1
		if r < ' ' || r >= ansi.DEL || len(text) > 1 && text[1] >= utf8.RuneSelf {
			r, size, columns = character(text)
		}
		switch {
		case !visible || x+columns <= left || columns == 0:
		case columns == 1:
			put(row, x, newCell(s, c.glyphOf(r, text[:size])))
		case x < left:
			put(row, left, newCell(s, ' '))
		case x+1 >= right:
			put(row, x, newCell(s, ' '))
		default:
			mend(row, x)
			mend(row, x+2)
			row[x], row[x+1] = newCell(s, c.glyphOf(r, text[:size])|wideBit), newCell(s, rightHalf)
		}
		x += columns
		text = text[size:]
	}
	return min(x, right)
}

// MapText replaces the text of each cell beyond ASCII, a rune or a cluster, by what replace returns for it. The replacement is cut to the
// columns of the original. MapText is for terminals that don't know UTF-8.
func (c *Canvas) MapText(replace func(text string) string) {
	var buf []byte
	for y := c.area.Min.Y; y < c.area.Max.Y; y++ {
		row := c.Row(y)
		for x := c.area.Min.X; x < c.area.Max.X; x++ {
			g := row[x].glyph()
			if g < utf8.RuneSelf {
				continue
			}
			buf = c.clusters.AppendText(buf[:0], row[x])
			style := row[x].Style()
			area := Area(x, y, row[x].Columns(), 1)
			c.Fill(area, style)
			c.Sub(area).Text(x, y, style, replace(string(buf)))
		}
	}
}

// inside reports whether a cell is in an area.
func inside(area Rect, x, y int) bool {
	return area.Min.X <= x && x < area.Max.X && area.Min.Y <= y && y < area.Max.Y
}

// put writes a cell of one column.
func put(row []Cell, x int, cell Cell) {
	if g := row[x].glyph(); g == rightHalf || g&wideBit != 0 {
		mend(row, x)
		mend(row, x+1)
	}
	row[x] = cell
}

// mend makes a wide character that lies across the left edge of column x two spaces.
func mend(row []Cell, x int) {
	if 0 < x && x < len(row) && row[x].glyph() == rightHalf {
		row[x-1] = newCell(row[x-1].Style(), ' ')
		row[x] = newCell(row[x].Style(), ' ')
	}
}

// character takes the first character of a text, a rune or a cluster. It has no columns when nothing is to be shown for it.
func character(text string) (first rune, size, columns int) {
	r, size := rune(text[0]), 1
	if r >= utf8.RuneSelf {
		r, size = utf8.DecodeRuneInString(text)
	}
	if r < ' ' || r == ansi.DEL || r == utf8.RuneError && size == 1 {
		return r, size, 0
	}
	if (r < utf8.RuneSelf || narrow(r)) && !joins(text[size:]) {
		return r, size, 1
	}
	cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	return r, len(cluster), min(max(width, 0), 2)
}

// glyphOf returns the glyph of a character that begins with rune r.
func (c *Canvas) glyphOf(r rune, character string) glyph {
	if len(character) == 1 || len(character) == utf8.RuneLen(r) {
		return glyph(r)
	}
	return c.clusters.intern(cut(strings.Map(printable, character), maxClusterBytes))
}

// printable drops what a cluster could take in where its text is invalid.
func printable(r rune) rune {
	if r == utf8.RuneError || unicode.IsControl(r) {
		return -1
	}
	return r
}

// narrow reports whether r is one of the letters, lines and signs beyond ASCII that boards and European texts are made of: one
// column wide and never part of a cluster of its own accord. It spares them the general way, which costs ten times as much.
func narrow(r rune) bool {
	switch {
	case r < 0x2010:
		return 0xa1 <= r && r <= 0x24f && r != 0xad && r != 0xa9 && r != 0xae // Latin; not soft hyphen, (c), (r)
	case r < 0x2500:
		return r <= 0x2027 || 0x2030 <= r && r <= 0x203a || 0x2190 <= r && r <= 0x2193 // dashes, quotes, dots; arrows
	default:
		return r <= 0x25a9 || 0x25c1 <= r && r <= 0x25fa // boxes, blocks; circles
	}
}

// joins reports whether a text may go on with something that belongs to the character before it. It may say yes too often.
func joins(text string) bool {
	if len(text) == 0 || text[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text)
	return !narrow(r)
}

// Row returns the cells of a row, for a driver to read: all columns, also of a part. It is only valid until the next Reset.
func (c *Canvas) Row(y int) []Cell { return c.cells[y*c.width:][:c.width:c.width] }

// At returns a cell. It is blank outside of the canvas.
func (c *Canvas) At(x, y int) Cell {
	if !inside(c.area, x, y) {
		return Cell{}
	}
	return c.Row(y)[x]
}

// WidthMethod returns the method that counts the columns of text: by grapheme clusters.
func (c *Canvas) WidthMethod() uv.WidthMethod { return ansi.GraphemeWidth }

// CellAt returns a copy of a cell for the ecosystem, nil outside of the canvas.
func (c *Canvas) CellAt(x, y int) *uv.Cell {
	if !inside(c.area, x, y) {
		return nil
	}
	cell := c.Row(y)[x]
	if cell.Columns() == 0 {
		return &uv.Cell{}
	}
	return &uv.Cell{Content: string(c.clusters.AppendText(nil, cell)), Style: cell.Style().uv(), Width: cell.Columns()}
}

// SetCell draws the first character of a cell of the ecosystem's, in its style without hyperlinks and colours of underlines. A
// nil cell is drawn as a blank, and a cell that begins with nothing visible as a space. The cell's own width doesn't count.
func (c *Canvas) SetCell(x, y int, cell *uv.Cell) {
	if !inside(c.area, x, y) {
		return
	}
	if cell == nil {
		put(c.Row(y), x, Cell{})
		return
	}
	style := styleOf(&cell.Style)
	if content := visible(cell.Content); content != "" {
		if _, size, columns := character(content); columns > 0 {
			c.Text(x, y, style, content[:size])
			return
		}
	}
	if *cell == (uv.Cell{}) && c.Row(y)[x].Columns() == 0 {
		return // the right half of a wide character, which came with the left
	}
	put(c.Row(y), x, newCell(style, ' '))
}

// visible returns the content of a cell of the ecosystem's without the string sequences (DCS, APC, PM, SOS) that ultraviolet puts before
// its character.
func visible(content string) string {
	for len(content) > 1 && content[0] == ansi.ESC && strings.IndexByte("P_^X", content[1]) >= 0 {
		_, rest, ended := strings.Cut(content, "\x1b\\")
		if !ended {
			break
		}
		content = rest
	}
	return content
}

// String returns the rows with SGR sequences, as the content of a view: without blanks at their ends, separated by line feeds. Each
// row begins and ends in the default style.
func (c *Canvas) String() string { return c.text(true) }

// Plain returns the rows without styles, without spaces at their ends, separated by line feeds.
func (c *Canvas) Plain() string { return c.text(false) }

func (c *Canvas) text(styled bool) string {
	var buf []byte
	for y := c.area.Min.Y; y < c.area.Max.Y; y++ {
		if y > c.area.Min.Y {
			buf = append(buf, '\n')
		}
		row := c.Row(y)[c.area.Min.X:c.area.Max.X]
		end := len(row)
		for end > 0 && (row[end-1].IsBlank() || !styled && wholeCell(row, end-1).glyph() == ' ') {
			end--
		}
		var pen Style
		for x := range end {
			cell := wholeCell(row, x)
			if styled && cell.Columns() > 0 {
				buf = AppendSGR(buf, pen, cell.Style())
				pen = cell.Style()
			}
			buf = c.clusters.AppendText(buf, cell)
		}
		buf = AppendSGR(buf, pen, Style{})
	}
	return string(buf)
}

// wholeCell returns a cell of a row that may begin or end within a wide character: half of one is a space.
func wholeCell(row []Cell, x int) Cell {
	cell := row[x]
	if x == 0 && cell.Columns() == 0 || x == len(row)-1 && cell.Columns() == 2 {
		return newCell(cell.Style(), ' ')
	}
	return cell
}
