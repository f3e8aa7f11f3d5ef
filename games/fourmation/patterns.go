package fourmation

import (
	_ "embed"
	"math/bits"

	"ludoteca/games"
)

// The learned evaluation is for lines of four, on boards of any size. It adds to the evaluation by hand what the tables say
// about what is near the previous move, where the next piece must go, and about closing cells: free cells that would complete a
// line of a side. A side that has to place a piece beside a closing cell of the other loses, so what counts is which of them
// runs out of other cells first. A legal cell that touches no closing cell of the other side is an exit.
//
//   - approaches: for each legal cell and each axis, the three cells on either side of it, each of which is free, the mover's, the
//     enemy's or off the board;
//   - the ring: the same of the eight cells around the previous move;
//   - each closing cell, by whose it is, its free neighbours, and how far it is from the previous move;
//   - the exits: how many there are, the fewest replies that one of them leaves, and how many leave three or more;
//   - the number of legal moves.
//
// The rims are part of the patterns, so one set of tables serves all sizes. Lines share their weights with their mirror
// images, rings with all eight images.
const (
	span       = 3       // cells of a line on either side of the middle one that can be in a line of four with it
	lineStates = 1 << 12 // of six cells, two bits each
	ringStates = 1 << 16 // of eight cells
	far        = 8       // distances from here on are one; they begin with 1
	ringCells  = 8       // neighbours of a cell
	closingSet = (ringCells + 1) * far
	exitsSet   = (ringCells + 1) * (deadEnd + 1) * (ringCells + 1)
	deadEnd    = ringCells + 1 // in place of the number of replies to a move that ends the game in a draw

	linesAt   = 0                        // where the tables of approaches begin: along rows and columns, then along diagonals
	ringsAt   = linesAt + 2*lineStates   // of rings
	closingAt = ringsAt + ringStates     // of closing cells: the mover's, the enemy's, both sides'
	exitsAt   = closingAt + 3*closingSet // of the exits
	legalAt   = exitsAt + exitsSet       // of the number of legal moves
	entries   = legalAt + ringCells + 1  // of all tables
)

// builtIn are the tables that the game is played with. `ludoteca train fourmation` made them.
var builtIn = games.MustDecodeTables("fourmation", entries, tablesFile)

//go:embed tables.bin
var tablesFile []byte

// A rowset is a set of cells, like State.taken: row r is in word r+1, column c its bit c+1.
type rowset [maxLines + 2]uint32

func (r *rowset) has(c cell) bool { return r[c.row()+1]>>(c.col()+1)&1 == 1 }
func (r *rowset) flip(c cell)     { r[c.row()+1] ^= 2 << c.col() }

// A closer is a cell that would complete a line of four of a side.
type closer struct {
	cell uint16
	side games.Side
}

// patterns is what a Search keeps for the learned evaluation.
type patterns struct {
	tables  games.Tables // nil: it evaluates by hand
	closing [2]rowset    // by side: its closing cells, some of them taken since
	closers []closer     // all of them, in the order in which they came up
	marks   []int        // how many there were before each move
	found   []int32      // of find; kept for its memory

	rims [maxCells][axes]uint16 // by cell and axis: the cells off the board, as in an approach
}

// sevenCells are the bits of a cell of a line and of those within reach of it. It is the middle one.
const sevenCells = 1<<(2*span+1) - 1

// along returns the pieces within reach of a cell along each axis, in the order of steps.
func (l *lines) along(col, row uint) [axes]uint32 {
	col, row = col%maxLines, row%maxLines
	return [axes]uint32{
		l.across[row] << span >> col & sevenCells,
		l.upright[col] << span >> row & sevenCells,
		l.rising[(maxLines-1+row-col)%maxDiagonals] << span >> col & sevenCells,
		l.falling[row+col] << span >> col & sevenCells,
	}
}

// approach returns the number of an approach by the pieces of both sides; the middle one of the seven cells is free. Both have the
// cells off the board.
func approach(own, enemy uint32) uint32 {
	both := own | enemy<<(2*span+1)
	return both&0x7 | both>>1&0x1f8 | both>>2&0xe00
}

// closedBy has for each set of a side's pieces on seven cells, with the middle one, the other cells that would complete a line of
// four with it.
var closedBy = func() (table [sevenCells + 1]uint8) {
	for pieces := range table {
		for first := range span + 1 {
			line := 15 << first
			if pieces>>span&1 == 1 && bits.OnesCount(uint(pieces&line)) == 3 {
				table[pieces] |= uint8(line &^ pieces)
			}
		}
	}
	return table
}()

