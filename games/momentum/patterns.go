package momentum

import (
	_ "embed"

	"ludoteca/games"
)

// The learned evaluation: the evaluation by hand, and what the tables say about the arrangements of marbles in parts of the
// board, and about the marbles in hand. A part is a set of cells, each of which is empty, the mover's or the enemy's; the
// arrangement of n cells is one of 3^n. There are two kinds:
//
//   - the 7 rows and the 7 columns, of 7 cells each;
//   - the 25 blocks of 3 by 3 cells.
//
// The game is the same in all mirrors and turns of the board. So rows and columns that are as far from the rim share a table,
// and blocks have one for each distance from the nearer side and from the nearer end, whose cells are counted from there.
//
// The tables are of boards of 7 by 7 and up to 12 marbles each. Games with more of either are evaluated by hand.
const (
	learnedSize = 7 // cells along a side of the board
	blockSpots  = learnedSize - 2

	lineStates  = 2187  // 3^7
	blockStates = 19683 // 3^9
	handStates  = 13    // marbles in hand, 0 to 12

	lineTables  = 0                                         // where the tables of rows and columns begin: one each, from the rim on
	blockTables = lineTables + 4*lineStates                 // of the blocks: three for each distance of their rows, one for each of their columns
	handTable   = blockTables + 9*blockStates               // by the hands of the mover and the enemy
	turnAt      = handTable + handStates*handStates         // the worth of having the turn
	entries     = turnAt + 1                                // of all tables
	partCount   = 2*learnedSize + blockSpots*blockSpots + 2 // features of a position

	perPoint = 8 // what a point is in the tables, whose sums would otherwise be rounded too roughly
)

// builtIn are the tables that the game is played with. `ludoteca train momentum` made them.
var builtIn = games.MustDecodeTables("momentum", entries, tablesFile)

//go:embed tables.bin
var tablesFile []byte

// Arrangements are worked out for several columns at once: a word has a lane of 16 bits for each of four columns, and what the
// marbles of a row add to each comes from a table of such words.
const (
	laneBits = 16
	laneMask = 1<<laneBits - 1
	inWord   = 4 // lanes
)

// lanes are what a row adds, by the set of its cells with a marble.
type lanes struct {
	line   int32     // to the arrangement of the row
	column [2]uint64 // to the arrangement of each column, if the row is its first
	block  [2]uint64 // to the arrangement of the block that begins in each column, if the row is its first
}

var rowLanes = newRowLanes()

