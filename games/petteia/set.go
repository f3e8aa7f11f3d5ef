package petteia

import "math/bits"

// A set is a set of cells, one bit a cell: columns a to h in lo, i to l in hi. Small enough for registers, and the two
// sides of a board together fill 192 bits without a gap, which is what the repetition rule has to remember.
type set struct {
	lo uint64
	hi uint32
}

// only returns the set of the cell c alone. Shifts by more than a word's length give 0.
func only(c Cell) set { return set{1 << c, 1 << (c - 64)} }

func (a set) and(b set) set     { return set{a.lo & b.lo, a.hi & b.hi} }
func (a set) with(b set) set    { return set{a.lo | b.lo, a.hi | b.hi} }
func (a set) without(b set) set { return set{a.lo &^ b.lo, a.hi &^ b.hi} }

// meets reports whether a and b have a cell in common.
func (a set) meets(b set) bool { return a.lo&b.lo|uint64(a.hi&b.hi) != 0 }

// within reports whether every cell of a is in b.
func (a set) within(b set) bool { return a.lo&^b.lo|uint64(a.hi&^b.hi) == 0 }

func (a set) len() int { return bits.OnesCount64(a.lo) + bits.OnesCount32(a.hi) }

// next returns the lowest cell of a; ok is false if there is none.
func (a set) next() (c Cell, ok bool) {
	if a.lo != 0 {
		return Cell(bits.TrailingZeros64(a.lo)), true
	}
	return Cell(64 + bits.TrailingZeros32(a.hi)), a.hi != 0
}

// slice returns the cells of a in ascending order.
func (a set) slice() []Cell {
	var cs []Cell
	for c, ok := a.next(); ok; c, ok = a.next() {
		cs = append(cs, c)
		a = a.without(only(c))
	}
	return cs
}

// inRow returns the cells of a in the row of c, column a in the lowest bit. The multiplications bring the bits of eight
// columns together.
func (a set) inRow(c Cell) uint16 {
	const first = 0x0101010101010101 // the bottom row
	row := c % Rows
	lo := (a.lo >> row & first) * 0x0102040810204080 >> 56
	hi := uint64(a.hi) >> row & first * 0x0102040810204080 >> 56
	return uint16(lo | hi<<8)
}

// inColumn returns the cells of a in the column of c, the bottom one in the lowest bit.
func (a set) inColumn(c Cell) uint8 {
	if c < 64 {
		return uint8(a.lo >> (c &^ (Rows - 1)))
	}
	return uint8(a.hi >> (c&^(Rows-1) - 64))
}

// Whole sets of cells move at once here. A cell is 8 times its column plus its row, so a step up is one bit up and a step
// to the right is eight.

// everywhere is all cells; the bits above are none.
var everywhere = set{^uint64(0), 1<<(cells-64) - 1}

// Cells that a step up or down may come to: not from the end of one column to the beginning of the next.
const (
	notBottom = 0xfefefefefefefefe
	notTop    = 0x7f7f7f7f7f7f7f7f
)

func (a set) up() set   { return set{a.lo << 1 & notBottom, a.hi << 1 & (notBottom & (1<<32 - 1))} }
func (a set) down() set { return set{a.lo >> 1 & notTop, a.hi >> 1 & (notTop & (1<<32 - 1))} }

func (a set) right() set { return set{a.lo << Rows, a.hi<<Rows | uint32(a.lo>>(64-Rows))} }
func (a set) left() set  { return set{a.lo>>Rows | uint64(a.hi)<<(64-Rows), a.hi >> Rows} }

// spread returns the cells that touch some of a.
func spread(a set) set { return a.up().with(a.down()).with(a.left()).with(a.right()) }

// captureCells returns the cells where a man of the mover that comes there captures: an enemy beside it, and behind the
// enemy, in the same direction, another man of the mover.
func captureCells(mover, enemy set) set {
	return mover.down().and(enemy).down().
		with(mover.up().and(enemy).up()).
		with(mover.left().and(enemy).left()).
		with(mover.right().and(enemy).right())
}