// usePatterns begins to evaluate by tables.
func (n *Search) usePatterns(t games.Tables) {
	n.tables = t[:entries:entries]
	for row := range int(n.rows) {
		for col := range int(n.cols) {
			c := at(col, row)
			for axis, step := range steps {
				var off uint32
				for i := -span; i <= span; i++ {
					if !n.contains(col+i*step.col, row+i*step.row) {
						off |= 1 << (i + span)
					}
				}
				n.rims[c][axis] = uint16(approach(off, off))
			}
			if side, held := n.at(col, row); held {
				n.findClosers(c, side)
			}
		}
	}
}

// findClosers adds the free cells that complete a line of four of a side with its piece on c. They are closing cells until they
// are taken, whatever else is played.
func (n *Search) findClosers(c cell, side games.Side) {
	for axis, pieces := range n.lines[side].along(uint(c.col()), uint(c.row())) {
		for ends := closedBy[pieces]; ends != 0; ends &= ends - 1 {
			i := bits.TrailingZeros8(ends) - span
			col, row := c.col()+i*steps[axis].col, c.row()+i*steps[axis].row
			if !n.contains(col, row) || n.taken[row+1]>>(col+1)&1 == 1 {
				continue
			}
			if end := at(col, row); !n.closing[side].has(end) {
				n.closing[side].flip(end)
				n.closers = append(n.closers, closer{uint16(end), side})
			}
		}
	}
}

// dropClosers undoes what the last move changed about the closing cells.
func (n *Search) dropClosers() {
	last := len(n.marks) - 1
	for _, c := range n.closers[n.marks[last]:] {
		n.closing[c.side].flip(cell(c.cell))
	}
	n.closers, n.marks = n.closers[:n.marks[last]], n.marks[:last]
}

// beside returns how many neighbours of a cell are in the set that has three rows as words.
func beside(col int, below, level, above uint32) int {
	return bits.OnesCount32(below>>col&7 | level>>col&5<<3 | above>>col&7<<6)
}

// find returns the indexes of the entries for a position after the first move, as the side to move sees it. The list is
// overwritten by the next call.
func (n *Search) find() []int32 {
	last := cell(n.cell)
	found := append(n.found[:0], int32(ringsAt+n.ring()), int32(legalAt+bits.OnesCount16(n.open)))
	own, enemy := &n.lines[n.turn%2], &n.lines[n.turn.Other()%2]
	lastCol, lastRow := last.col(), last.row()
	moves := ways[n.open][:bits.OnesCount16(n.open)]
	for _, w := range moves {
		col, row := lastCol+int(w.col), lastRow+int(w.row)
		mine, theirs := own.along(uint(col), uint(row)), enemy.along(uint(col), uint(row))
		rims := &n.rims[at(col, row)%maxCells]
		for axis := range mine {
			i := approach(mine[axis], theirs[axis]) | uint32(rims[axis])
			found = append(found, int32(linesAt+axis/2*lineStates)+int32(i))
		}
	}

	var shut rowset // the cells around the mover's closing cells
	threatened := false
	for _, k := range n.closers {
		c := cell(k.cell)
		col, row := c.col(), c.row()
		if n.taken[row+1]>>(col+1)&1 == 1 {
			continue
		}
		kind := 0
		if k.side == n.turn {
			shut[row] |= 7 << col
			shut[row+1] |= 5 << col // a piece on the closing cell stops it
			shut[row+2] |= 7 << col
		} else {
			kind = 1
			threatened = true
		}
		if n.closing[k.side.Other()].has(c) {
			if kind == 1 {
				continue // it counts once
			}
			kind = 2
		}
		free := beside(col, ^n.taken[row], ^n.taken[row+1], ^n.taken[row+2])
		found = append(found, int32(closingAt+kind*closingSet+free*far+away(c, last)-1))
	}
	exits, fewest, wide := 0, deadEnd, 0
	threats := &n.closing[n.turn.Other()]
	for _, w := range moves {
		col, row := lastCol+int(w.col), lastRow+int(w.row)
		below, level, above := ^n.taken[row], ^n.taken[row+1], ^n.taken[row+2]
		if threatened && beside(col, threats[row]&below, threats[row+1]&level, threats[row+2]&above) > 0 {
			continue
		}
		exits++
		replies := deadEnd
		if beside(col, below, level, above) > 0 {
			replies = beside(col, below&^shut[row], level&^shut[row+1], above&^shut[row+2])
		}
		if fewest = min(fewest, replies); replies >= 3 {
			wide++
		}
	}
	found = append(found, int32(exitsAt+(exits*(deadEnd+1)+fewest)*(ringCells+1)+wide))
	n.found = found
	return found
}

