package momentum

import (
	"math/bits"

	"ludoteca/games"
)

// Position is an immutable position of Momentum. Besides games.Position it has what is needed to draw it.
type Position struct {
	games.Snapshot
	s *State // the same state
}

var (
	_ games.Position = (*Position)(nil)
	_ games.Greedy   = (*Position)(nil)
	_ games.Uniform  = (*Position)(nil)
)

// Freeze returns the present position without a copy.
func (s *State) Freeze() games.Position {
	s.past = nil
	return &Position{games.SnapshotOf(s), s}
}

// Options returns the complete options.
func (p *Position) Options() games.Options { return p.s.rules.options }

// Size is the number of cells along a side of the board, 7 to 13.
func (p *Position) Size() int { return p.s.rules.size }

// At returns whose marble is in a cell, and whether there is one. Column and row are counted from 0, row 0 at the
// bottom; outside the board there is none.
func (p *Position) At(col, row int) (side games.Side, held bool) {
	if min(col, row) < 0 || max(col, row) >= p.s.rules.size {
		return games.First, false
	}
	at := squareAt(col, row)
	return p.s.owner(at), p.s.held.has(at)
}

// Hand is the number of marbles that a side has not on the board. The announcement of one marble left is due when it
// is 1.
func (p *Position) Hand(side games.Side) int { return p.s.rules.each - p.s.placed[side] }

// Ply is the number of moves made, 0 to Limit.
func (p *Position) Ply() int { return int(p.s.ply) }

// CanSwap reports whether swap is a legal move.
func (p *Position) CanSwap() bool { return p.s.canSwap() }

// Forced returns the drops among which the player to move must choose because the opponent has one marble left,
// sorted, or none if the choice is free.
func (p *Position) Forced() []games.Move {
	if !p.s.enemyHasOneLeft() {
		return nil
	}
	if drops := p.s.forced(); drops.n == 0 {
		return nil
	}
	return p.Legal()
}

// A Push is one marble that a drop moves.
type Push struct {
	Side games.Side // whose marble it is
	From games.Move // the cell it leaves
	To   games.Move // the cell it comes to; empty if it goes off the board, to the hand of its owner
}

// Pushes returns the marbles that the drop m would move, one for each direction in which there are any, from below
// left to above right. There are none for a swap and for an illegal move.
func (p *Position) Pushes(m games.Move) []Push {
	c, err := p.s.Code(m)
	at := square(c)
	if err != nil || at == swap {
		return nil
	}
	var pushes []Push
	for near := p.s.held.near(at); near != 0; near &= near - 1 {
		last, beyond := p.s.line(at, directions[bits.TrailingZeros32(near)])
		push := Push{Side: p.s.owner(last), From: cellText(last)}
		if p.s.rules.board.has(beyond) {
			push.To = cellText(beyond)
		}
		pushes = append(pushes, push)
	}
	return pushes
}