// slides returns the empty cells that the men of each side can come to, and how many moves they have: in each direction a
// cell can be reached by one man only, the nearest.
func slides(own, enemy set) (ownReach, enemyReach set, ownMoves, enemyMoves int) {
	empty := everywhere.without(own.with(enemy))
	ownUp, enemyUp := own.fillUp(empty), enemy.fillUp(empty)
	ownDown, enemyDown := fillDown(own, enemy, empty)
	ownRight, enemyRight := fillRight(own, enemy, empty)
	ownLeft, enemyLeft := fillLeft(own, enemy, empty)
	return ownUp.with(ownDown).with(ownRight).with(ownLeft),
		enemyUp.with(enemyDown).with(enemyRight).with(enemyLeft),
		total(ownUp, ownDown, ownRight, ownLeft),
		total(enemyUp, enemyDown, enemyRight, enemyLeft)
}

// total returns how many cells four sets have, each counted by itself.
func total(a, b, c, d set) int {
	return bits.OnesCount64(a.lo) + bits.OnesCount64(b.lo) + bits.OnesCount64(c.lo) + bits.OnesCount64(d.lo) +
		bits.OnesCount64(uint64(a.hi)<<32|uint64(b.hi)) + bits.OnesCount64(uint64(c.hi)<<32|uint64(d.hi))
}

// fillUp returns the empty cells above the men as far as the ways are free. To add the lowest cell of a way to the whole
// way makes a carry run through it, up to the cell after its end or into the top row, which no way that is added to has.
func (a set) fillUp(empty set) set {
	const hiTop = notTop & (1<<32 - 1)
	start := a.up().and(empty)
	lo := empty.lo&notTop ^ (empty.lo&notTop + start.lo&notTop) | start.lo
	hi := empty.hi&hiTop ^ (empty.hi&hiTop + start.hi&hiTop) | start.hi
	return empty.and(set{lo, hi})
}

// fillDown returns the empty cells below the men of each side as far as the ways are free. In each step of a fill the ways
// that are known grow to twice their length, so that there are no loops whose ends a processor has to guess (Kogge, Stone,
// 1973). What is free is the same for both sides.
func fillDown(own, enemy, empty set) (set, set) {
	free := empty.and(set{notTop, notTop & (1<<32 - 1)})
	a, b := own.with(free.and(own.shifted(1))), enemy.with(free.and(enemy.shifted(1)))
	free = free.and(free.shifted(1))
	a, b = a.with(free.and(a.shifted(2))), b.with(free.and(b.shifted(2)))
	free = free.and(free.shifted(2))
	a, b = a.with(free.and(a.shifted(4))), b.with(free.and(b.shifted(4)))
	return a.without(own), b.without(enemy)
}

// shifted moves the cells n rows down; cells that leave their column come to the top of the column before.
func (a set) shifted(n uint) set { return set{a.lo >> n, a.hi >> n} }

// fillRight is fillDown to the right, where a column is Rows bits and there are more of them.
func fillRight(own, enemy, empty set) (set, set) {
	a, b := own.with(empty.and(own.across(1))), enemy.with(empty.and(enemy.across(1)))
	free := empty.and(empty.across(1))
	a, b = a.with(free.and(a.across(2))), b.with(free.and(b.across(2)))
	free = free.and(free.across(2))
	a, b = a.with(free.and(a.across(4))), b.with(free.and(b.across(4)))
	free = free.and(free.across(4))
	return a.with(free.and(a.across(8))).without(own), b.with(free.and(b.across(8))).without(enemy)
}

// fillLeft is fillRight the other way.
func fillLeft(own, enemy, empty set) (set, set) {
	a, b := own.with(empty.and(own.back(1))), enemy.with(empty.and(enemy.back(1)))
	free := empty.and(empty.back(1))
	a, b = a.with(free.and(a.back(2))), b.with(free.and(b.back(2)))
	free = free.and(free.back(2))
	a, b = a.with(free.and(a.back(4))), b.with(free.and(b.back(4)))
	free = free.and(free.back(4))
	return a.with(free.and(a.back(8))).without(own), b.with(free.and(b.back(8))).without(enemy)
}

// across returns the cells n columns to the right, 1 to 8, and back those to the left.
func (a set) across(n uint) set {
	return set{a.lo << (Rows * n), a.hi<<(Rows*n) | uint32(a.lo>>(64-Rows*n))}
}

func (a set) back(n uint) set {
	return set{a.lo>>(Rows*n) | uint64(a.hi)<<(64-Rows*n), a.hi >> (Rows * n)}
}
