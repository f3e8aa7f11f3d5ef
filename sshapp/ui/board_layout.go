package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/widget"
)

// How a page with a board is laid out, in cells.
const (
	besideFrom = 80 // from this width on the panel stands beside the board
	panelMin   = 22
	panelMax   = 38 // the three lines of the rules are no wider
	panelGap   = 3
	belowMin   = 3 // lines of a panel below the board: the players and the moves
	typedFrom  = 2 // before the typed text, from the margin on
	meaningGap = 3 // between the typed text and what it means
)

// statusLines returns how many lines below board and panel are kept for the status and the typed text. In a narrow window
// words take more lines.
func statusLines(w int) int {
	if w < widget.BothColumns {
		return 3
	}
	return 2
}

// A boardLayout says where board and panel stand on a page.
type boardLayout struct {
	board  boardview.Layout
	x, y   int // the upper left corner of the board
	beside bool
	column int // of the panel
	line   int // its first line
	width  int // its size
	height int
}

// layoutBoard gives the board as much room as it can use, and the panel the rest. The board stands in the middle.
func layoutBoard(scene *boardview.Scene, st boardview.State, w, h int) boardLayout {
	room := max(h-statusLines(w), 0)
	if w < besideFrom {
		board := scene.Fit(w, max(room-belowMin, 0), st)
		l := boardLayout{board: board, x: max((w-board.Width)/2, 0), column: min(2, w), width: max(w-4, 0)}
		l.line = min(board.Height, room)
		l.height = room - l.line
		if l.height > belowMin+2 { // air between board and panel
			l.line, l.height = l.line+1, l.height-1
		}
		return l
	}
	board := scene.Fit(w-2*widget.Margin-panelGap-panelMin, room, st)
	l := boardLayout{board: board, beside: true, width: min(w-2*widget.Margin-panelGap-board.Width, panelMax), y: max((room-board.Height)/2, 0)}
	gap := min(panelGap+2, w-2*widget.Margin-board.Width-l.width)
	l.x = max((w-board.Width-gap-l.width)/2, 0)
	l.column = l.x + board.Width + gap
	l.line = min(l.y, 1)
	if board.Height < room-6 {
		l.line = l.y
	}
	l.height = room - l.line
	return l
}

// draw draws a board and its panel, beside or below it.
func (l boardLayout) draw(p *widget.Page, t *widget.Theme, scene *boardview.Scene, st boardview.State, beside panel) {
	at := p.Area.Min
	scene.Draw(p.Canvas, canvas.Area(at.X+l.x, at.Y+l.y, l.board.Width, l.board.Height), t.Board, l.board, st)
	panel := widget.NewPage(p.Canvas, canvas.Area(at.X+l.column, at.Y+l.line, l.width, l.height))
	for _, line := range beside.lines {
		for _, run := range line {
			panel.Put(run.style, run.text)
		}
		panel.End()
	}
	p.Down(max(l.y+l.board.Height, l.line+len(beside.lines)))
}

// drawWords draws words with a mark before them at the end of some lines.
func drawWords(p *widget.Page, y canvas.Style, mark, words string, lines int) {
	all := text.Wrap(words, p.Width-2*widget.Margin-text.Width(mark))
	if len(all) > lines {
		all = append(all[:lines-1:lines-1], strings.Join(all[lines-1:], " "))
	}
	p.Down(p.Lines + lines - len(all))
	for i, line := range all {
		if i > 0 {
			mark = text.Spaces(text.Width(mark))
		}
		p.Line(widget.Margin, y, mark+text.Cut(line, p.Width-2*widget.Margin-text.Width(mark)))
	}
}

// linesOf returns how many lines words take: at least one, at most so many.
func linesOf(words string, width, most int) int {
	if text.Width(words) <= width {
		return 1
	}
	return min(len(text.Wrap(words, width)), most)
}

// drawTyped draws the line of the typed text and what it means.
func drawTyped(p *widget.Page, t *widget.Theme, in moveInput, meaning string) {
	p.To(widget.Margin).Put(t.Accent, t.Pick).To(widget.Margin+typedFrom).Put(t.Bold, in.typed.Text)
	p.To(p.At+meaningGap).Put(t.Dim, meaning).End()
}

// cursor returns where the terminal's cursor stands on a page of the given height: in the typed text, else on the board.
func (l boardLayout) cursor(in moveInput, scene *boardview.Scene, st boardview.State, height int) (x, y int) {
	if !in.empty() {
		return widget.Margin + typedFrom + in.typed.Column(), height - 1
	}
	x, y = scene.CursorCell(l.board, st)
	return l.x + x, l.y + y
}

// flippedFor reports whether a player at first sees the board from the second side: when playing that side of a game in
// which each side has its own edge.
func flippedFor(scene *boardview.Scene, v *lobby.View, who lobby.User) bool {
	_, sided := scene.Turns()
	return sided && v.Holds(who, games.Second) && !v.Holds(who, games.First)
}

// wheelStep returns the direction of the mouse wheel: -1 up, 1 down, 0 for none.
func wheelStep(msg tea.MouseWheelMsg) int { return min(max(widget.Wheel(msg), -1), 1) }
