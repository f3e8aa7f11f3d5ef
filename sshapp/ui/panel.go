package ui

import (
	"slices"
	"strconv"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/widget"
)

// A styledRun is text in a style.
type styledRun struct {
	style canvas.Style
	text  string
}

// A styledLine is a line of a panel.
type styledLine []styledRun

// A panel is the lines that stand beside or below a board: the players, how things stand, the moves.
type panel struct {
	width, height int
	lines         []styledLine
	gapped        bool // the last line is empty
}

func newPanel(width, height int) panel {
	return panel{width: width, height: height, lines: make([]styledLine, 0, max(height, 0))}
}

// line adds a line. Lines below the panel's height are left out.
func (p *panel) line(runs ...styledRun) {
	if len(p.lines) >= p.height {
		return
	}
	p.lines = append(p.lines, slices.Clone(runs))
	p.gapped = len(runs) == 0
}

// wrap adds words in as many lines as they need, indented.
func (p *panel) wrap(y canvas.Style, indent int, words string) {
	for _, line := range text.Wrap(words, p.width-indent) {
		p.line(styledRun{y, text.Spaces(indent) + line})
	}
}

// gap adds an empty line between others, if there is room for more than that.
func (p *panel) gap() {
	if n := len(p.lines); n > 0 && n+1 < p.height && !p.gapped {
		p.line()
	}
}

// room returns how many lines are left.
func (p *panel) room() int { return p.height - len(p.lines) }

// addPlayers adds both players with rating and what the game counts. turn is the side to move, which has a mark; -1 for none.
func (p *panel) addPlayers(t *widget.Theme, say text.Say, scene *boardview.Scene, names, ratings [2]string, turn int, beside bool) {
	for i, name := range names {
		side := games.Side(i)
		mark, y := " ", t.Plain
		if i == turn {
			mark, y = t.Pick, t.Bold
		}
		token := scene.Token(side, t.ASCII)
		standing, reserve := scene.Standing(say, side), scene.Reserve(side, t.ASCII)
		below := ""
		if beside {
			below = standing + prefixed("  ", reserve)
			standing, reserve = "", ""
		}
		room := p.width - text.Width(t.Pick+token) - 2
		name, tail := fitPlayer(room, name, prefixed("  ", ratings[i]), prefixed(t.Dot, standing), prefixed("  ", reserve))
		p.line(styledRun{t.Accent, mark}, styledRun{t.Plain, " "}, styledRun{sideStyle(t, side), token}, styledRun{t.Plain, " "},
			styledRun{y, name}, styledRun{t.Dim, tail})
		if below != "" {
			p.line(styledRun{t.Dim, "    " + below})
		}
	}
}

// prefixed returns words with something before them, or nothing.
func prefixed(before, words string) string {
	if words == "" {
		return ""
	}
	return before + words
}

// fitPlayer makes a name and what stands behind it fit into a line. What matters less is left out as a whole: the reserve,
// then the rating; then the name is cut.
func fitPlayer(width int, name, rating, standing, reserve string) (cut, tail string) {
	const shortest = 8 // of a name that has to make room
	for _, tail := range []string{rating + standing + reserve, rating + standing, standing} {
		if text.Width(name)+text.Width(tail) <= width {
			return name, tail
		}
	}
	if room := width - text.Width(standing); room >= shortest {
		return text.Cut(name, room), standing
	}
	return text.Cut(name, width), ""
}

// addHelp says where a match began, if not at the beginning, and what help was taken.
func (p *panel) addHelp(t *widget.Theme, say text.Say, v *lobby.View) {
	if v.Start > 0 {
		p.wrap(t.Dim, 0, say.T("It began after move %d.", v.Start))
	}
	if words := say.Helped(v.Helped); words != "" {
		p.wrap(t.Dim, 0, words)
	}
}

// A moveList is the list of moves beside a board.
type moveList struct {
	plies int                     // how many there are
	at    int                     // how many are on the board; the last of them stands out
	write func(ply int) string    // the text of the move after so many
	sign  func(ply int) styledRun // what stands behind it; nil: nothing
}

// newMoveList lists moves as they are, all of them on the board.
func newMoveList(moves []games.Move) moveList {
	return moveList{plies: len(moves), at: len(moves), write: func(ply int) string { return string(moves[ply]) }}
}

// signOf returns what stands behind a move.
func (l moveList) signOf(ply int) styledRun {
	if l.sign == nil {
		return styledRun{}
	}
	return l.sign(ply)
}

// cells returns the width of the widest of some moves.
func (l moveList) cells(from, to int) int {
	cells := 1
	for ply := from; ply < to; ply++ {
		cells = max(cells, len(l.write(ply))+len(l.signOf(ply).text))
	}
	return cells
}

// runsOfMove is of how many runs a move consists: its text, its sign, and spaces.
const runsOfMove = 3

// pair adds the two moves of a row to a line, as far as there are so many, in columns of the given width.
func (l moveList) pair(line []styledRun, t *widget.Theme, row, end, cells int) []styledRun {
	for ply := 2 * row; ply < min(2*row+2, end); ply++ {
		y, move, sign := t.Plain, l.write(ply), l.signOf(ply)
		if ply == l.at-1 {
			y, sign.style = t.Accent, t.Accent
		}
		line = append(line, styledRun{y, move}, sign, styledRun{t.Plain, text.Spaces(cells - len(move) - len(sign.text))})
	}
	return line
}

// addMoves adds as many of the last moves on the board as there is room for. Below a board they are running lines.
func (p *panel) addMoves(t *widget.Theme, l moveList, beside bool) {
	p.gap()
	if l.plies == 0 || p.room() == 0 {
		return
	}
	if !beside {
		p.addRunningMoves(t, l)
		return
	}
	rows := (l.plies + 1) / 2
	top := max(rows-p.room(), 0)
	if l.at < l.plies { // a review: the move that is looked at stays in view
		top = max(min(top, (l.at-1)/2-p.room()/2), 0)
	}
	digits := len(strconv.Itoa(rows))
	cells := l.cells(2*top, min(2*(top+p.room()), l.plies))
	var room [1 + 2*runsOfMove]styledRun
	for row := top; row < rows && p.room() > 0; row++ {
		line := append(room[:0], styledRun{t.Dim, text.FitLeft(strconv.Itoa(row+1), digits) + "  "})
		p.line(l.pair(line, t, row, l.plies, cells+2)...)
	}
}

// addRunningMoves adds the last moves on the board in lines of as many pairs as fit.
func (p *panel) addRunningMoves(t *widget.Theme, l moveList) {
	const between = 3
	last := (l.at + 1) / 2 // pairs up to there
	digits, cells := len(strconv.Itoa(last)), l.cells(max(l.at-2*p.width, 0), l.at)
	across := max(p.width/(digits+1+2*cells+1+between), 1)
	rows := (last + across - 1) / across
	var line []styledRun
	for pair := across * max(rows-p.room(), 0); pair < last && p.room() > 0; pair += across {
		line = line[:0]
		for i := pair; i < min(pair+across, last); i++ {
			line = append(line, styledRun{t.Dim, text.FitLeft(strconv.Itoa(i+1), digits) + " "})
			line = l.pair(line, t, i, l.at, cells+1)
			line = append(line, styledRun{t.Plain, text.Spaces(between - 1)})
		}
		p.line(line...)
	}
}

// sideStyle returns the style of a side's pieces.
func sideStyle(t *widget.Theme, side games.Side) canvas.Style {
	if side == games.First {
		return t.First
	}
	return t.Second
}
