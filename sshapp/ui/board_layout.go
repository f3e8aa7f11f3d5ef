package ui

import (
	"slices"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
)

// How a page with a board is laid out, in cells.
const (
	besideFrom = 80 // from this width on the panel stands beside the board
	panelMin   = 22
	panelMax   = 38 // the three lines of the rules are no wider
	panelGap   = 3
	belowMin   = 3 // lines of a panel below the board: the players and the moves
)

// footLines is the room below everything, for how things stand and the line that is typed. In a narrow window words take
// more lines.
func statusLines(w int) int {
	if w < bothColumns {
		return 3
	}
	return 2
}

// A spread says where board and panel stand on a page.
type boardLayout struct {
	board  boardview.Layout
	x, y   int // the upper left corner of the board
	beside bool
	column int // of the panel
	line   int // its first line
	width  int // its size
	height int
}

// spreadOf gives the board as much room as it can use, and the panel the rest. The board stands in the middle.
func layoutBoard(scene *boardview.Scene, st boardview.State, w, h int) boardLayout {
	room := max(h-statusLines(w), 0)
	if w < besideFrom {
		board := scene.Fit(w, max(room-belowMin, 0), st)
		sp := boardLayout{board: board, x: max((w-board.Width)/2, 0), column: min(2, w), width: max(w-4, 0)}
		sp.line = min(board.Height, room)
		sp.height = room - sp.line
		if sp.height > belowMin+2 { // air between board and panel
			sp.line, sp.height = sp.line+1, sp.height-1
		}
		return sp
	}
	board := scene.Fit(w-2*margin-panelGap-panelMin, room, st)
	sp := boardLayout{board: board, beside: true, width: min(w-2*margin-panelGap-board.Width, panelMax), y: max((room-board.Height)/2, 0)}
	gap := min(panelGap+2, w-2*margin-board.Width-sp.width)
	sp.x = max((w-board.Width-gap-sp.width)/2, 0)
	sp.column = sp.x + board.Width + gap
	sp.line = min(sp.y, 1)
	if board.Height < room-6 {
		sp.line = sp.y
	}
	sp.height = room - sp.line
	return sp
}

// A span is words in a style.
type styledRun struct {
	style canvas.Style
	text  string
}

// A panel is lines of words: what stands beside a board. They are written out as they come.
type panel struct {
	width, height int
	lines         []styledLine
	gapped        bool // the last line is empty
}

func newPanel(width, height int) panel {
	return panel{width: width, height: height, lines: make([]styledLine, 0, max(height, 0))}
}

// line adds a line, cut at the panel's right edge. What is too much in height is left out.
func (p *panel) line(spans ...styledRun) {
	if len(p.lines) >= p.height {
		return
	}
	p.lines = append(p.lines, slices.Clone(spans))
	p.gapped = len(spans) == 0
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

// room is how many lines are left.
func (p *panel) room() int { return p.height - len(p.lines) }

// A styledLine is a line of a panel.
type styledLine []styledRun

// drawBoardAndPanel draws a board and its panel, beside or below it.
func drawBoardAndPanel(p *page, t *theme, l boardLayout, scene *boardview.Scene, st boardview.State, beside panel) {
	at := p.area.Min
	scene.Draw(p.c, canvas.Area(at.X+l.x, at.Y+l.y, l.board.Width, l.board.Height), t.board, l.board, st)
	panel := newPage(p.c, canvas.Area(at.X+l.column, at.Y+l.line, l.width, l.height))
	for _, line := range beside.lines {
		for _, run := range line {
			panel.put(run.style, run.text)
		}
		panel.end()
	}
	p.down(max(l.y+l.board.Height, l.line+len(beside.lines)))
}

// newBoardTheme returns how a theme shows boards.
func newBoardTheme(t *theme) *boardview.Theme {
	return &boardview.Theme{ASCII: t.ascii, Styles: [boardview.Roles]canvas.Style{
		boardview.Line: t.dim, boardview.Label: t.dim, boardview.CursorLabel: t.accent,
		boardview.First: t.first, boardview.Second: t.second,
		boardview.Legal: t.legal, boardview.Forced: t.accent, boardview.Idle: t.dim,
		boardview.Last: t.bold, boardview.Taken: t.legal, boardview.Target: t.accent,
		boardview.Cursor: t.accent, boardview.Selected: t.accent, boardview.Win: t.accent,
	}}
}
