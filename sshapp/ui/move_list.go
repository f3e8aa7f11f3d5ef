package ui

import (
	"strconv"

	"ludoteca/games"
	"ludoteca/sshapp/text"
)

// A sheet is the list of moves beside a board.
type moveList struct {
	plies int                     // how many there are
	at    int                     // how many are on the board; the last of them stands out
	write func(ply int) string    // how the move after so many is written
	sign  func(ply int) styledRun // what stands behind it; nil: nothing
}

// signOf is what stands behind a move.
func (s moveList) signOf(ply int) styledRun {
	if s.sign == nil {
		return styledRun{}
	}
	return s.sign(ply)
}

// sheetOf lists moves as they are, all of them on the board.
func newMoveList(moves []games.Move) moveList {
	return moveList{plies: len(moves), at: len(moves), write: func(ply int) string { return string(moves[ply]) }}
}

// cells is the width of the widest of some moves.
func (s moveList) cells(from, to int) int {
	cells := 1
	for ply := from; ply < to; ply++ {
		cells = max(cells, len(s.write(ply))+len(s.signOf(ply).text))
	}
	return cells
}

// spansOfMove is of how many spans a move is made: its words, its sign, and spaces.
const spansOfMove = 3

// pair adds the two moves of a row to a line, as far as there are so many, in columns of the given width.
func (s moveList) pair(line []styledRun, t *theme, row, end, cells int) []styledRun {
	for ply := 2 * row; ply < min(2*row+2, end); ply++ {
		y, word, sign := t.plain, s.write(ply), s.signOf(ply)
		if ply == s.at-1 {
			y, sign.style = t.accent, t.accent
		}
		line = append(line, styledRun{y, word}, sign, styledRun{t.plain, text.Spaces(cells - len(word) - len(sign.text))})
	}
	return line
}

// drawMoves draws as many of the last moves on the board as there is room for. Below a board they run on.
func drawMoves(p *panel, t *theme, s moveList, beside bool) {
	p.gap()
	if s.plies == 0 || p.room() == 0 {
		return
	}
	if !beside {
		drawFlow(p, t, s)
		return
	}
	rows := (s.plies + 1) / 2
	top := max(rows-p.room(), 0)
	if s.at < s.plies { // a review: the move that is looked at stays in view
		top = max(min(top, (s.at-1)/2-p.room()/2), 0)
	}
	digits := len(strconv.Itoa(rows))
	cells := s.cells(2*top, min(2*(top+p.room()), s.plies))
	var room [1 + 2*spansOfMove]styledRun
	for row := top; row < rows && p.room() > 0; row++ {
		line := append(room[:0], styledRun{t.dim, text.FitLeft(strconv.Itoa(row+1), digits) + "  "})
		p.line(s.pair(line, t, row, s.plies, cells+2)...)
	}
}

// drawFlow draws the last moves on the board in running lines of as many pairs as fit.
func drawFlow(p *panel, t *theme, s moveList) {
	const between = 3
	last := (s.at + 1) / 2 // pairs up to there
	digits, cells := len(strconv.Itoa(last)), s.cells(max(s.at-2*p.width, 0), s.at)
	across := max(p.width/(digits+1+2*cells+1+between), 1)
	rows := (last + across - 1) / across
	var line []styledRun
	for pair := across * max(rows-p.room(), 0); pair < last && p.room() > 0; pair += across {
		line = line[:0]
		for i := pair; i < min(pair+across, last); i++ {
			line = append(line, styledRun{t.dim, text.FitLeft(strconv.Itoa(i+1), digits) + " "})
			line = s.pair(line, t, i, s.at, cells+1)
			line = append(line, styledRun{t.plain, text.Spaces(between - 1)})
		}
		p.line(line...)
	}
}
