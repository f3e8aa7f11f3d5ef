package boardview

import (
	"slices"
)

// A State is what a drawing depends on beside the position.
type State struct {
	Selection Selection
	Yours     bool   // the player can choose now: the cursor is shown
	Over      bool   // nothing can be played any more, whatever the rules of the game say
	Flip      bool   // the board is turned round
	Scroll    Scroll // of a board that doesn't fit: where the last drawing stood
}

// A Scroll is the first column and row that are shown of a board that doesn't fit, in directions of the screen.
type Scroll struct{ Col, Row int }

// A Layout says where things are in a drawing. It belongs to the State that it was made for.
type Layout struct {
	Width, Height int
	Scroll        Scroll // for the next State

	size       int // which of the sizes of its kind of board
	left, top  int // the first line of the first cell
	cols, rows int // how many are shown
}

// Fit chooses the largest drawing that fits into the given cells. What doesn't fit at the smallest size is scrolled so
// that the cursor is in view.
func (s *Scene) Fit(w, h int, st State) Layout { return s.board.fit(w, h, st) }

// Draw returns the lines of the drawing: Height lines of Width cells.
func (s *Scene) Draw(look *Look, l Layout, st State) []string {
	var e Easel
	e.Paint(s, look, l, st)
	lines := make([]string, e.Height())
	for y := range lines {
		lines[y] = string(e.Line(y))
	}
	return lines
}

// Spot returns what a click at a cell of the drawing chooses, for Click; Nowhere beside everything.
func (s *Scene) Spot(l Layout, st State, x, y int) Spot {
	if x < 0 || y < 0 || x >= l.Width || y >= l.Height {
		return Nowhere
	}
	return s.board.spot(l, st, x, y)
}

// Point returns the cell of the drawing where the terminal's own cursor belongs.
func (s *Scene) CursorCell(l Layout, st State) (x, y int) { return s.board.cursorCell(l, st) }

// An Easel holds the drawing that was made last. Most keys change a few lines of a board, so the next drawing writes out only
// those that are others. The zero value is ready to use.
type Easel struct {
	look   *Look
	canvas canvas
	lines  [][]byte // of the canvas, written out
	spare  []glyph  // for the next canvas
}

// Paint is Scene.Draw for whoever draws again and again.
func (e *Easel) Paint(s *Scene, look *Look, l Layout, st State) {
	old := e.canvas
	e.canvas = canvasOn(e.spare, l.Width, l.Height)
	s.board.draw(&e.canvas, s, l, st, look.ASCII)
	if look != e.look || old.width != e.canvas.width || old.height != e.canvas.height {
		e.look, e.lines, old = look, make([][]byte, e.canvas.height), canvas{}
	}
	for y := range e.lines {
		if old.glyphs == nil || !slices.Equal(e.canvas.line(y), old.line(y)) {
			line := e.canvas.appendLine(e.lines[y][:0], look, y)
			if cap(line) > cap(e.lines[y]) {
				line = slices.Clone(line) // without the room that it has grown into: most lines stay as they are
			}
			e.lines[y] = line
		}
	}
	e.spare = old.glyphs
}

// Height is how many lines the drawing has.
func (e *Easel) Height() int { return len(e.lines) }

// Line is a line of the drawing, as wide as its layout, until the next Paint.
func (e *Easel) Line(y int) []byte { return e.lines[y] }
