package fourmation

import "math/bits"

// gridSide is the largest number of columns or rows of a grid.
const gridSide = 8

// A cells is a set of cells of a grid: the bit of a cell is 8 times its row and its column. A step along the axes of
// gridSteps is a shift.
type cells uint64

// gridSteps are by how many bits the next cell of a line is away: along a row, a column, and the diagonals.
var gridSteps = [axes]uint{1, gridSide, gridSide + 1, gridSide - 1}

// The columns at both rims of an 8 by 8 board.
const (
	leftRim  cells = 0x0101010101010101
	rightRim cells = leftRim << (gridSide - 1)
)

// A grid is a board of at most 8 by 8 cells as the solver sees it: it handles all its cells at once.
type grid struct {
	cols, rows, win int
	all             cells
	around          [gridSide * gridSide]cells // by cell: its neighbours
	starts          [axes]cells                // by axis: the cells with which a line of win cells can begin
}

// newGrid returns the grid of a board. It must not be larger than 8 by 8.
func newGrid(cols, rows, win int) *grid {
	g := &grid{cols: cols, rows: rows, win: win}
	for row := range rows {
		g.all |= cells(1<<cols-1) << (row * gridSide)
	}
	for i := range g.around {
		if c := cells(1) << i; c&g.all != 0 {
			g.around[i] = near(c) & g.all
			g.placeLines(i)
		}
	}
	return g
}

// placeLines notes along which axes a line can begin on cell i.
func (g *grid) placeLines(i int) {
	row, col := i/gridSide, i%gridSide
	for axis, step := range [axes]struct{ col, row int }{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
		endCol, endRow := col+step.col*(g.win-1), row+step.row*(g.win-1)
		if endCol >= 0 && endCol < g.cols && endRow < g.rows {
			g.starts[axis] |= 1 << i
		}
	}
}

// near returns the neighbours of the cells of a set; cells of the set are among them only if they touch each other.
func near(set cells) cells {
	beside := set<<1&^leftRim | set>>1&^rightRim
	level := set | beside
	return beside | level<<gridSide | level>>gridSide
}

// connected returns seed and all cells of empty that a way over cells of empty connects with it.
func connected(seed, empty cells) cells {
	for {
		next := seed | near(seed)&empty
		if next == seed {
			return seed
		}
		seed = next
	}
}

// completing returns the cells that would close a line for the owner of the pieces, free cells or not.
func (g *grid) completing(own cells) cells {
	var found cells
	if g.win == 4 { // the usual game, worth a faster way
		for axis, step := range gridSteps {
			one, two, three := own>>step, own>>(2*step), own>>(3*step)
			low, tall := own&one&g.starts[axis], two&three&g.starts[axis]
			found |= one&tall | (own&tall)<<step | (low&three)<<(2*step) | (low&two)<<(3*step)
		}
		return found
	}
	for axis, step := range gridSteps {
		var before [gridSide + 1]cells // by n: where the first n cells of the line are held
		before[0] = g.starts[axis]
		for i := range g.win {
			before[i+1] = before[i] & (own >> (uint(i) * step))
		}
		after := ^cells(0)
		for i := g.win - 1; i >= 0; i-- {
			found |= (before[i] & after) << (uint(i) * step)
			after &= own >> (uint(i) * step)
		}
	}
	return found
}

// open returns the cells of all lines that lie wholly in a set.
func (g *grid) open(set cells) cells {
	var found cells
	for axis, step := range gridSteps {
		whole := set // first cells of n in a line that all lie in the set
		for n := 1; n < g.win; {
			more := min(n, g.win-n)
			whole &= whole >> (uint(more) * step)
			n += more
		}
		whole &= g.starts[axis]
		for n := 1; n < g.win; {
			more := min(n, g.win-n)
			whole |= whole << (uint(more) * step)
			n += more
		}
		found |= whole
	}
	return found
}

// first returns the lowest cell of a set that isn't empty.
func (c cells) first() int { return bits.TrailingZeros64(uint64(c)) }

// count returns how many cells a set has.
func (c cells) count() int { return bits.OnesCount64(uint64(c)) }
