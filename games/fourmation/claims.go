package fourmation

import (
	"slices"

	"ludoteca/games"
)

// The kinds of claims about mistakes.
const (
	// LineOpen: the cell in Cells is empty after the move played, and one piece of the other side on it completes a line there. Move, the better
	// move, would have taken that cell. Count is the length of a line.
	LineOpen = "line_open"

	// LineMissed: after Move, one more piece of the side that moved would have completed a line on any of Cells; before it, on none of
	// them. After the move played there is no such new cell.
	LineMissed = "line_missed"
)

var _ games.Explainer = (*Position)(nil)

// completing returns the empty cells, sorted as text, on which one piece of a side completes a line.
func (p *Position) completing(side games.Side) (cells []string) {
	cols, rows := p.Size()
	for row := range rows {
		for col := range cols {
			if _, held := p.At(col, row); !held && p.completes(col, row, side) {
				cells = append(cells, at(col, row).String())
			}
		}
	}
	slices.Sort(cells)
	return cells
}

// completes reports whether a piece of a side on an empty cell would complete a line.
func (p *Position) completes(col, row int, side games.Side) bool {
	for _, step := range steps {
		n := 1
		for i := 1; p.holds(col+i*step.col, row+i*step.row, side); i++ {
			n++
		}
		for i := 1; p.holds(col-i*step.col, row-i*step.row, side); i++ {
			n++
		}
		if n >= p.WinLength() {
			return true
		}
	}
	return false
}

// Explain says which lines a move leaves open or fails to begin.
func (p *Position) Explain(played, better games.Move) (claims []games.Claim) {
	did, err := p.Play(played)
	if err != nil {
		return nil
	}
	could, err := p.Play(better)
	if err != nil {
		return nil
	}
	side := p.Turn()
	if slices.Contains(did.(*Position).completing(side.Other()), string(better)) {
		claims = append(claims, games.Claim{Kind: LineOpen, Move: better, Cells: []string{string(better)}, Count: p.WinLength()})
	}
	had := p.completing(side)
	if len(fresh(did, had, side)) == 0 {
		if cells := fresh(could, had, side); len(cells) > 0 {
			claims = append(claims, games.Claim{Kind: LineMissed, Move: better, Cells: cells, Count: p.WinLength()})
		}
	}
	return claims
}

// fresh returns the cells on which a side completes a line after a move, without those on which it did before.
func fresh(p games.Position, had []string, side games.Side) []string {
	return slices.DeleteFunc(p.(*Position).completing(side), func(c string) bool { return slices.Contains(had, c) })
}
