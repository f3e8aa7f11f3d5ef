package boardpage

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

// A Run is text in a style.
type Run struct {
	Style canvas.Style
	Text  string
}

// A Line is a line of a panel.
type Line []Run

// A Panel is the lines that stand beside or below a board: the players, how things stand, the moves.
type Panel struct {
	width, height int
	Lines         []Line
	gapped        bool // the last line is empty
}

// panelMax is how wide a panel gets, in cells. The three lines of the rules are no wider.
const panelMax = 38

// NewPanel returns an empty panel of the given size, in cells.
func NewPanel(width, height int) Panel {
	return Panel{width: width, height: height, Lines: make([]Line, 0, max(height, 0))}
}

// Line adds a line. Lines below the panel's height are left out.
func (p *Panel) Line(runs ...Run) {
	if len(p.Lines) >= p.height {
		return
	}
	p.Lines = append(p.Lines, slices.Clone(runs))
	p.gapped = len(runs) == 0
}

// Wrap adds words in as many lines as they need, indented.
func (p *Panel) Wrap(y canvas.Style, indent int, words string) {
	for _, line := range text.Wrap(words, p.width-indent) {
		p.Line(Run{y, text.Spaces(indent) + line})
	}
}

// Gap adds an empty line between others, if there is room for more than that.
func (p *Panel) Gap() {
	if n := len(p.Lines); n > 0 && n+1 < p.height && !p.gapped {
		p.Line()
	}
}

// Wide reports whether the panel is as wide as panels get.
func (p *Panel) Wide() bool { return p.width >= panelMax }

// room returns how many lines are left.
func (p *Panel) room() int { return p.height - len(p.Lines) }

// AddPlayers adds both players with rating and what the game counts. turn is the side to move, which has a mark; -1 for none.
func (p *Panel) AddPlayers(t *widget.Theme, say text.Say, scene *boardview.Scene, names, ratings [2]string, turn int, beside bool) {
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
		p.Line(Run{t.Accent, mark}, Run{t.Plain, " "}, Run{SideStyle(t, side), token}, Run{t.Plain, " "},
			Run{y, name}, Run{t.Dim, tail})
		if below != "" {
			p.Line(Run{t.Dim, "    " + below})
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

// AddHelp says where a match began, if not at the beginning, and what help was taken.
func (p *Panel) AddHelp(t *widget.Theme, say text.Say, v *lobby.View) {
	if v.Start > 0 {
		p.Wrap(t.Dim, 0, say.T("It began after move %d.", v.Start))
	}
	if words := say.Helped(v.Helped); words != "" {
		p.Wrap(t.Dim, 0, words)
	}
}

// A MoveList is the list of moves beside a board.
type MoveList struct {
	Plies int                  // how many there are
	At    int                  // how many are on the board; the last of them stands out
	Write func(ply int) string // the text of the move after so many
	Sign  func(ply int) Run    // what stands behind it; nil: nothing
}

// NewMoveList lists moves as they are, all of them on the board.
func NewMoveList(moves []games.Move) MoveList {
	return MoveList{Plies: len(moves), At: len(moves), Write: func(ply int) string { return string(moves[ply]) }}
}

// signOf returns what stands behind a move.
func (l MoveList) signOf(ply int) Run {
	if l.Sign == nil {
		return Run{}
	}
	return l.Sign(ply)
}

// cells returns the width of the widest of some moves.
func (l MoveList) cells(from, to int) int {
	cells := 1
	for ply := from; ply < to; ply++ {
		cells = max(cells, len(l.Write(ply))+len(l.signOf(ply).Text))
	}
	return cells
}

// runsOfMove is of how many runs a move consists: its text, its sign, and spaces.
const runsOfMove = 3

// pair adds the two moves of a row to a line, as far as there are so many, in columns of the given width.
func (l MoveList) pair(line []Run, t *widget.Theme, row, end, cells int) []Run {
	for ply := 2 * row; ply < min(2*row+2, end); ply++ {
		y, move, sign := t.Plain, l.Write(ply), l.signOf(ply)
		if ply == l.At-1 {
			y, sign.Style = t.Accent, t.Accent
		}
		line = append(line, Run{y, move}, sign, Run{t.Plain, text.Spaces(cells - len(move) - len(sign.Text))})
	}
	return line
}

// AddMoves adds as many of the last moves on the board as there is room for. Below a board they are running lines.
func (p *Panel) AddMoves(t *widget.Theme, l MoveList, beside bool) {
	p.Gap()
	if l.Plies == 0 || p.room() == 0 {
		return
	}
	if !beside {
		p.addRunningMoves(t, l)
		return
	}
	rows := (l.Plies + 1) / 2
	top := max(rows-p.room(), 0)
	if l.At < l.Plies { // a review: the move that is looked at stays in view
		top = max(min(top, (l.At-1)/2-p.room()/2), 0)
	}
	digits := len(strconv.Itoa(rows))
	cells := l.cells(2*top, min(2*(top+p.room()), l.Plies))
	var room [1 + 2*runsOfMove]Run
	for row := top; row < rows && p.room() > 0; row++ {
		line := append(room[:0], Run{t.Dim, text.FitLeft(strconv.Itoa(row+1), digits) + "  "})
		p.Line(l.pair(line, t, row, l.Plies, cells+2)...)
	}
}

// addRunningMoves adds the last moves on the board in lines of as many pairs as fit.
func (p *Panel) addRunningMoves(t *widget.Theme, l MoveList) {
	const between = 3
	last := (l.At + 1) / 2 // pairs up to there
	digits, cells := len(strconv.Itoa(last)), l.cells(max(l.At-2*p.width, 0), l.At)
	across := max(p.width/(digits+1+2*cells+1+between), 1)
	rows := (last + across - 1) / across
	var line []Run
	for pair := across * max(rows-p.room(), 0); pair < last && p.room() > 0; pair += across {
		line = line[:0]
		for i := pair; i < min(pair+across, last); i++ {
			line = append(line, Run{t.Dim, text.FitLeft(strconv.Itoa(i+1), digits) + " "})
			line = l.pair(line, t, i, l.At, cells+1)
			line = append(line, Run{t.Plain, text.Spaces(between - 1)})
		}
		p.Line(line...)
	}
}

// SideStyle returns the style of a side's pieces.
func SideStyle(t *widget.Theme, side games.Side) canvas.Style {
	if side == games.First {
		return t.First
	}
	return t.Second
}
