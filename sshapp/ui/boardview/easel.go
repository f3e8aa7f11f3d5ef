package boardview

import "slices"

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
