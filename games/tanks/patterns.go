package tanks

import (
	_ "embed"
	"math/bits"

	"ludoteca/games"
)

// The learned evaluation of boards of the default size: the evaluation by hand, and what the tables say about the arrangements of
// tanks in parts of the board. On boards of other sizes the tables are not used. There are five kinds of parts:
//
//   - the 49 blocks of 2 by 2 cells;
//   - the 40 files, four cells of a column one after the other;
//   - the 36 frames, the corners of 3 by 3 cells: a heavy tank on one of them can hit the others;
//   - the 40 ranks, four cells of a row one after the other;
//   - the 36 squares of 3 by 3 cells.
//
// In a square each cell is empty, the mover's or the enemy's; in the other parts it also counts which kind of tank stands there.
//
// The game is the same in a mirror, and the same to both sides if each counts the rows from its own end of the board. Each
// kind of part has a table for each row that it begins on. Blocks have one for each column on the left half too; those on the
// right half are looked at in a mirror, and those in the middle count both ways. Files, which are their own mirror images,
// share their table with all files of their row, and so do the other parts, whose arrangements share their weights with
// their mirror images.
const (
	learnedSize = 8 // columns and rows

	kindStates = 1 + 2*kinds             // of a cell: empty, the mover's by kind, the enemy's by kind
	kinds      = 3                       // of tanks
	pairStates = kindStates * kindStates // of two cells
	fourStates = pairStates * pairStates // of four
	rowStates  = 27                      // of three cells that are empty, the mover's or the enemy's
	nineStates = rowStates * rowStates * rowStates

	blockCols  = learnedSize / 2 // columns with tables of their own
	blockRows  = learnedSize - 1 // rows that a part may begin on
	fileRows   = learnedSize - 3
	frameRows  = learnedSize - 2
	rankRows   = learnedSize
	squareRows = learnedSize - 2

	blockTables  = 0                                            // where the tables of the blocks begin
	fileTables   = blockTables + blockRows*blockCols*fourStates // of the files
	frameTables  = fileTables + fileRows*fourStates             // of the frames
	rankTables   = frameTables + frameRows*fourStates           // of the ranks
	squareTables = rankTables + rankRows*fourStates             // of the squares
	turnAt       = squareTables + squareRows*nineStates         // the worth of having the turn
	entries      = turnAt + 1                                   // of all tables
)

// builtIn are the tables that the game is played with. `ludoteca train tanks` made them.
var builtIn = games.MustDecodeTables("tanks", entries, tablesFile)

//go:embed tables.bin
var tablesFile []byte

// A view is the board as a side sees it, its home row first: a word for each row, in it a byte for each column with the state of
// the cell.
type view [learnedSize]uint64

// toggle puts a tank on a row, or takes it away. It is the viewer's own if owner is games.First.
func (v *view) toggle(owner games.Side, t tank, row int) {
	v[row%learnedSize] ^= uint64(stateOf(owner, t)) << (8 * (t.cell().col() % learnedSize))
}

// stateOf is the state of a cell with a tank of the viewer's, if owner is games.First, or of the enemy's.
func stateOf(owner games.Side, t tank) int32 {
	return 1 + int32(t.kind()) + int32(owner&1)*kinds
}

// Parts are looked up for several columns at once: a word has a byte for each column, or a lane of 16 bits for each second one.
const (
	ones      = 0x0101010101010101
	evenBytes = 0x00ff00ff00ff00ff
	evenLanes = 0x0001000100010001 // a 1 in each lane
	laneMask  = 0xffff

	// The tables of blocks of the even columns and of the odd ones. The right half of the board is looked up as in a mirror.
	evenBlocks = 2 * fourStates << 16 * (1 + 1<<32)
	oddBlocks  = fourStates*evenLanes + evenBlocks
)

// fours returns the arrangements of four cells for two words of pairs of cells: those at the even bytes, and at the odd ones.
func fours(first, second uint64) (even, odd uint64) {
	return first&evenBytes + pairStates*(second&evenBytes), first>>8&evenBytes + pairStates*(second>>8&evenBytes)
}

// lookUp returns what the tables say about the position.
func (n *Search) lookUp() int {
	v := &n.views[n.turn&1]
	var blocks, files, frames, squares [learnedSize]uint64 // what each row adds to the parts that begin on it
	tables := n.tables[:entries]
	sum := int(tables[turnAt])
	for r, row := range v {
		pairs, mirrored := row+kindStates*(row>>8), bits.ReverseBytes64(row)
		blocks[r] = pairs&(1<<32-1) | (mirrored+kindStates*(mirrored>>8))<<32
		frames[r] = row + kindStates*(row>>16)
		owners := (row+7*ones)>>3&ones + (row+4*ones)>>3&ones // 1 for the states 1 to 3, 2 for 4 to 6
		squares[r] = owners + 3*(owners>>8) + 9*(owners>>16)
		if r > 0 {
			files[r-1] = v[r-1] + kindStates*row
		}
		t := tables[rankTables+r*fourStates:][:fourStates]
		even, odd := fours(pairs, pairs>>16)
		sum += three(t, even) + two(t, odd)
	}
	for r := range blockRows {
		t := tables[blockTables+r*blockCols*fourStates:][:blockCols*fourStates]
		even, odd := fours(blocks[r], blocks[r+1])
		even, odd = even+evenBlocks, odd+oddBlocks
		sum += three(t, even) + three(t, odd) + int(t[even>>48]) + int(t[odd>>48])
	}
	for r := range fileRows {
		t := tables[fileTables+r*fourStates:][:fourStates]
		even, odd := fours(files[r], files[r+2])
		sum += three(t, even) + three(t, odd) + int(t[even>>48]) + int(t[odd>>48])
	}
	for r := range frameRows {
		t := tables[frameTables+r*fourStates:][:fourStates]
		even, odd := fours(frames[r], frames[r+2])
		sum += three(t, even) + three(t, odd)
	}
	for r := range squareRows {
		t := tables[squareTables+r*nineStates:][:nineStates]
		a, b, c := squares[r], squares[r+1], squares[r+2]
		sum += three(t, a&evenBytes+rowStates*(b&evenBytes)+rowStates*rowStates*(c&evenBytes))
		sum += three(t, a>>8&evenBytes+rowStates*(b>>8&evenBytes)+rowStates*rowStates*(c>>8&evenBytes))
	}
	return sum
}

