package ui

import (
	"bytes"

	"ludoteca/sshapp/text"
)

// A page builds the lines of a body. It never lets a line grow over its width, nor the page over its height: what is
// too much is cut or left out, so that screens can be laid out without asking whether there is room.
type page struct {
	b      []byte
	width  int
	height int
	at     int // the column where the line goes on
	filled int // up to where it is written; the cells from there to at are empty
	lines  int // finished
}

func newPage(width, height int) *page { return pageOf(width, height, (width+16)*height) }

// pageOf returns a page that will take about so many bytes.
func pageOf(width, height, bytes int) *page {
	return &page{b: make([]byte, 0, bytes), width: width, height: height}
}

// put adds words in a style, cut at the right edge.
func (p *page) put(y style, words string) *page {
	if words == "" || p.lines >= p.height || p.at >= p.width {
		return p
	}
	words = text.Cut(words, p.width-p.at)
	p.fill()
	p.at += text.Width(words)
	p.filled = p.at
	p.b = append(p.b, y.on...)
	p.b = append(p.b, words...)
	p.b = append(p.b, y.off...)
	return p
}

// fill writes the empty cells before the place where the line goes on.
func (p *page) fill() { p.b = append(p.b, text.Spaces(p.at-p.filled)...) }

// field adds words in a style in exactly the given number of cells.
func (p *page) field(y style, words string, cells int) *page {
	end := p.at + cells
	return p.put(y, text.Cut(words, cells)).to(end)
}

// number adds words at the right of the given number of cells.
func (p *page) number(y style, words string, cells int) *page {
	words = text.Cut(words, cells)
	return p.to(p.at+cells-text.Width(words)).put(y, words)
}

// to goes on at a column. One that has been passed already changes nothing.
func (p *page) to(column int) *page {
	p.at = max(p.at, min(column, p.width))
	return p
}

// end finishes the line.
func (p *page) end() {
	if p.lines < p.height {
		p.b = append(p.b, '\n')
	}
	p.lines++
	p.at, p.filled = 0, 0
}

// line adds a whole line that starts at a column.
func (p *page) line(column int, y style, words string) { p.to(column).put(y, words).end() }

// raw adds a whole line that is styled already, cut at the right edge.
func (p *page) raw(styled string) {
	if p.lines < p.height {
		p.b = append(p.b, text.Cut(styled, p.width)...)
	}
	p.end()
}

// down leaves lines empty up to the given one, counted from 0.
func (p *page) down(line int) {
	for p.lines < min(line, p.height) {
		p.end()
	}
}

// part lets draw fill the next lines, so many, as if they were a page.
func (p *page) part(height int, draw func(*page)) {
	part := page{b: p.b, width: p.width, height: height}
	draw(&part)
	part.down(height)
	p.b, p.lines = part.b, p.lines+height
}

// String returns the lines, without the last line end.
func (p *page) String() string { return string(p.bytes()) }

func (p *page) bytes() []byte { return bytes.TrimSuffix(p.b, []byte{'\n'}) }
