package petteia

import (
	_ "embed"
	"math/bits"

	"ludoteca/games"
)

// The learned evaluation: the evaluation by hand, and what the tables say about the arrangements of men in parts of the
// board. A part is a set of cells, each of which is empty, the mover's or the enemy's; the arrangement of n cells is one of 3^n.
// There are three kinds:
//
//   - the 12 columns, of 8 cells each;
//   - the left and the right end of each of the 8 rows, 8 cells each, counted from the rim;
//   - the 60 blocks of 3 by 3 cells.
//
// The game is the same in a mirror, and the same to both sides if each counts the rows from its own end of the board. So
// columns and ends of rows share their tables with their mirror images, and so do blocks, which have a table for each row
// that they begin on.
const (
	lineStates  = 6561  // 3^8
	blockStates = 19683 // 3^9

	colTables   = 0                                     // where the tables of the columns begin: one each, from the rim on
	rowTables   = colTables + Cols/2*lineStates         // of the ends of rows: one a row
	blockTables = rowTables + Rows*lineStates           // of the blocks: one a row that they begin on
	turnAt      = blockTables + (Rows-2)*blockStates    // the worth of having the turn
	entries     = turnAt + 1                            // of all tables
	partCount   = Cols + 2*Rows + (Rows-2)*(Cols-2) + 1 // features of a position
)

// builtIn are the tables that the game is played with. `ludoteca train petteia` made them.
var builtIn = games.MustDecodeTables("petteia", entries, tablesFile)

//go:embed tables.bin
var tablesFile []byte

// Arrangements are worked out for several rows at once: a word has a lane of 16 bits for each of four rows, and what the men
// of a column add to each comes from a table of such words.
const (
	laneBits = 16
	laneMask = 1<<laneBits - 1
	inWord   = 4 // lanes
)

// lanes are what a column adds, by the set of its cells with a man.
type lanes struct {
	line  int32     // to the arrangement of the column
	rows  [2]uint64 // to the arrangement of each row, if the column is its first
	block [2]uint64 // to the arrangement of the block that begins on each row, if the column is its first
}

var columns = newColumns()

func newColumns() (all [1 << Rows]lanes) {
	for men := range all {
		l := &all[men]
		for row := range Rows {
			man := men >> row & 1
			l.line += int32(man) * power(row)
			l.rows[row/inWord] |= uint64(man) << (row % inWord * laneBits)
			block := men>>row&1 + men>>(row+1)&1*3 + men>>(row+2)&1*9
			l.block[row/inWord] |= uint64(block) << (row % inWord * laneBits)
		}
	}
	return all
}

// power returns 3^n.
func power(n int) int32 {
	v := int32(1)
	for range n {
		v *= 3
	}
	return v
}

// arrangements are the indexes of the entries for all parts of a position.
type arrangements [partCount]int32

// look finds the arrangements as the side to move sees them.
func (a *arrangements) look(own, enemy set, turn games.Side) {
	ownLo, ownHi, enemyLo, enemyHi := own.lo, uint64(own.hi), enemy.lo, uint64(enemy.hi)
	if turn == games.Second {
		ownLo, ownHi, enemyLo, enemyHi = flipped(ownLo), flipped(ownHi), flipped(enemyLo), flipped(enemyHi)
	}
	var rows, block [Cols][2]uint64
	n := 0
	for col := range Cols {
		mine, theirs := &columns[uint8(ownLo)], &columns[uint8(enemyLo)]
		if col == 7 {
			ownLo, enemyLo = ownHi, enemyHi
		} else {
			ownLo, enemyLo = ownLo>>Rows, enemyLo>>Rows
		}
		a[n] = colTables + int32(min(col, Cols-1-col))*lineStates + mine.line + 2*theirs.line
		n++
		rows[col] = [2]uint64{mine.rows[0] + 2*theirs.rows[0], mine.rows[1] + 2*theirs.rows[1]}
		block[col] = [2]uint64{mine.block[0] + 2*theirs.block[0], mine.block[1] + 2*theirs.block[1]}
	}
	for word := range 2 {
		left, right := uint64(0), uint64(0)
		for k := 7; k >= 0; k-- {
			left, right = 3*left+rows[k][word], 3*right+rows[Cols-1-k][word]
		}
		first := rowTables + int32(word*inWord*lineStates)
		for range inWord {
			a[n], a[n+1] = first+int32(left&laneMask), first+int32(right&laneMask)
			n += 2
			first += lineStates
			left, right = left>>laneBits, right>>laneBits
		}
	}
	for word, lanes := range [2]int{inWord, Rows - 2 - inWord} {
		for col := range Cols - 2 {
			at := block[col][word] + 27*block[col+1][word] + 729*block[col+2][word]
			first := blockTables + int32(word*inWord*blockStates)
			for range lanes {
				a[n] = first + int32(at&laneMask)
				n++
				first += blockStates
				at >>= laneBits
			}
		}
	}
	a[n] = turnAt
}

// flipped turns each column upside down.
func flipped(cells uint64) uint64 { return bits.ReverseBytes64(bits.Reverse64(cells)) }

// lookUp returns what the tables say about the position.
func (n *Search) lookUp() int {
	var a arrangements
	a.look(n.men[n.turn], n.men[n.turn.Other()], n.turn)
	t, sum := n.tables[:entries], 0
	for _, i := range a {
		sum += int(t[i])
	}
	return sum
}

// Base is the evaluation by hand.
func (n *Search) Base() int { return int(n.look().value) }

// Features appends the features of the position.
func (n *Search) Features(dst []games.Feature) []games.Feature {
	var a arrangements
	a.look(n.men[n.turn], n.men[n.turn.Other()], n.turn)
	for _, i := range a {
		dst = append(dst, games.Feature{Weight: i, Times: 1})
	}
	return dst
}

// sharing returns for each weight the weight that it shares its value with: blocks share it with their mirror images.
func sharing() []int32 {
	same := make([]int32, entries)
	for i := range same {
		same[i] = int32(i)
	}
	for i := range int32(blockStates) {
		mirrored := i/729 + i/27%27*27 + i%27*729
		for first := int32(blockTables); first < turnAt; first += blockStates {
			same[first+i] = first + min(i, mirrored)
		}
	}
	return same
}

// SearchLearned returns the position to search, with an evaluation by tables.
func (s *State) SearchLearned(t games.Tables) games.Learner {
	n := s.SearchWith(games.ValuesOf(ownWeights[:])).(*Search)
	n.tables = t[:entries:entries]
	return n
}

// learning is how the tables were trained: the recipe of `ludoteca train petteia`.
var learning = games.Learning{
	Weights: entries, Tables: entries, Shared: sharing, Fold: games.RoundTables,
	Rounds: 16, Games: 800, Nodes: 500, Openings: 20, RandomMoves: 0.05, Lambda: 0.5, Rate: 0.01, Scale: 115,
	OptionSets: []string{"captures_to_win=5 quiet_limit=300"},
}

// Learning says what there is to learn.
func (s *State) Learning() *games.Learning { return &learning }
