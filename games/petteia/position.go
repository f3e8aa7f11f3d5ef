package petteia

import (
	"ludoteca/games"
)

// A Position is an immutable position of a game: a State that never changes. It implements games.Position and
// games.Greedy; the other methods are for drawing the board.
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
	s.past = nil
	return &Position{games.SnapshotOf(s), s}
}

// Options returns the complete options of the game, which the caller must not change.
func (p *Position) Options() games.Options { return p.s.rules.options }

// At returns whose man stands on cell c; man is false for an empty cell.
func (p *Position) At(c Cell) (side games.Side, man bool) {
	switch {
	case p.s.men[games.First].meets(only(c)):
		return games.First, true
	case p.s.men[games.Second].meets(only(c)):
		return games.Second, true
	}
	return games.First, false
}

// Captured returns how many men a side has captured.
func (p *Position) Captured(side games.Side) int { return int(p.s.taken[side]) }

// ToWin returns the number of captures that wins.
func (p *Position) ToWin() int { return p.s.rules.toWin }

// SafeEntry reports whether a man may move between two enemies and stays.
func (p *Position) SafeEntry() bool { return p.s.rules.safeEntry }

// Quiet returns the number of turns since the last capture, and the number that ends the game as a draw: 0 if none does.
func (p *Position) Quiet() (turns, limit int) { return int(p.s.quiet), p.s.rules.quietLimit }

// Occurrences returns how often this position has come up in the game, this time included, and how often makes a draw.
// Both are 0 if the repetition rule is off.
func (p *Position) Occurrences() (times, limit int) { return p.s.seen.Times(), p.s.rules.repetition }

// Captures returns the cells of the men that a move would capture, in ascending order; none if the move is illegal.
func (p *Position) Captures(m games.Move) []Cell {
	code, err := p.s.Code(m)
	if err != nil {
		return nil
	}
	captured, _ := p.s.outcomeOf(code)
	return captured.slice()
}

// Loses reports whether a move would lose the man that makes it; false if the move is illegal.
func (p *Position) Loses(m games.Move) bool {
	code, err := p.s.Code(m)
	if err != nil {
		return false
	}
	_, lost := p.s.outcomeOf(code)
	return lost
}
