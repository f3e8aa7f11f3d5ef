package petteia

// Whole sets of cells move at once here. A cell is 8 times its column plus its row, so a step up is one bit up and a step
// to the right is eight.

// everywhere is all cells; the bits above are none.
var everywhere = set{^uint64(0), 1<<(cells-64) - 1}

// Cells that a step up or down may come to: not from the end of one column to the beginning of the next.
const (
	notBottom = 0xfefefefefefefefe
	notTop    = 0x7f7f7f7f7f7f7f7f
)

func (a set) and(b set) set { return set{a.lo & b.lo, a.hi & b.hi} }

func (a set) up() set   { return set{a.lo << 1 & notBottom, a.hi << 1 & (notBottom & (1<<32 - 1))} }
func (a set) down() set { return set{a.lo >> 1 & notTop, a.hi >> 1 & (notTop & (1<<32 - 1))} }

func (a set) right() set { return set{a.lo << Rows, a.hi<<Rows | uint32(a.lo>>(64-Rows))} }
func (a set) left() set  { return set{a.lo>>Rows | uint64(a.hi)<<(64-Rows), a.hi >> Rows} }

// spread returns the cells that touch some of a.
func spread(a set) set { return a.up().with(a.down()).with(a.left()).with(a.right()) }

// hotCells returns the cells where a man of the mover who comes there captures: an enemy beside it, and behind him, in
// the same direction, another man of the mover.
func hotCells(mover, enemy set) set {
	return mover.down().and(enemy).down().
		with(mover.up().and(enemy).up()).
		with(mover.left().and(enemy).left()).
		with(mover.right().and(enemy).right())
}

// slides returns the empty cells that the men can come to, and how many moves they have. The four directions are written
// out because a call for each step would take longer than the step.
func slides(men, empty set) (reached set, moves int) {
	for f := men.up().and(empty); f != (set{}); f = f.up().and(empty) {
		reached, moves = reached.with(f), moves+f.len()
	}
	for f := men.down().and(empty); f != (set{}); f = f.down().and(empty) {
		reached, moves = reached.with(f), moves+f.len()
	}
	for f := men.right().and(empty); f != (set{}); f = f.right().and(empty) {
		reached, moves = reached.with(f), moves+f.len()
	}
	for f := men.left().and(empty); f != (set{}); f = f.left().and(empty) {
		reached, moves = reached.with(f), moves+f.len()
	}
	return reached, moves
}
