package petteia

import (
	"math/bits"
	"slices"

	"ludoteca/games"
)

// captureRank is the rank of a move for each man that it captures, more than that of any other.
const (
	captureRank = 1_000
	winRank     = 90_000
	lostRank    = -900
)

// Moves appends all legal moves: from each man outward, until somebody stands in the way.
func (n *Search) Moves(dst []games.Ranked) []games.Ranked {
	if n.over {
		return dst
	}
	first := len(dst)
	dst = slices.Grow(dst, army*reach+atOnce)
	list := dst[first:cap(dst)]
	men, occupied := n.men[n.turn], n.occupied()
	count := 0
	for c, ok := men.next(); ok; c, ok = men.next() {
		men = men.without(only(c))
		count = rays(list, count, c, occupied.inColumn(c), occupied.inRow(c))
	}
	dst = dst[:first+count]
	if captures := n.look().captures; captures != (set{}) || !n.rules.safeEntry {
		n.rankAll(dst[first:], captures)
	}
	return dst
}

func (n *Search) occupied() set { return n.men[0].with(n.men[1]) }

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

// rays puts the moves of the man on cell c into the list from a place on and returns the place after them: to the left,
// down, up, to the right, outward each, as far as the cells of his column and his row are free. The codes from a cell are in
// the order of their targets: the columns to the left, the own column, the columns to the right.
func rays(list []games.Ranked, at int, c Cell, column uint8, inRow uint16) int {
	col, row, code := c.Col(), c.Row(), games.Code(c)*reach
	left, down, up, right := free(c, column, inRow)
	at = ray(list, at, left, code+games.Code(col)-1, -1)
	at = ray(list, at, down, code+games.Code(col+row)-1, -1)
	at = ray(list, at, up, code+games.Code(col+row), 1)
	return ray(list, at, right, code+games.Code(col)+Rows-1, 1)
}

// free returns how many cells next to c are free in each direction.
func free(c Cell, column uint8, inRow uint16) (left, down, up, right int) {
	col, row := c.Col(), c.Row()
	return col - bits.Len16(inRow&(1<<col-1)),
		row - bits.Len8(column&(1<<row-1)),
		bits.TrailingZeros8(column>>(row+1) | 1<<(Rows-1-row)),
		bits.TrailingZeros16(inRow>>(col+1) | 1<<(Cols-1-col))
}

// atOnce is how many moves of a ray are written at a time.
const atOnce = 4

// ray puts a number of moves into the list whose codes follow each other by a step. It writes some too many, which those
// that come next overwrite: that is faster than to guess where each of the many short rays ends.
func ray(list []games.Ranked, at, moves int, code games.Code, step int) int {
	by := games.Code(step)
	for written := 0; ; written += atOnce {
		some := (*[atOnce]games.Ranked)(list[at+written:])
		some[0] = games.Ranked{Code: code}
		some[1] = games.Ranked{Code: code + by}
		some[2] = games.Ranked{Code: code + 2*by}
		some[3] = games.Ranked{Code: code + 3*by}
		code += atOnce * by
		if written+atOnce >= moves {
			return at + moves
		}
	}
}

// rankAll ranks the moves to cells where something is captured, or all if a man may be lost anywhere.
func (n *Search) rankAll(moves []games.Ranked, captures set) {
	for i := range moves {
		m := &moves[i]
		if !n.rules.safeEntry || captures.meets(only(steps[m.Code].to)) {
			m.Rank = n.rank(m.Code)
		}
	}
}

// rank says what a move captures and loses.
func (n *Search) rank(code games.Code) int32 {
	st := &steps[code]
	own := n.men[n.turn].without(only(st.from)).with(only(st.to))
	enemy := n.men[n.turn.Other()]
	prey := caught(st.to, own, enemy)
	got := prey.len()
	if int(n.taken[n.turn])+got >= n.rules.toWin {
		return winRank
	}
	rank := int32(got) * captureRank
	if !n.rules.safeEntry && flanked(st.to, enemy.without(prey)) {
		rank += lostRank
	}
	return rank
}

// Best returns the move that captures most.
func (n *Search) Best(least int32) (c games.Code, ok bool) {
	if n.look().captures == (set{}) {
		return 0, false
	}
	var few [army]games.Ranked // enough for most positions
	list, _ := n.Noisy(few[:0])
	best := list[0]
	for _, m := range list[1:] {
		if m.Rank > best.Rank || m.Rank == best.Rank && listed(m.Code) < listed(best.Code) {
			best = m
		}
	}
	return best.Code, best.Rank >= least
}

// Legal reports whether c is the code of a legal move here.
func (n *Search) Legal(c games.Code) bool {
	return c < games.Code(len(steps)) && n.men[n.turn].meets(only(steps[c].from)) && steps[c].free(n.occupied())
}

// Forced reports whether there is exactly one legal move.
func (n *Search) Forced() bool { return n.look().moves == 1 }

// listed returns a number for a move by which moves are in the order of rays.
func listed(code games.Code) games.Code {
	from := code / reach
	col, row, to := from/Rows, from%Rows, code%reach
	switch {
	case to < col:
		to = col - 1 - to
	case to < col+row:
		to = 2*col + row - 1 - to
	}
	return from*reach + to
}

// Noisy appends the captures: to each empty cell where one is made, from wherever a man can come straight to it. Those are the
// first men in each direction, if they are of the side to move; their cells are in ascending order.
func (n *Search) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	if n.over {
		return dst, false
	}
	captures := n.look().captures
	for c, ok := captures.next(); ok; c, ok = captures.next() {
		captures = captures.without(only(c))
		occupied := n.occupied()
		col, row := c.Col(), c.Row()
		left, down, up, right := free(c, occupied.inColumn(c), occupied.inRow(c))
		dst = n.approach(dst, left < col, int(c)-Rows*(left+1), col+Rows-2)
		dst = n.approach(dst, down < row, int(c)-(down+1), col+row-1)
		dst = n.approach(dst, up < Rows-1-row, int(c)+(up+1), col+row)
		dst = n.approach(dst, right < Cols-1-col, int(c)+Rows*(right+1), col)
	}
	return dst, false
}

// approach appends one of the moves from a cell if it is on the board and a man of the side to move stands there.
func (n *Search) approach(dst []games.Ranked, onBoard bool, from, move int) []games.Ranked {
	if !onBoard || !n.men[n.turn].meets(only(Cell(from))) {
		return dst
	}
	code := games.Code(from*reach + move)
	return append(dst, games.Ranked{Code: code, Rank: n.rank(code)})
}
