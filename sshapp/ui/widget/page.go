// Package widget holds the parts that screens are made of: themes, a page to write text on, keys and what they do, lists, tabs,
// forms, text entry and prose. It knows nothing of sessions and matches.
package widget

import (
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// The layout that pages share, in cells.
const (
	Margin      = 1  // beside everything
	MenuColumn  = 3  // where menus, lists and forms start
	HelpLines   = 4  // below a form or list, for words about the line with the cursor
	BothColumns = 72 // narrower windows show one column at a time, and shorter words
	FirstLine   = 1  // of a page, below an empty one
	Readable    = 72 // the width of lines of prose
)

// Measure returns how wide a page of the given width is for prose. Lines get no longer than in a window of 80 cells, because longer ones are
// hard to read.
func Measure(width int) int { return min(width, 80) }

// A Page writes text on an area of a canvas, line by line. Text is cut at the right edge of the area, and lines below its
// bottom edge are left out, so a screen need not ask whether there is room.
type Page struct {
	Canvas        canvas.Canvas // the area alone
	Area          canvas.Rect
	Width, Height int // of the area
	At            int // the column where the line goes on
	Lines         int // finished
}

// NewPage returns a page on an area of a canvas, at its first line.
func NewPage(c *canvas.Canvas, area canvas.Rect) Page {
	return Page{Canvas: *c.Sub(area), Area: area, Width: area.Dx(), Height: area.Dy()}
}

// Put adds words in a style, cut at the right edge.
func (p *Page) Put(y canvas.Style, words string) *Page {
	if words != "" && p.Lines < p.Height && p.At < p.Width {
		words = text.Cut(words, p.Width-p.At)
		p.At = p.Canvas.Text(p.Area.Min.X+p.At, p.Area.Min.Y+p.Lines, y, words) - p.Area.Min.X
	}
	return p
}

// Field adds words in a style in exactly the given number of cells.
func (p *Page) Field(y canvas.Style, words string, cells int) *Page {
	end := p.At + cells
	return p.Put(y, text.Cut(words, cells)).To(end)
}

// Number adds words at the right of the given number of cells.
func (p *Page) Number(y canvas.Style, words string, cells int) *Page {
	words = text.Cut(words, cells)
	return p.To(p.At+cells-text.Width(words)).Put(y, words)
}

// To continues at a column. It does nothing if the line has passed that column already.
func (p *Page) To(column int) *Page {
	p.At = max(p.At, min(column, p.Width))
	return p
}

// End finishes the line.
func (p *Page) End() {
	p.Lines++
	p.At = 0
}

// Line adds a whole line that starts at a column.
func (p *Page) Line(column int, y canvas.Style, words string) { p.To(column).Put(y, words).End() }

// Wrap adds words in as many lines as they need, all of which start at a column and have at most the given width.
func (p *Page) Wrap(column int, y canvas.Style, words string, cells int) {
	for _, line := range text.Wrap(words, cells) {
		p.Line(column, y, line)
	}
}

// Down leaves lines empty up to the given one, counted from 0.
func (p *Page) Down(line int) {
	for p.Lines < min(line, p.Height) {
		p.End()
	}
}

// Part takes the given number of lines and returns them as a page of their own.
func (p *Page) Part(height int) Page {
	part := NewPage(&p.Canvas, canvas.Area(p.Area.Min.X, p.Area.Min.Y+p.Lines, p.Width, max(height, 0)))
	p.Lines += height
	p.At = 0
	return part
}
