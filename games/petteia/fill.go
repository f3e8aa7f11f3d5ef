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

// slides returns the empty cells that the men can come to, and how many moves they have: in each direction a cell can be
// reached by one man only, the nearest. In each step of a fill the ways that are known grow to twice their length, so
// that there are no loops whose ends a processor has to guess (Kogge, Stone, 1973).
func slides(men, empty set) (reached set, moves int) {
	up, down := men.fillUp(empty), men.fillDown(empty)
	right, left := men.fillRight(empty), men.fillLeft(empty)
	return up.with(down).with(right).with(left), up.len() + down.len() + right.len() + left.len()
}

// fillUp returns the empty cells above the men as far as the ways are free.
func (a set) fillUp(empty set) set {
	lo, hi := a.lo, a.hi
	freeLo, freeHi := empty.lo&notBottom, empty.hi&(notBottom&(1<<32-1))
	lo, hi = lo|freeLo&(lo<<1), hi|freeHi&(hi<<1)
	freeLo, freeHi = freeLo&(freeLo<<1), freeHi&(freeHi<<1)
	lo, hi = lo|freeLo&(lo<<2), hi|freeHi&(hi<<2)
	freeLo, freeHi = freeLo&(freeLo<<2), freeHi&(freeHi<<2)
	lo, hi = lo|freeLo&(lo<<4), hi|freeHi&(hi<<4)
	return set{lo &^ a.lo, hi &^ a.hi}
}

// fillDown is fillUp the other way.
func (a set) fillDown(empty set) set {
	lo, hi := a.lo, a.hi
	freeLo, freeHi := empty.lo&notTop, empty.hi&(notTop&(1<<32-1))
	lo, hi = lo|freeLo&(lo>>1), hi|freeHi&(hi>>1)
	freeLo, freeHi = freeLo&(freeLo>>1), freeHi&(freeHi>>1)
	lo, hi = lo|freeLo&(lo>>2), hi|freeHi&(hi>>2)
	freeLo, freeHi = freeLo&(freeLo>>2), freeHi&(freeHi>>2)
	lo, hi = lo|freeLo&(lo>>4), hi|freeHi&(hi>>4)
	return set{lo &^ a.lo, hi &^ a.hi}
}

// fillRight is fillUp to the right, where a column is Rows bits and there are more of them.
func (a set) fillRight(empty set) set {
	g := a.with(empty.and(a.across(1)))
	free := empty.and(empty.across(1))
	g = g.with(free.and(g.across(2)))
	free = free.and(free.across(2))
	g = g.with(free.and(g.across(4)))
	free = free.and(free.across(4))
	return g.with(free.and(g.across(8))).without(a)
}

// fillLeft is fillRight the other way.
func (a set) fillLeft(empty set) set {
	g := a.with(empty.and(a.back(1)))
	free := empty.and(empty.back(1))
	g = g.with(free.and(g.back(2)))
	free = free.and(free.back(2))
	g = g.with(free.and(g.back(4)))
	free = free.and(free.back(4))
	return g.with(free.and(g.back(8))).without(a)
}

// across returns the cells n columns to the right, 1 to 8, and back those to the left.
func (a set) across(n uint) set {
	return set{a.lo << (Rows * n), a.hi<<(Rows*n) | uint32(a.lo>>(64-Rows*n))}
}

func (a set) back(n uint) set {
	return set{a.lo>>(Rows*n) | uint64(a.hi)<<(64-Rows*n), a.hi >> (Rows * n)}
}
