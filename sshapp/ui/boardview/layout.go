package boardview

// A State is what a drawing depends on besides the position.
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

// Spot returns what a click at a cell of the drawing chooses, for Click; Nowhere beside everything.
func (s *Scene) Spot(l Layout, st State, x, y int) Spot {
	if x < 0 || y < 0 || x >= l.Width || y >= l.Height {
		return Nowhere
	}
	return s.board.spot(l, st, x, y)
}

// CursorCell returns the cell of the drawing where the terminal's own cursor belongs.
func (s *Scene) CursorCell(l Layout, st State) (x, y int) { return s.board.cursorCell(l, st) }
