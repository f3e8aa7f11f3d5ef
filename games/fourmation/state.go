// Package fourmation is 4Mation: a line of four on a board where every piece must touch the one before it.
// RULES.md beside this file is the rule sheet; comments here name its sections.
package fourmation

import (
	"math/bits"

	"ludoteca/games"
)

// maxSide is the largest number of columns or rows. A line of the board fits in 32 bits.
const maxSide = 26

// none stands for the previous move before the first one.
const none = -1

// A cell is the number of a cell of the board: row*16 + column, both counted from 0 at the bottom left. The columns from 16 on are
// a second block of as many numbers, so that a cell has the same number on boards of every size.
type cell int

const (
	blockCols = 16
	blockBit  = blockCols * maxLines // of the cells of the second block
	maxCells  = 2 * blockBit         // numbers of cells
)

func at(col, row int) cell {
	return cell(uint(row)*blockCols + uint(col)%blockCols + uint(col)/blockCols*blockBit)
}

func (c cell) col() int {
	return int((uint(c)%blockCols | uint(c)/(blockBit/blockCols)&blockCols) % maxLines)
}
func (c cell) row() int { return int(uint(c) / blockCols % maxLines) }

// The rows and columns that there is room for, and the diagonals of one direction: powers of two, to which an index is cut.
const (
	maxLines     = 32
	maxDiagonals = 64
)

// Lines are the pieces of one side, four times over: a word for each line of the board, along all four axes. Neighbours
// in a line are neighbours in its word.
type lines struct {
	across  [maxLines]uint32     // rows by number; the bits are columns
	upright [maxLines]uint32     // columns by number; the bits are rows
	rising  [maxDiagonals]uint32 // by 31 + row - column; the bits are columns
	falling [maxDiagonals]uint32 // by row + column; the bits are columns
}

// The reasons why a game ends, by their numbers in an Ending.
const (
	byLine uint8 = iota + 1
	byNoMoves
)

// reasons are the reason codes of the rule sheet.
var reasons = [...]string{byLine: "line", byNoMoves: "no_moves"}

// A State is the rules: a position that plays moves and takes them back. It implements games.State. The code of a move is
// its cell.
type State struct {
	lines [2]lines
	taken [maxLines + 2]uint32 // where no piece may be placed, rim included: row r is taken[r+1], column c its bit c+1
	previous
	turn games.Side
	goal uint16 // the bits of runLengths that call for a check of the end
	win  uint8  // win_length
	cols uint8
	rows uint8
	past []previous // before each of the moves that can be taken back
}

// previous is the previous move and what follows from it alone.
type previous struct {
	cell int16  // where it was, or none
	open uint16 // the empty cells around it, as a pattern: see neighbours
	games.Ending
}

var _ games.State = (*State)(nil)

// start returns the empty board.
func start(cols, rows, win int) *State {
	s := &State{previous: previous{cell: none}, cols: uint8(cols), rows: uint8(rows), win: uint8(win), goal: 1 << (win - 1)}
	if max(cols, rows) > runBits {
		s.goal = ^uint16(0)
	}
	for i := range s.taken {
		s.taken[i] = ^uint32(0)
	}
	for row := range rows {
		s.taken[row+1] = ^((1<<cols - 1) << 1)
	}
	return s
}

// Turn is the side to move; after the end, the side that would have been.
func (s *State) Turn() games.Side { return s.turn }

// Result reports whether the game is over.
func (s *State) Result() games.Result { return s.ResultOf(s.turn, reasons[:]) }

// Moves appends the legal cells, row by row from the bottom, each row from the left.
func (s *State) Moves(dst []games.Code) []games.Code {
	if !s.Running() {
		return dst
	}
	if s.cell == none {
		for row := range int(s.rows) {
			for col := range int(s.cols) {
				dst = append(dst, games.Code(at(col, row)))
			}
		}
		return dst
	}
	if s.cols > blockCols {
		return s.appendNext(dst)
	}
	for _, step := range neighbours[s.open][:bits.OnesCount16(s.open)] {
		dst = append(dst, games.Code(int(s.cell)+int(step)))
	}
	return dst
}

// appendNext appends the empty cells around the previous one. The next column may be in the other block.
func (s *State) appendNext(dst []games.Code) []games.Code {
	for _, w := range ways[s.open][:bits.OnesCount16(s.open)] {
		dst = append(dst, games.Code(cell(s.cell).next(w)))
	}
	return dst
}

