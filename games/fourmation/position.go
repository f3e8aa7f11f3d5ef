package fourmation

import (
	"slices"

	"ludoteca/games"
)

// Position is an immutable position of 4Mation. Besides games.Position it has what is needed to draw it.
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

// Options returns the complete options.
func (p *Position) Options() games.Options {
	return games.Options{optCols: int(p.s.cols), optRows: int(p.s.rows), optWin: int(p.s.win)}
}

// Size returns the number of columns and of rows, 3 to 26 each.
func (p *Position) Size() (cols, rows int) { return int(p.s.cols), int(p.s.rows) }

// WinLength is the number of pieces in a line that wins, 3 to 26.
func (p *Position) WinLength() int { return int(p.s.win) }

// At returns whose piece is in a cell, and whether there is one. Column and row are counted from 0, row 0 at the
// bottom; outside the board there is none.
func (p *Position) At(col, row int) (side games.Side, held bool) {
	if !p.s.contains(col, row) {
		return games.First, false
	}
	return p.s.at(col, row)
}

// Last returns the cell of the previous move, which the next one must touch. ok is false on the empty board.
func (p *Position) Last() (col, row int, ok bool) {
	if p.s.cell == none {
		return 0, 0, false
	}
	return cell(p.s.cell).col(), cell(p.s.cell).row(), true
}

// Line returns the cells of the lines that have won the game, sorted as text; none if no line has. There are several
// lines if the last piece has closed them at once.
func (p *Position) Line() []games.Move {
	if p.s.Reason != byLine {
		return nil
	}
	last, winner := cell(p.s.cell), p.s.turn.Other()
	var cells []games.Move
	for axis, k := range p.s.runs(last, winner) {
		if k < int(p.s.win) {
			continue
		}
		step := steps[axis]
		c := last
		for p.holds(c.col()-step.col, c.row()-step.row, winner) {
			c = at(c.col()-step.col, c.row()-step.row)
		}
		for ; k > 0; k-- {
			cells = append(cells, games.Move(c.String()))
			c = at(c.col()+step.col, c.row()+step.row)
		}
	}
	slices.Sort(cells)
	return slices.Compact(cells)
}

// steps are the ways along the axes, in the order of State.lines.
var steps = [axes]struct{ col, row int }{{1, 0}, {0, 1}, {1, 1}, {1, -1}}

func (p *Position) holds(col, row int, side games.Side) bool {
	owner, held := p.At(col, row)
	return held && owner == side
}
