package tanks

import "ludoteca/games"

// Position is an immutable position of Breakthrough Tanks. Besides games.Position it has what is needed to draw it.
type Position struct {
	games.Snapshot
	s *State // the same state
}

var (
	_ games.Position = (*Position)(nil)
	_ games.Greedy   = (*Position)(nil)
)

// Freeze returns the present position without a copy.
func (s *State) Freeze() games.Position {
	s.tidy()
	s.past = nil
	return &Position{games.SnapshotOf(s), s}
}

// Options returns the complete options.
func (p *Position) Options() games.Options { return games.Options{optSize: int(p.s.size)} }

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
