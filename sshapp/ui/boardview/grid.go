package boardview

import (
	"ludoteca/games"
	"ludoteca/games/board"
)

// A grid is a square board.
type grid struct {
	cols, rows int
	cells      []cell  // row by row, a1 first
	first      [2]Spot // where the cursor of each side begins
	sided      bool    // each side plays from its own edge
	forced     bool    // the legal moves are the few that a rule forces
	last       []Spot  // both ends of the last move
	win        []Spot  // the winning line
}

// A cell is one cell of a grid.
type cell struct {
	piece rune // a letter, X and O standing for the tokens of the sides; 0 is none
	side  games.Side
	trace rune // what the last move left on an empty cell: one of the traces below; 0 is nothing
}

// Traces. The eight arrows show where a marble was pushed to.
const (
	captured = '×'
	arrows   = "↙↓↘←·→↖↑↗" // by direction: down left, down, down right, left, and so on
)

// asciiTraces are the same in ASCII.
var asciiTraces = map[rune]rune{
	captured: '%', '↙': '/', '↓': 'v', '↘': '\\', '←': '<', '→': '>', '↖': '\\', '↑': '^', '↗': '/',
}

// arrow is the trace of a push by one cell.
func arrow(dCol, dRow int) rune { return []rune(arrows)[3*(dRow+1)+dCol+1] }

func newGrid(cols, rows int) *grid {
	g := &grid{cols: cols, rows: rows, cells: make([]cell, cols*rows)}
	g.startAt(g.at(cols/2, rows/2))
	return g
}

// start lets the cursors of both sides begin at a place.
func (g *grid) startAt(at Spot) { g.first = [2]Spot{at, at} }

// at is the spot of a cell.
func (g *grid) at(col, row int) Spot { return Spot(row*g.cols + col) }

// place is the column and row of a spot.
func (g *grid) place(at Spot) (col, row int) { return int(at) % g.cols, int(at) / g.cols }

func (g *grid) name(at Spot) string { return board.Name(g.place(at)) }

// named is the spot of a cell of this board in canonical text.
func (g *grid) named(m games.Move) Spot {
	col, row, ok := board.Square(string(m), g.cols, g.rows)
	if !ok {
		return Nowhere
	}
	return g.at(col, row)
}

// ends takes a move from cell to cell apart. The mark between the cells comes first after a number, so that an x is never
// taken for a column.
func (g *grid) ends(m games.Move) (from, to Spot) {
	if i := mark(m); i > 0 {
		return g.named(m[:i]), g.named(m[i+1:])
	}
	return Nowhere, g.named(m)
}

// mark is the place of the mark between the two cells of a move, 0 if there is none.
func mark(m games.Move) int {
	for i := 1; i < len(m); i++ {
		if m[i] == '-' || m[i] == 'x' {
			return i
		}
	}
	return 0
}

// choices are legal moves, each a cell or a pair of cells, as places to choose.
func (g *grid) choices(legal []games.Move) []choice {
	all := make([]choice, 0, len(legal))
	for _, m := range legal {
		from, to := g.ends(m)
		all = append(all, choice{m, from, to})
	}
	return all
}

// mark makes the cells of the last move known.
func (g *grid) mark(spots ...Spot) {
	for _, at := range spots {
		if at != Nowhere {
			g.last = append(g.last, at)
		}
	}
}

func (g *grid) start(side games.Side) Spot { return g.first[side] }

func (g *grid) lastMove() Spot {
	if n := len(g.last); n > 0 {
		return g.last[n-1]
	}
	return g.first[games.First]
}

func (g *grid) valid(h Selection) bool {
	return h.Cursor >= 0 && int(h.Cursor) < len(g.cells) && int(h.From) < len(g.cells)
}

func (g *grid) arrow(h Selection, dx, dy int, flip bool) Selection {
	if flip {
		dx, dy = -dx, -dy
	}
	col, row := g.place(h.Cursor)
	col, row = min(max(col+dx, 0), g.cols-1), min(max(row-dy, 0), g.rows-1)
	h.Cursor = g.at(col, row)
	return h
}

func (g *grid) pick(h Selection) Selection    { return Selection{h.Cursor, h.Cursor} }
func (g *grid) release(h Selection) Selection { return Selection{h.Cursor, Nowhere} }

func (g *grid) attempt(h Selection) string {
	if h.From == Nowhere {
		return g.name(h.Cursor)
	}
	return g.name(h.From) + "-" + g.name(h.Cursor)
}

func (g *grid) refuse(Spot, games.Side) error { return nil }

func (g *grid) turns() (can, sided bool) { return true, g.sided }

func (g *grid) pieces(side games.Side) []string {
	var all []string
	for i, c := range g.cells {
		if c.piece != 0 && c.side == side {
			name := g.name(Spot(i))
			if c.piece != pieceOf(side) {
				name = string(c.piece) + " " + name
			}
			all = append(all, name)
		}
	}
	return all
}

// A pieceGrid is a grid whose moves take a piece from cell to cell.
type pieceGrid struct{ *grid }

func (g pieceGrid) refuse(at Spot, turn games.Side) error {
	if c := g.cells[at]; c.piece == 0 || c.side != turn {
		return ErrNotYours
	}
	return ErrStuck
}