// away returns how many steps in any direction it is from a cell to another, but no more than far.
func away(a, b cell) int {
	return min(max(distance(a.col(), b.col()), distance(a.row(), b.row())), far)
}

// ring returns the number of the arrangement of the cells around the previous move.
func (n *Search) ring() int {
	col, row := cell(n.cell).col(), cell(n.cell).row()
	own, enemy := &n.lines[n.turn%2].across, &n.lines[n.turn.Other()%2].across
	var mine, theirs uint32
	shift := 0
	for i, mask := range [3]uint32{7, 5, 7} {
		var o, e uint32
		if r := row + i - 1; r >= 0 && r < maxLines {
			o, e = own[r]<<1, enemy[r]<<1
		}
		off := n.taken[row+i] &^ (o | e)
		o, e = (o|off)>>col&mask, (e|off)>>col&mask
		if mask == 5 {
			o, e = o&1|o>>1, e&1|e>>1
		}
		mine |= o << shift
		theirs |= e << shift
		shift += bits.OnesCount32(mask)
	}
	return int(mine | theirs<<ringCells)
}

// lookUp returns what the tables say about the position.
func (n *Search) lookUp() int {
	if n.cell == none {
		return 0
	}
	sum := 0
	for _, i := range n.find() {
		sum += int(n.tables[i])
	}
	return sum
}

// Base is the evaluation by hand.
func (n *Search) Base() int { return n.byHand() }

// Features appends the features of the position; none where lines of another length win.
func (n *Search) Features(dst []games.Feature) []games.Feature {
	if n.tables == nil || n.cell == none {
		return dst
	}
	for _, i := range n.find() {
		dst = append(dst, games.Feature{Weight: i, Times: 1})
	}
	return dst
}

// sharing returns for each weight the weight that it shares its value with: lines share it with their mirror images, rings with all
// their images.
func sharing() []int32 {
	same := make([]int32, entries)
	for i := range same {
		same[i] = int32(i)
	}
	for i := range int32(lineStates) {
		mirrored := int32(bits.Reverse8(uint8(i&63))>>2) | int32(bits.Reverse8(uint8(i>>6))>>2)<<6
		for first := int32(linesAt); first < ringsAt; first += lineStates {
			same[first+i] = first + min(i, mirrored)
		}
	}
	images := ringImages()
	for i := range int32(ringStates) {
		least := i
		for _, image := range images {
			moved := int32(0)
			for k, to := range image {
				moved |= i>>k&1<<to | i>>(k+ringCells)&1<<(to+ringCells)
			}
			least = min(least, moved)
		}
		same[ringsAt+i] = ringsAt + least
	}
	return same
}

// ringImages returns where each of the eight symmetries puts the cells of a ring.
func ringImages() (images [8][ringCells]int) {
	for i := range images {
		k := 0
		for row := -1; row <= 1; row++ {
			for col := -1; col <= 1; col++ {
				if col == 0 && row == 0 {
					continue
				}
				c, r := col, row
				if i&1 != 0 {
					c = -c
				}
				if i&2 != 0 {
					r = -r
				}
				if i&4 != 0 {
					c, r = r, c
				}
				to := (r+1)*3 + c + 1
				if to > 4 {
					to-- // the middle one isn't in the ring
				}
				images[i][k] = to
				k++
			}
		}
	}
	return images
}

// SearchLearned returns the position to search, with an evaluation by tables where lines of four win. Lines of other lengths
// are evaluated by hand and have no features.
func (s *State) SearchLearned(t games.Tables) games.Learner {
	n := s.search(games.ValuesOf(ownWeights[:]))
	if s.win == 4 {
		n.usePatterns(t)
	}
	return n.onGrid().(games.Learner)
}

// learning is how the tables were trained: the recipe of `ludoteca train fourmation`.
var learning = games.Learning{
	Weights: entries, Tables: entries, Shared: sharing, Fold: games.RoundTables, OptionSets: []string{"cols=10 rows=16"},
	Rounds: 24, Games: 1500, Nodes: 300, Openings: 8, RandomMoves: 0.05, Lambda: 0.5, Rate: 0.02, Scale: 40,
}

// Learning says what there is to learn.
func (s *State) Learning() *games.Learning { return &learning }