func newRowLanes() (all [1 << learnedSize]lanes) {
	for marbles := range all {
		l := &all[marbles]
		for col := range learnedSize {
			marble := marbles >> col & 1
			l.line += int32(marble) * power(col)
			l.column[col/inWord] |= uint64(marble) << (col % inWord * laneBits)
		}
		for col := range blockSpots {
			cells := marbles >> col & 7
			if col > blockSpots/2 { // counted from the other end
				cells = cells>>2 | cells&2 | cells<<2&4
			}
			block := cells&1 + cells>>1&1*3 + cells>>2*9
			l.block[col/inWord] |= uint64(block) << (col % inWord * laneBits)
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
func (a *arrangements) look(s *State) {
	me, enemy := s.turn, s.turn.Other()
	var own, other [2]uint64 // the words that hold the rows of a board of 7 by 7
	for i := range own {
		own[i], other[i] = s.word(me, i), s.word(enemy, i)
	}
	var columns [2]uint64
	var blocks [learnedSize][2]uint64
	n := 0
	for row := range learnedSize {
		at := squareAt(0, row)
		mine := &rowLanes[own[at>>6]>>(at&63)&(1<<learnedSize-1)]
		theirs := &rowLanes[other[at>>6]>>(at&63)&(1<<learnedSize-1)]
		a[n] = lineTables + int32(min(row, learnedSize-1-row))*lineStates + mine.line + 2*theirs.line
		n++
		for i := range columns {
			columns[i] = 3*columns[i] + mine.column[i] + 2*theirs.column[i]
			blocks[row][i] = mine.block[i] + 2*theirs.block[i]
		}
	}
	for col := range learnedSize {
		at := columns[col/inWord] >> (col % inWord * laneBits) & laneMask
		a[n] = lineTables + int32(min(col, learnedSize-1-col))*lineStates + int32(at)
		n++
	}
	for row := range blockSpots {
		first, last := row, row+2
		if row > blockSpots/2 { // counted from the other end
			first, last = last, first
		}
		tables := int32(blockTables + min(row, blockSpots-1-row)*3*blockStates)
		near := blocks[first][0] + 27*blocks[row+1][0] + 729*blocks[last][0]
		far := blocks[first][1] + 27*blocks[row+1][1] + 729*blocks[last][1]
		a[n] = tables + int32(near&laneMask)
		a[n+1] = tables + blockStates + int32(near>>laneBits&laneMask)
		a[n+2] = tables + 2*blockStates + int32(near>>(2*laneBits)&laneMask)
		a[n+3] = tables + blockStates + int32(near>>(3*laneBits))
		a[n+4] = tables + int32(far)
		n += blockSpots
	}
	each := s.rules.each
	a[n] = int32(handTable + (each-s.placed[me])*handStates + each - s.placed[enemy])
	a[n+1] = turnAt
}

// lookUp returns what the tables say about the position.
func (n *Search) lookUp() int {
	var a arrangements
	a.look(&n.State)
	t, sum := n.tables[:entries], 0
	for _, i := range a {
		sum += int(t[i])
	}
	return sum / perPoint
}

// Base is the evaluation by hand.
func (n *Search) Base() int { return n.byHand() }

// Features appends the features of the position; none on a board of another size than 7.
func (n *Search) Features(dst []games.Feature) []games.Feature {
	if n.rules.size != learnedSize {
		return dst
	}
	var a arrangements
	a.look(&n.State)
	for _, i := range a {
		dst = append(dst, games.Feature{Weight: i, Times: 1})
	}
	return dst
}

// sharing returns for each weight the weight that it shares its value with. Mirror images and turns of an arrangement share a value,
// as far as they are not counted from the nearer side anyway.
func sharing() []int32 {
	same := make([]int32, entries)
	for i := range same {
		same[i] = int32(i)
	}
	for i := range int32(lineStates) {
		backward, rest := int32(0), i
		for range learnedSize {
			backward, rest = 3*backward+rest%3, rest/3
		}
		for first := int32(lineTables); first < blockTables; first += lineStates {
			same[first+i] = first + min(i, backward)
		}
	}
	for row := range int32(3) {
		for col := range int32(3) {
			for i := range int32(blockStates) {
				least := int32(entries)
				for image := range 8 {
					r, c, arrangement := row, col, i
					if image&1 != 0 { // left and right
						if col != blockSpots/2 {
							continue
						}
						arrangement = permuted(arrangement, [9]int{2, 1, 0, 5, 4, 3, 8, 7, 6})
					}
					if image&2 != 0 { // below and above
						if row != blockSpots/2 {
							continue
						}
						arrangement = permuted(arrangement, [9]int{6, 7, 8, 3, 4, 5, 0, 1, 2})
					}
					if image&4 != 0 { // rows and columns
						r, c = c, r
						arrangement = permuted(arrangement, [9]int{0, 3, 6, 1, 4, 7, 2, 5, 8})
					}
					least = min(least, blockTables+(r*3+c)*blockStates+arrangement)
				}
				same[blockTables+(row*3+col)*blockStates+i] = least
			}
		}
	}
	return same
}

// permuted returns the arrangement whose cell k is cell from[k] of another one.
func permuted(arrangement int32, from [9]int) (v int32) {
	for k, f := range from {
		v += arrangement / power(f) % 3 * power(k)
	}
	return v
}

// fold makes the tables of the weights: an entry for each.
func fold(w []float32) games.Tables {
	t := make(games.Tables, entries)
	for i := range t {
		t[i] = games.TableEntry(w[i] * perPoint)
	}
	return t
}

// SearchLearned returns the position to search, with an evaluation by tables; on a board of another size than 7 it is the one by hand.
func (s *State) SearchLearned(t games.Tables) games.Learner {
	n := s.SearchWith(games.ValuesOf(ownWeights[:])).(*Search)
	if s.rules.size == learnedSize {
		n.tables = t[:entries:entries]
	}
	return n
}

// learning is how the tables were trained: the recipe of `ludoteca train momentum`.
var learning = games.Learning{
	Weights: entries, Tables: entries, Shared: sharing, Fold: fold,
	Rounds: 16, Games: 4000, Nodes: 500, Openings: 8, RandomMoves: 0.05, Lambda: 0.5, Rate: 0.05, Scale: 36,
}

// Learning says what there is to learn.
func (s *State) Learning() *games.Learning { return &learning }
