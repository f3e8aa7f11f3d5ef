package boardpage

import (
	"strconv"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// A Run is text in a style.
type Run struct {
	Style canvas.Style
	Text  string
}

// A Panel is the area beside or below a board with the lines for the players, the standing and the moves.
type Panel struct {
	page   widget.Page
	gapped bool // the last line is empty
}

// panelMax is the largest width of a panel, in cells. The three lines of the rules are no wider.
const panelMax = 38

// NewPanel returns an empty panel on an area of a canvas.
func NewPanel(c *canvas.Canvas, area canvas.Rect) Panel {
	return Panel{page: widget.NewPage(c, area)}
}

// Line adds a line. Lines below the panel's height are left out.
func (p *Panel) Line(runs ...Run) {
	if p.room() <= 0 {
		return
	}
	for _, run := range runs {
		p.page.Put(run.Style, run.Text)
	}
	p.page.End()
	p.gapped = len(runs) == 0
}

// Lines returns the number of lines so far.
func (p *Panel) Lines() int { return p.page.Lines }

// Wrap adds words in as many lines as they need, indented.
func (p *Panel) Wrap(y canvas.Style, indent int, words string) {
	for _, line := range text.Wrap(words, p.page.Width-indent) {
		p.Line(Run{y, text.Spaces(indent) + line})
	}
}

// Gap adds an empty line between others, if another line still fits after it.
func (p *Panel) Gap() {
	if p.Lines() > 0 && p.room() > 1 && !p.gapped {
		p.Line()
	}
}

// SkipGap makes the last line count as the gap that would come next.
func (p *Panel) SkipGap() { p.gapped = true }

// Width returns the width of a line, in cells.
func (p *Panel) Width() int { return p.page.Width }

// Room returns the number of lines that are left.
func (p *Panel) Room() int { return p.room() }

// Wide reports whether the panel is as wide as panels get.
func (p *Panel) Wide() bool { return p.page.Width >= panelMax }

// room returns how many lines are left.
func (p *Panel) room() int { return p.page.Height - p.page.Lines }

// A PlayerLine holds what a panel says about one player.
type PlayerLine struct {
	Name   string
	Rating string    // "" for none
	Mark   Run       // how near they are to the board; without text for nothing
	Absent [2]string // the same in words of one who isn't here, long and short; "" for nothing
	Clock  Run       // at the right; without text for none
}

// AddPlayers adds both players, with what the game counts. turn is the side to move, which gets a mark; -1 is none.
func (p *Panel) AddPlayers(t *widget.Theme, say wording.Words, scene *boardview.Scene, players [2]PlayerLine, turn int, beside bool) {
	for i, line := range players {
		side := games.Side(i)
		turnMark, y := " ", t.Plain
		if i == turn {
			turnMark, y = t.Pick, t.Bold
		}
		token := scene.Token(side, t.ASCII)
		standing, reserve := scene.Standing(say.Say, side), scene.Reserve(side, t.ASCII)
		below := ""
		if beside {
			below = standing + prefixed("  ", reserve)
			standing, reserve = "", ""
		}
		room, before := p.page.Width-text.Width(t.Pick)-text.Width(token)-2, Run{}
		if line.Mark.Text != "" {
			before = Run{line.Mark.Style, " "}
			room -= 1 + text.Width(line.Mark.Text)
		}
		if line.Clock.Text != "" {
			room -= text.Width(line.Clock.Text) + 2
		}
		absent := [2]string{prefixed(" ", line.Absent[0]), prefixed(" ", line.Absent[1])}
		name, tail := fitPlayer(room, line.Name, absent, prefixed("  ", line.Rating), prefixed(t.Dot, standing), prefixed("  ", reserve))
		if line.Clock.Text != "" {
			line.Clock.Text = text.Spaces(room-text.Width(name+tail)+2) + line.Clock.Text
		}
		p.Line(Run{t.Accent, turnMark}, Run{t.Plain, " "}, Run{SideStyle(t, side), token}, Run{t.Plain, " "},
			Run{y, name}, before, line.Mark, Run{t.Dim, tail}, line.Clock)
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

// fitPlayer fits a name and the texts behind it into a line. It leaves out whole texts, the least important first: the reserve, then the
// rating. Then it shortens the absence of the player or leaves it out, and at last it cuts the name.
func fitPlayer(width int, name string, absent [2]string, rating, standing, reserve string) (cut, tail string) {
	const shortest = 8 // of a name that has to make room
	left := width - text.Width(name)
	long, short, r, s := text.Width(absent[0]), text.Width(absent[1]), text.Width(rating), text.Width(standing)
	switch {
	case long+r+s+text.Width(reserve) <= left:
		return name, absent[0] + rating + standing + reserve
	case long+r+s <= left:
		return name, absent[0] + rating + standing
	case long+s <= left:
		return name, absent[0] + standing
	case short+s <= left:
		return name, absent[1] + standing
	case s <= left:
		return name, standing
	}
	if room := width - s; room >= shortest {
		return text.Cut(name, room), standing
	}
	return text.Cut(name, width), ""
}

// AddHelp adds lines about a match: where it began, if not at the start position, which help was taken, why it counted less than other rated
// matches, and whether it is forgotten.
func (p *Panel) AddHelp(t *widget.Theme, say wording.Words, v *lobby.View) {
	switch {
	case v.Start > 0:
		p.Wrap(t.Dim, 0, say.T("It began after move %d.", v.Start))
	case v.From != "":
		p.Wrap(t.Dim, 0, say.T("It began from a position."))
	}
	if words := say.Helped(v.Helped); words != "" {
		p.Wrap(t.Dim, 0, words)
	}
	if v.Ratings != nil {
		for _, sentence := range say.Discounts(*v.Ratings, v.Seats) {
			p.Wrap(t.Dim, 0, sentence)
		}
	}
	if v.Temporary {
		p.Wrap(t.Dim, 0, say.Temporary(v.Result))
	}
}

// A MoveList is the list of moves beside a board.
type MoveList struct {
	Plies int                  // how many there are
	At    int                  // how many are on the board; the last of them stands out
	Write func(ply int) string // returns the text of the move after ply moves
	Sign  func(ply int) Run    // returns the text behind it; nil: none
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

// pair adds the two moves of a row to a line, as far as there are moves, in columns of the given width.
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
	digits, cells := len(strconv.Itoa(last)), l.cells(max(l.At-2*p.page.Width, 0), l.At)
	across := max(p.page.Width/(digits+1+2*cells+1+between), 1)
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
