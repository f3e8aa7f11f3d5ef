package momentum

import (
	"math/bits"

	"ludoteca/games"
)

// Position is an immutable position of Momentum. Besides games.Position it has what is needed to draw it.
type Position struct {
	games.Snapshot
	s core // the same state
}

// A core is a state of either kind as positions and texts see it. Columns and rows are counted from 0 at the lower left.
type core interface {
	games.State

	set() *settings
	stand() *standing

	// at returns whose marble is on a cell of the board, and whether there is one.
	at(col, row int) (side games.Side, held bool)

	// place puts a marble on an empty cell.
	place(col, row int, side games.Side)

	// dropOn returns the code of a drop.
	dropOn(col, row int) games.Code

	// forcedDrops returns the drops among which the side to move must choose; none if its choice is free.
	forcedDrops() []games.Code

	// pushes returns what a drop moves, from below left to above right.
	pushes(drop games.Code) []Push

	// onRim returns how many marbles of side are where a push can take them off.
	onRim(side games.Side) int
}

var (
	_ core = (*State)(nil)
	_ core = (*wideState)(nil)
)

// blank returns the state of the empty board before the first move.
func blank(o games.Options) core {
	if o[optSize] <= stateSize && o[optMarbles] <= stateMarbles {
		return &State{rules: newRules(o)}
	}
	return newWideState(o)
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
func (p *Position) Options() games.Options { return p.s.set().options }

// Size is the number of cells along a side of the board, 7 to 26.
func (p *Position) Size() int { return p.s.set().size }

// At returns whose marble is in a cell, and whether there is one. Column and row are counted from 0, row 0 at the
// bottom; outside the board there is none.
func (p *Position) At(col, row int) (side games.Side, held bool) {
	if min(col, row) < 0 || max(col, row) >= p.Size() {
		return games.First, false
	}
	return p.s.at(col, row)
}

// Hand is the number of marbles that a side has not on the board. The announcement of one marble left is due when it
// is 1.
func (p *Position) Hand(side games.Side) int { return p.s.set().each - p.s.stand().placed[side] }

// Ply is the number of moves made, 0 to Limit.
func (p *Position) Ply() int { return int(p.s.stand().ply) }

// CanSwap reports whether swap is a legal move.
func (p *Position) CanSwap() bool { return p.s.stand().canSwap() }

// Forced returns the drops among which the player to move must choose because the opponent has one marble left,
// sorted, or none if the choice is free.
func (p *Position) Forced() []games.Move {
	if len(p.s.forcedDrops()) == 0 {
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
	if err != nil || m == swapText {
		return nil
	}
	return p.s.pushes(c)
}

func (s *State) set() *settings   { return &s.rules.settings }
func (s *State) stand() *standing { return &s.standing }

func (s *State) at(col, row int) (side games.Side, held bool) {
	at := squareAt(col, row)
	return s.owner(at), s.held.has(at)
}

func (s *State) place(col, row int, side games.Side) { s.put(squareAt(col, row), side) }

func (s *State) dropOn(col, row int) games.Code { return games.Code(squareAt(col, row)) }

func (s *State) forcedDrops() []games.Code {
	if !s.Running() || !s.enemyHasOneLeft(s.rules.each) {
		return nil
	}
	drops := s.forced()
	return drops.appendTo(nil)
}

func (s *State) pushes(drop games.Code) []Push {
	var pushes []Push
	at := square(drop)
	for near := s.held.near(at); near != 0; near &= near - 1 {
		last, beyond := s.line(at, directions[bits.TrailingZeros32(near)])
		push := Push{Side: s.owner(last), From: cellText(last)}
		if s.rules.board.has(beyond) {
			push.To = cellText(beyond)
		}
		pushes = append(pushes, push)
	}
	return pushes
}
