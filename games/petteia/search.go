package petteia

import (
	"math/bits"

	"ludoteca/games"
	"ludoteca/games/board"
)

// The ranks of moves.
const (
	captureRank = 1_000 // for each man that a move captures
	winRank     = 90_000
	lostRank    = -900 // for the man that makes the move
)

// A Search is a State to search: it ranks moves and evaluates positions.
type Search struct {
	State
	facts   []facts // of the positions of the present line, the present one last
	weights [weightCount]int
	tables  games.Tables
}

var (
	_ games.Search = (*Search)(nil)
	_ games.Staged = (*Search)(nil)
)

// SearchWith returns the position to search, with an evaluation of the given weights.
func (s *State) SearchWith(values []int) games.Search {
	n := &Search{State: *s.clone(), facts: make([]facts, 1, 128)}
	n.past = make([]present, 0, cap(n.facts))
	copy(n.weights[:], values)
	return n
}

// Play makes a legal move.
func (n *Search) Play(c games.Code) {
	n.State.Play(c)
	n.facts = append(n.facts, facts{})
}

// Undo takes the last move or pass back.
func (n *Search) Undo() {
	n.State.Undo()
	n.facts = n.facts[:len(n.facts)-1]
}

// Pass gives the turn away.
func (n *Search) Pass() bool {
	if !n.Running() || n.rules.quietLimit > 0 && int(n.quiet) >= n.rules.quietLimit-1 {
		return false
	}
	n.past = append(n.past, n.present)
	n.quiet++
	n.turn = n.turn.Other()
	if n.rules.repetition > 0 {
		n.seen.Add(n.key())
	}
	n.facts = append(n.facts, facts{})
	return true
}

// Key hashes the men, the turn and the captures, and the quiet turns where the limit is near.
func (n *Search) Key() uint64 {
	k := board.Mix(n.men[0].lo ^ (uint64(n.turn)+1)*0x9e3779b97f4a7c15)
	k = board.Mix(k ^ n.men[1].lo)
	k = board.Mix(k ^ uint64(n.men[0].hi)<<32 ^ uint64(n.men[1].hi))
	k ^= uint64(n.taken[0])<<8 ^ uint64(n.taken[1])
	if limit := n.rules.quietLimit; limit > 0 && int(n.quiet) > limit-quietPlies {
		k ^= board.Mix(uint64(n.quiet))
	}
	return k
}

// quietPlies is how many quiet turns before the limit it begins to matter.
const quietPlies = 24

// Moves appends all legal moves: from each man outward, as far as the way is free.
func (n *Search) Moves(dst []games.Ranked) []games.Ranked {
	if !n.Running() {
		return dst
	}
	first := len(dst)
	men, occupied := n.men[n.turn], n.occupied()
	for c, ok := men.next(); ok; c, ok = men.next() {
		men = men.without(only(c))
		dst = appendMoves(dst, c, occupied)
	}
	if captures := n.look().captures; captures != (set{}) || !n.rules.safeEntry {
		n.rankAll(dst[first:], captures)
	}
	return dst
}

// appendMoves appends the moves of the man on cell c: to the left, down, up, to the right, outward each, as far as the cells
// of its column and its row are free. The codes from a cell are in the order of their targets: the columns to the left, the
// own column, the columns to the right.
func appendMoves(dst []games.Ranked, c Cell, occupied set) []games.Ranked {
	col, row, code := c.Col(), c.Row(), games.Code(c)*stepsOfCell
	left, down, up, right := free(c, occupied.inColumn(c), occupied.inRow(c))
	for i := range games.Code(left) {
		dst = append(dst, games.Ranked{Code: code + games.Code(col) - 1 - i})
	}
	for i := range games.Code(down) {
		dst = append(dst, games.Ranked{Code: code + games.Code(col+row) - 1 - i})
	}
	for i := range games.Code(up) {
		dst = append(dst, games.Ranked{Code: code + games.Code(col+row) + i})
	}
	for i := range games.Code(right) {
		dst = append(dst, games.Ranked{Code: code + games.Code(col) + Rows - 1 + i})
	}
	return dst
}

// free returns how many cells next to c are free in each direction.
func free(c Cell, column uint8, inRow uint16) (left, down, up, right int) {
	col, row := c.Col(), c.Row()
	return col - bits.Len16(inRow&(1<<col-1)),
		row - bits.Len8(column&(1<<row-1)),
		bits.TrailingZeros8(column>>(row+1) | 1<<(Rows-1-row)),
		bits.TrailingZeros16(inRow>>(col+1) | 1<<(Cols-1-col))
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
	captured, lost := n.outcomeOf(code)
	count := captured.len()
	if int(n.taken[n.turn])+count >= n.rules.toWin {
		return winRank
	}
	rank := int32(count) * captureRank
	if lost {
		rank += lostRank
	}
	return rank
}

// Best returns the move that captures most.
func (n *Search) Best(least int32) (c games.Code, ok bool) {
	if n.look().captures == (set{}) {
		return 0, false
	}
	var few [maxMen]games.Ranked // enough for most positions
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
	from := code / stepsOfCell
	col, row, to := from/Rows, from%Rows, code%stepsOfCell
	switch {
	case to < col:
		to = col - 1 - to
	case to < col+row:
		to = 2*col + row - 1 - to
	}
	return from*stepsOfCell + to
}

// Noisy appends the captures: to each empty cell where a move captures, from each man that can go straight there. Such a man is the
// first in its direction, and of the side to move. The cells are in ascending order.
func (n *Search) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	if !n.Running() {
		return dst, false
	}
	captures := n.look().captures
	for c, ok := captures.next(); ok; c, ok = captures.next() {
		captures = captures.without(only(c))
		occupied := n.occupied()
		col, row := c.Col(), c.Row()
		left, down, up, right := free(c, occupied.inColumn(c), occupied.inRow(c))
		dst = n.addFrom(dst, left < col, int(c)-Rows*(left+1), col+Rows-2)
		dst = n.addFrom(dst, down < row, int(c)-(down+1), col+row-1)
		dst = n.addFrom(dst, up < Rows-1-row, int(c)+(up+1), col+row)
		dst = n.addFrom(dst, right < Cols-1-col, int(c)+Rows*(right+1), col)
	}
	return dst, false
}

// addFrom appends one of the moves from a cell if it is on the board and a man of the side to move stands there.
func (n *Search) addFrom(dst []games.Ranked, onBoard bool, from, move int) []games.Ranked {
	if !onBoard || !n.men[n.turn].meets(only(Cell(from))) {
		return dst
	}
	code := games.Code(from*stepsOfCell + move)
	return append(dst, games.Ranked{Code: code, Rank: n.rank(code)})
}
