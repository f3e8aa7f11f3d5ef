package fourmation

import (
	_ "embed"
	"encoding/binary"
	"math/bits"
	"sort"

	"ludoteca/games"
)

// The book holds moves that are proven not to lose, for positions in which to prove it takes longer than a player has.
// It is a magic word and then sorted entries of eight bytes, high byte first: 56 bits that stand for a position and 8 for
// the cell of a move. A position with several moves has several entries. Positions that turn into each other when the
// board is turned or mirrored are one. A bookMaker makes it.
//
//go:embed book.bin
var book string

// bookMagic is what a book begins with; the last digit is the version.
const bookMagic = "4mation1"

// A bookPosition is a position as the book has it. Up to eight turn into each other by turning and mirroring the board; one
// of them, the canonical one, is in the book.
type bookPosition struct {
	first, second cells
	last          int // the number of a cell, or none
}

// The ways to turn a board, as sums of these. Transposing, which swaps columns and rows, comes first.
const (
	mirrored = 1 << iota
	flipped
	transposed
	allWays
)

// bookMoves returns the moves that a book has for a position, as numbers of cells.
func bookMoves(book string, s *State) []int {
	g, f, tall := landscape(s)
	f, ways := f.canonical(g)
	moves := lookUp(book, bookKey(g, f))
	var found []int
	seen := cells(0)
	for _, way := range ways {
		for _, c := range moves {
			// If the position looks the same from several sides, one move in the book is several on the board.
			set := turnBack(g, 1<<c, way)
			if tall {
				set = transpose(set)
			}
			if seen&set == 0 {
				seen |= set
				found = append(found, set.first())
			}
		}
	}
	return found
}

// landscape returns the position, not in its canonical form yet, on a board that is not higher than it is wide, and whether
// the board is tall and had to be transposed for that.
func landscape(s *State) (g *grid, f bookPosition, tall bool) {
	f = bookPosition{s.cells(games.First), s.cells(games.Second), none}
	last := cells(0)
	if s.cell != none {
		last = 1 << gridCell(cell(s.cell))
	}
	if tall = s.cols < s.rows; tall {
		f.first, f.second, last = transpose(f.first), transpose(f.second), transpose(last)
	}
	if last != 0 {
		f.last = last.first()
	}
	return newGrid(max(int(s.cols), int(s.rows)), min(int(s.cols), int(s.rows)), int(s.win)), f, tall
}

// canonical returns the position that stands for f and all its images, and all ways of turning f into it.
func (f bookPosition) canonical(g *grid) (least bookPosition, ways []int) {
	for way := range allWays {
		if way&transposed != 0 && g.cols != g.rows {
			continue
		}
		to := bookPosition{turn(g, f.first, way), turn(g, f.second, way), none}
		if f.last != none {
			to.last = turn(g, 1<<f.last, way).first()
		}
		if len(ways) == 0 || to.less(least) {
			least, ways = to, ways[:0]
		}
		if to == least {
			ways = append(ways, way)
		}
	}
	return least, ways
}

func (f bookPosition) less(than bookPosition) bool {
	switch {
	case f.first != than.first:
		return f.first < than.first
	case f.second != than.second:
		return f.second < than.second
	}
	return f.last < than.last
}

// turn turns a set of cells; g is the board that comes out.
func turn(g *grid, set cells, way int) cells {
	if way&transposed != 0 {
		set = transpose(set)
	}
	return mirror(g, set, way)
}

// turnBack takes turn back.
func turnBack(g *grid, set cells, way int) cells {
	set = mirror(g, set, way)
	if way&transposed != 0 {
		set = transpose(set)
	}
	return set
}

func mirror(g *grid, set cells, way int) cells {
	if way&mirrored != 0 {
		set = cells(bits.ReverseBytes64(bits.Reverse64(uint64(set)))) >> (gridSide - g.cols)
	}
	if way&flipped != 0 {
		set = cells(bits.ReverseBytes64(uint64(set))) >> (gridSide * (gridSide - g.rows))
	}
	return set
}

// transpose makes columns of rows.
func transpose(set cells) cells {
	var to cells
	for ; set != 0; set &= set - 1 {
		c := set.first()
		to |= 1 << (c%gridSide*gridSide + c/gridSide)
	}
	return to
}

// bookKey hashes a canonical position on its board into the upper 56 bits of an entry.
func bookKey(g *grid, f bookPosition) uint64 {
	size := cells(g.cols)<<16 | cells(g.rows)<<8 | cells(g.win)
	return mix(f.first, f.second, cells(f.last+1), size) &^ 0xff
}

// entryBytes is the size of an entry of the book.
const entryBytes = 8

// entryAt returns the i-th entry of a book.
func entryAt(book string, i int) uint64 {
	return binary.BigEndian.Uint64([]byte(book[len(bookMagic)+i*entryBytes:][:entryBytes]))
}

// lookUp returns the cells of the entries with a key.
func lookUp(book string, key uint64) []int {
	n := (len(book) - len(bookMagic)) / entryBytes
	var found []int
	for i := sort.Search(n, func(i int) bool { return entryAt(book, i) >= key }); i < n; i++ {
		w := entryAt(book, i)
		if w&^0xff != key {
			break
		}
		found = append(found, int(w&0xff))
	}
	return found
}