// two adds up the entries for the lowest two lanes of a word.
func two(t games.Tables, lanes uint64) int {
	return int(t[lanes&laneMask]) + int(t[lanes>>16&laneMask])
}

// three adds up the entries for the lowest three lanes of a word.
func three(t games.Tables, lanes uint64) int { return two(t, lanes) + int(t[lanes>>32&laneMask]) }

// Base is the evaluation by hand.
func (n *Search) Base() int { return n.byHand() }

// Features appends the features of the position, cell by cell; none if the size of the board has no tables.
func (n *Search) Features(dst []games.Feature) []games.Feature {
	if n.tables == nil {
		return dst
	}
	state := func(col, row int) int32 {
		if n.turn == games.Second {
			row = learnedSize - 1 - row
		}
		if side, t, held := n.tankAt(at(col, row)); held {
			return stateOf(side^n.turn, t)
		}
		return 0
	}
	four := func(table int, a, b, c, d int32) {
		dst = append(dst, games.Feature{Weight: int32(table) + a + kindStates*(b+kindStates*(c+kindStates*d)), Times: 1})
	}
	for row := range blockRows {
		for i := range learnedSize {
			col, next, table := i, i+1, i
			if i >= blockCols { // from the right
				table = i - blockCols
				col, next = learnedSize-1-table, learnedSize-2-table
			}
			four(blockTables+(row*blockCols+table)*fourStates,
				state(col, row), state(next, row), state(col, row+1), state(next, row+1))
		}
	}
	for row := range fileRows {
		for col := range learnedSize {
			four(fileTables+row*fourStates, state(col, row), state(col, row+1), state(col, row+2), state(col, row+3))
		}
	}
	for row := range frameRows {
		for col := range learnedSize - 2 {
			four(frameTables+row*fourStates, state(col, row), state(col+2, row), state(col, row+2), state(col+2, row+2))
		}
	}
	for row := range squareRows {
		for col := range learnedSize - 2 {
			at := int32(0)
			for cell := 8; cell >= 0; cell-- {
				owner := (state(col+cell%3, row+cell/3) + kinds - 1) / kinds
				at = 3*at + owner
			}
			dst = append(dst, games.Feature{Weight: int32(squareTables+row*nineStates) + at, Times: 1})
		}
	}
	for row := range rankRows {
		for col := range learnedSize - 3 {
			four(rankTables+row*fourStates, state(col, row), state(col+1, row), state(col+2, row), state(col+3, row))
		}
	}
	return append(dst, games.Feature{Weight: turnAt, Times: 1})
}

// sharing returns for each weight the weight that it shares its value with: the weight of the mirror image.
func sharing() []int32 {
	same := make([]int32, entries)
	for i := range same {
		same[i] = int32(i)
	}
	share := func(first, end, states, rowStates, cellStates int32) {
		for table := first; table < end; table += states {
			for i := range states {
				mirrored := int32(0)
				for rest, row := i, int32(1); row < states; rest, row = rest/rowStates, row*rowStates {
					mirrored += reversed(rest%rowStates, rowStates, cellStates) * row
				}
				same[table+i] = table + min(i, mirrored)
			}
		}
	}
	share(frameTables, rankTables, fourStates, pairStates, kindStates)
	share(rankTables, squareTables, fourStates, fourStates, kindStates)
	share(squareTables, turnAt, nineStates, rowStates, 3)
	return same
}

// reversed returns the number of the mirror image of arrangement i of a row of cells. The row has rowStates arrangements, each of
// its cells has cellStates states.
func reversed(i, rowStates, cellStates int32) (r int32) {
	for ; rowStates > 1; rowStates /= cellStates {
		r = cellStates*r + i%cellStates
		i /= cellStates
	}
	return r
}

// SearchLearned returns the position to search, with an evaluation by tables; by hand if the size of the board has none.
func (s *State) SearchLearned(t games.Tables) games.Learner {
	if s.size != learnedSize {
		return s.search(games.ValuesOf(ownWeights[:]), nil)
	}
	return s.search(games.ValuesOf(ownWeights[:]), t[:entries:entries])
}

// learning is how the tables were trained: the recipe of `ludoteca train tanks`.
var learning = games.Learning{
	Weights: entries, Tables: entries, Shared: sharing, Fold: games.RoundTables,
	Rounds: 8, Games: 1500, Nodes: 300, Openings: 8, RandomMoves: 0.05, Lambda: 0.5, Rate: 0.03, Scale: 259,
}

// Learning says what there is to learn.
func (s *State) Learning() *games.Learning { return &learning }
