package ui

import (
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// The layout that pages share, in cells.
const (
	margin      = 1  // beside everything
	menuColumn  = 3  // where menus, lists and forms start
	helpLines   = 4  // below a form or list, for words about the line with the cursor
	bothColumns = 72 // narrower windows show one column at a time, and shorter words
	firstLine   = 1  // of a page, below an empty one
	readable    = 72 // the width of lines of prose
)

// A page writes text on an area of a canvas, line by line. Text is cut at the right edge of the area, and lines below its
// bottom edge are left out, so a screen need not ask whether there is room.
type page struct {
	c             *canvas.Canvas
	area          canvas.Rect
	width, height int // of the area
	at            int // the column where the line goes on
	lines         int // finished
}

func newPage(c *canvas.Canvas, area canvas.Rect) *page {
	return &page{c: c.Sub(area), area: area, width: area.Dx(), height: area.Dy()}
}

// put adds words in a style, cut at the right edge.
func (p *page) put(y canvas.Style, words string) *page {
	if words != "" && p.lines < p.height && p.at < p.width {
		words = text.Cut(words, p.width-p.at)
		p.at = p.c.Text(p.area.Min.X+p.at, p.area.Min.Y+p.lines, y, words) - p.area.Min.X
	}
	return p
}

// field adds words in a style in exactly the given number of cells.
func (p *page) field(y canvas.Style, words string, cells int) *page {
	end := p.at + cells
	return p.put(y, text.Cut(words, cells)).to(end)
}

// number adds words at the right of the given number of cells.
func (p *page) number(y canvas.Style, words string, cells int) *page {
	words = text.Cut(words, cells)
	return p.to(p.at+cells-text.Width(words)).put(y, words)
}

// to goes on at a column. A column that has been passed already changes nothing.
func (p *page) to(column int) *page {
	p.at = max(p.at, min(column, p.width))
	return p
}

// end finishes the line.
func (p *page) end() {
	p.lines++
	p.at = 0
}

// line adds a whole line that starts at a column.
func (p *page) line(column int, y canvas.Style, words string) { p.to(column).put(y, words).end() }

// wrap adds words in as many lines as they need, all of which start at a column, at most so many cells wide.
func (p *page) wrap(column int, y canvas.Style, words string, cells int) {
	for _, line := range text.Wrap(words, cells) {
		p.line(column, y, line)
	}
}

// down leaves lines empty up to the given one, counted from 0.
func (p *page) down(line int) {
	for p.lines < min(line, p.height) {
		p.end()
	}
}

// part lets draw fill the next lines, so many, as if they were a page.
func (p *page) part(height int, draw func(*page)) {
	top := p.area.Min.Y + p.lines
	draw(newPage(p.c, canvas.Area(p.area.Min.X, top, p.width, max(height, 0))))
	p.lines += height
	p.at = 0
}