// Play puts a piece of the side to move on the cell with code c and passes the turn. For a piece that is there already
// it does all the rest, which Parse makes use of. A turn, effects 1 to 3.
func (s *State) Play(c games.Code) {
	s.past = append(s.past, s.previous)
	mine := &s.lines[s.turn%2]
	col, row := (uint(c)%blockCols|uint(c)/(blockBit/blockCols)&blockCols)%maxLines, uint(c)/blockCols%maxLines
	rising, falling := (maxLines-1+row-col)%maxDiagonals, row+col

	across, upright := mine.across[row]|1<<col, mine.upright[col]|1<<row
	rise, fall := mine.rising[rising]|1<<col, mine.falling[falling]|1<<col
	mine.across[row], mine.upright[col] = across, upright
	mine.rising[rising], mine.falling[falling] = rise, fall

	below, level, above := s.taken[row], s.taken[row+1]|2<<col, s.taken[row+2]
	s.taken[row+1] = level
	open := uint16((below>>col&7 | level>>col&7<<3 | above>>col&7<<6) ^ 0x1ff)

	s.previous = previous{cell: int16(c), open: open}
	s.turn = s.turn.Other()
	runs := runLengths[uint16(across)] | runLengths[uint16(upright)] | runLengths[uint16(rise)] | runLengths[uint16(fall)]
	if runs&s.goal != 0 || open == 0 {
		s.checkEnd()
	}
}

// Undo takes the last move back.
func (s *State) Undo() {
	s.turn = s.turn.Other()
	mine, c := &s.lines[s.turn%2], cell(s.cell)
	col, row := c.col(), c.row()
	mine.across[row] &^= 1 << col
	mine.upright[col] &^= 1 << row
	mine.rising[maxLines-1+row-col] &^= 1 << col
	mine.falling[row+col] &^= 1 << col
	s.taken[row+1] &^= 2 << col
	last := len(s.past) - 1
	s.previous = s.past[last]
	s.past = s.past[:last]
}

// checkEnd checks the end of the game after the previous move in the order of the rule sheet. In a game the lengths of
// the runs have said already if there is a line, but on a board that was set up it may lie elsewhere.
func (s *State) checkEnd() {
	for _, k := range s.runs(cell(s.cell), s.turn.Other()) {
		if k >= int(s.win) {
			s.Reason, s.Outcome = byLine, -1
			return
		}
	}
	if s.open == 0 {
		s.Reason = byNoMoves
	}
}

// axes is the number of directions of a line.
const axes = 4

// runs returns the length of the unbroken run of side's pieces through c on each axis; the piece on c is there.
func (s *State) runs(c cell, side games.Side) [axes]int {
	col, row := c.col(), c.row()
	l := &s.lines[side%2]
	return [axes]int{
		runThrough(l.across[row], col),
		runThrough(l.upright[col], row),
		runThrough(l.rising[maxLines-1+row-col], col),
		runThrough(l.falling[row+col], col),
	}
}

// runThrough returns how many bits of the word are set without a gap around bit i, which is set.
func runThrough(word uint32, i int) int {
	above := bits.TrailingZeros32(^(word >> i))
	below := bits.LeadingZeros32(^(word << (31 - i)))
	return above + below - 1
}

// A way leads from a cell to a neighbour.
type way struct{ col, row int8 }

// next returns the cell that a way leads to.
func (c cell) next(w way) cell { return at(c.col()+int(w.col), c.row()+int(w.row)) }

// ways lists, for each pattern of empty cells around a piece, the ways to them in the order of the bits. The nine bits of a
// pattern are the cells of a square of three by three, from the bottom left, row by row; the middle one is the piece and never set.
var ways = func() (table [512][8]way) {
	for pattern := range table {
		n := 0
		for i := range 9 {
			if i != 4 && pattern>>i&1 == 1 {
				table[pattern][n] = way{int8(i%3 - 1), int8(i/3 - 1)}
				n++
			}
		}
	}
	return table
}()

// neighbours are the same ways as differences of cells, which they are within a block.
var neighbours = func() (table [512][8]int8) {
	for pattern, list := range ways {
		for i, w := range list {
			table[pattern][i] = w.row*blockCols + w.col
		}
	}
	return table
}()

// runBits is how long the sides of a board may be for runLengths to know its lines.
const runBits = 16

// runLengths says for each word which lengths of runs it has: bit n-1 is set if n set bits lie side by side in it. On a board with a
// longer side, where half of a line goes missing, any length calls for a check; a half without pieces, which no line of a smaller
// board is once there is a piece on it, has them all.
var runLengths = func() (table [1 << runBits]uint16) {
	for word := 1; word < len(table); word++ {
		// A word with a run of n has one of n-1 when it is laid over itself one step on; that word is a smaller one.
		table[word] = table[word&(word>>1)]<<1 | 1
	}
	table[0] = ^uint16(0)
	return table
}()

// Clone returns an independent copy.
func (s *State) Clone() games.State { return s.clone() }

func (s *State) clone() *State {
	c := *s
	c.past = nil
	return &c
}
