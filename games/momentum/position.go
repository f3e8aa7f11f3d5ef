package momentum

import (
	"math/bits"

	"ludoteca/games"
)

type game struct{}

// New returns the game of Momentum.
func New() games.Game { return game{} }

// About describes the game.
func (game) About() *games.About { return &about }

// Check accepts everything: all sizes go with all numbers of marbles.
func (game) Check(games.Options) error { return nil }

// Longest returns the fixed limit of moves.
func (game) Longest(games.Options) (plies int, bounded bool) { return Limit, true }

// New returns the position in which a game begins.
func (g game) New(o games.Options) (games.Position, error) {
	o, err := games.Complete(g, o)
	if err != nil {
		return nil, err
	}
	return &Position{State{rules: newRules(o)}}, nil
}

// Position is an immutable position of Momentum. Besides games.Position it has what is needed to draw it.
type Position struct{ s State }

var (
	_ games.Position = (*Position)(nil)
	_ games.Greedy   = (*Position)(nil)
	_ games.Uniform  = (*Position)(nil)
)

// Turn is the side to move.
func (p *Position) Turn() games.Side { return p.s.turn }

// Result says whether the game is over.
func (p *Position) Result() games.Result { return p.s.Result() }

// Options returns the complete options.
func (p *Position) Options() games.Options { return p.s.rules.options }

// State returns a new mutable copy.
func (p *Position) State() games.State { return p.s.Clone() }

// Legal returns the legal moves as sorted text.
func (p *Position) Legal() []games.Move { return games.LegalMoves(&p.s) }

// Play makes a move given in canonical text.
func (p *Position) Play(m games.Move) (games.Position, error) {
	at, err := p.s.find(m)
	if err != nil {
		return nil, err
	}
	next := p.s.clone()
	next.Play(games.Code(at))
	return next.Position(), nil
}

// Size is the number of cells along a side of the board, 7 to 13.
func (p *Position) Size() int { return p.s.rules.size }

// Marbles is the number of marbles each player owns, 6 to 12.
func (p *Position) Marbles() int { return p.s.rules.each }

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

// CanSwap says whether swap is a legal move.
func (p *Position) CanSwap() bool { return p.s.canSwap() }

// Forced returns the drops among which the player to move must choose because the opponent has one marble left,
// sorted, or none if the choice is free.
func (p *Position) Forced() []games.Move {
	if !p.s.enemyNear() {
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
	at, err := p.s.find(m)
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
