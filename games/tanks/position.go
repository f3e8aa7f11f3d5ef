package tanks

import (
	"slices"
	"strings"

	"ludoteca/games"
)

type game struct{}

// New returns the game of Breakthrough Tanks.
func New() games.Game { return game{} }

// About describes the game.
func (game) About() *games.About { return &about }

// Check accepts everything: there is one option only.
func (game) Check(games.Options) error { return nil }

// Longest follows from the rows that all tanks together can advance. A game always ends.
func (game) Longest(o games.Options) (plies int, bounded bool) {
	return 2*o[optSize]*(2*o[optSize]-5) + 1, true
}

// New returns the position in which a game begins.
func (g game) New(o games.Options) (games.Position, error) {
	o, err := games.Complete(g, o)
	if err != nil {
		return nil, err
	}
	return &Position{*start(o[optSize])}, nil
}

// Position is an immutable position of Breakthrough Tanks. Besides games.Position it has what is needed to draw it.
type Position struct{ s State } // always tidy

var (
	_ games.Position = (*Position)(nil)
	_ games.Greedy   = (*Position)(nil)
)

// Position returns the present position.
func (s *State) Position() games.Position {
	p := &Position{*s.clone()}
	p.s.tidy()
	return p
}

// Turn is the side to move; after the end, the side that would have been.
func (p *Position) Turn() games.Side { return p.s.turn }

// Result says whether the game is over.
func (p *Position) Result() games.Result { return p.s.Result() }

// State returns a new mutable copy.
func (p *Position) State() games.State { return p.s.Clone() }

// Options returns the complete options.
func (p *Position) Options() games.Options { return games.Options{optSize: int(p.s.size)} }

// Legal returns the legal moves as sorted text.
func (p *Position) Legal() []games.Move { return games.LegalMoves(&p.s) }

// Play makes a move given in canonical text.
func (p *Position) Play(m games.Move) (games.Position, error) {
	c, err := p.s.Code(m)
	if err != nil {
		return nil, err
	}
	next := p.s.clone()
	next.Play(c)
	return next.Position(), nil
}

// Size is the number of cells along a side of the board, 6 to 26.
func (p *Position) Size() int { return int(p.s.size) }

// At returns whose tank is in a cell, its kind, and whether there is one. Column and row are counted from 0, row 0 at the
// bottom; outside the board there is none.
func (p *Position) At(col, row int) (side games.Side, kind Kind, held bool) {
	if !p.s.contains(col, row) {
		return games.First, 0, false
	}
	side, t, held := p.s.tankAt(at(col, row))
	return side, t.kind(), held
}

// Count returns how many tanks of a kind a side has left.
func (p *Position) Count(side games.Side, kind Kind) int {
	n := 0
	for _, t := range p.s.armies[side%2].list() {
		if t.kind() == kind {
			n++
		}
	}
	return n
}

// A Target is a cell where a tank can go.
type Target struct {
	Col, Row int // counted from 0, row 0 at the bottom
	Capture  bool
	Move     games.Move
}

// Targets returns the cells where the tank in a cell can go, sorted by move; none if there is no tank of the player to
// move, or the game is over.
func (p *Position) Targets(col, row int) []Target {
	var targets []Target
	for _, c := range p.s.Moves(nil) {
		from, to := cells(c)
		if from.col() == col && from.row() == row {
			targets = append(targets, Target{to.col(), to.row(), p.s.board[to] != empty, p.s.Move(c)})
		}
	}
	slices.SortFunc(targets, func(a, b Target) int { return strings.Compare(string(a.Move), string(b.Move)) })
	return targets
}
