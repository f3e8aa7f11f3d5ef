package petteia

import (
	"ludoteca/games"
	"ludoteca/games/board"
)

// The board: 12 columns from a to l, 8 rows from 1 at the bottom to 8.
const (
	Cols = 12
	Rows = 8

	cells       = Cols * Rows
	stepsOfCell = Cols - 1 + Rows - 1 // how many other cells are in the row and the column of a cell
	maxMen      = 12                  // of a side: as many as it has at the start
)

// A Cell is a cell of the board: 8 times its column plus its row, both counted from 0. So cells sort as their names do.
type Cell uint8

// CellAt returns the cell in column col, 0 to Cols-1, and row row, 0 to Rows-1.
func CellAt(col, row int) Cell { return Cell(col*Rows + row) }

// Col returns the column, 0 for a.
func (c Cell) Col() int { return int(c) / Rows }

// Row returns the row, 0 for the bottom row.
func (c Cell) Row() int { return int(c) % Rows }

// String returns the name of the cell, as in "d4".
func (c Cell) String() string { return board.Name(c.Col(), c.Row()) }

// cellNamed reads the name of a cell in canonical form.
func cellNamed(s string) (c Cell, ok bool) {
	col, row, ok := board.Square(s, Cols, Rows)
	if !ok {
		return 0, false
	}
	return CellAt(col, row), true
}

// A step is a move as geometry alone. There are 96 times 18 of them, each cell with each other cell in its row and its
// column; the index of a step in steps is the Code of the move. The steps from one cell lie together, and everything is
// in ascending order, so that codes sort as the texts of the moves do.
//
// lo and hi are the set of cells that must be empty: the cells that the man passes and the cell where it stops. They are
// not a field of type set because a step then fills 16 bytes instead of 24, and the table fits into the first cache.
type step struct {
	lo       uint64
	hi       uint32
	from, to Cell
}

// blocked returns the cells of occupied that stand in the way.
func (st *step) blocked(occupied set) set { return set{st.lo & occupied.lo, st.hi & occupied.hi} }

// free reports whether nothing of occupied stands in the way.
func (st *step) free(occupied set) bool {
	return st.lo&occupied.lo|uint64(st.hi&occupied.hi) == 0
}

// A place is the surroundings of a cell.
type place struct {
	adjacent set    // the cells that touch it in its row and column
	pairs    []pair // for each direction in which a man that comes here can capture
	flanks   []set  // the two cells to both sides of it, for each line in which it has two
}

// A pair is two cells in a line with a man that has just come beside them: an enemy on the next one and a friend on the one
// beyond make a capture.
type pair struct{ next, beyond set }

// These tables are geometry and never change. texts holds the text of each step.
var (
	steps  = allSteps()
	texts  = allTexts()
	places = allPlaces()
)

func allSteps() (all [cells * stepsOfCell]step) {
	code := 0
	for from := range Cell(cells) {
		for to := range Cell(cells) {
			if from != to && (from.Col() == to.Col() || from.Row() == to.Row()) {
				way := between(from, to).with(only(to))
				all[code] = step{way.lo, way.hi, from, to}
				code++
			}
		}
	}
	return all
}

// between returns the cells between two cells of one row or column, without these two.
func between(a, b Cell) (way set) {
	stride := Cell(Rows)
	if a.Col() == b.Col() {
		stride = 1
	}
	for c := min(a, b) + stride; c < max(a, b); c += stride {
		way = way.with(only(c))
	}
	return way
}

func allTexts() (all [cells * stepsOfCell]games.Move) {
	for i, st := range allSteps() {
		all[i] = games.Move(st.from.String() + "-" + st.to.String())
	}
	return all
}

func allPlaces() (all [cells]place) {
	for c := range Cell(cells) {
		p := &all[c]
		for _, line := range [2][2]int{{1, 0}, {0, 1}} {
			after, before := along(c, line, 1), along(c, line, -1)
			p.adjacent = p.adjacent.with(after).with(before)
			if after != (set{}) && before != (set{}) {
				p.flanks = append(p.flanks, after.with(before))
			}
			for _, way := range []int{1, -1} {
				if far := along(c, line, 2*way); far != (set{}) {
					p.pairs = append(p.pairs, pair{along(c, line, way), far})
				}
			}
		}
	}
	return all
}

// along returns the cell that is n cells along the line from c: no cell if it would be outside.
func along(c Cell, line [2]int, n int) set {
	col, row := c.Col()+n*line[0], c.Row()+n*line[1]
	if col < 0 || col >= Cols || row < 0 || row >= Rows {
		return set{}
	}
	return only(CellAt(col, row))
}

// codeOf returns the code of the step between two cells; ok is false unless they are two cells of one row or column.
func codeOf(from, to Cell) (code games.Code, ok bool) {
	for code := games.Code(from) * stepsOfCell; code < (games.Code(from)+1)*stepsOfCell; code++ {
		if steps[code].to == to {
			return code, true
		}
	}
	return 0, false
}
