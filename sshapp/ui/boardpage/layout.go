// Package boardpage holds the common parts of pages with a board: making a move by arrows, mouse or text, the layout of board and
// panel, and the panel with the players and the list of moves.
package boardpage

import (
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/widget"
)

// The measures of a page with a board, in cells.
const (
	besideFrom = 80 // from this width on the panel stands beside the board
	panelMin   = 22
	panelGap   = 3
	belowMin   = 3 // lines of a panel below the board: the players and the moves
	TypedFrom  = 2 // before the typed text, from the margin on
	meaningGap = 3 // between the typed text and what it means
)

// StatusLines returns the number of lines below board and panel that are kept for the status and the typed text. In a window of few columns
// words take more lines.
func StatusLines(w int) int {
	if w < widget.BothColumns {
		return 3
	}
	return 2
}

// A Layout holds the places of board and panel on a page, in cells from its upper left corner.
type Layout struct {
	Board  boardview.Layout
	X, Y   int  // the upper left corner of the board
	Beside bool // the panel stands beside the board, not below it
	Column int  // of the panel
	Line   int  // its first line
	Width  int  // its size
	Height int
}

// NewLayout gives the board as much room as it can use, and the panel the rest. The board stands in the middle.
func NewLayout(scene *boardview.Scene, st boardview.State, w, h int) Layout {
	room := max(h-StatusLines(w), 0)
	if w < besideFrom {
		board := scene.Fit(w, max(room-belowMin, 0), st)
		l := Layout{Board: board, X: max((w-board.Width)/2, 0), Column: min(2, w), Width: max(w-4, 0)}
		l.Line = min(board.Height, room)
		l.Height = room - l.Line
		if l.Height > belowMin+2 { // air between board and panel
			l.Line, l.Height = l.Line+1, l.Height-1
		}
		return l
	}
	board := scene.Fit(w-2*widget.Margin-panelGap-panelMin, room, st)
	l := Layout{Board: board, Beside: true, Width: min(w-2*widget.Margin-panelGap-board.Width, panelMax), Y: max((room-board.Height)/2, 0)}
	gap := min(panelGap+2, w-2*widget.Margin-board.Width-l.Width)
	l.X = max((w-board.Width-gap-l.Width)/2, 0)
	l.Column = l.X + board.Width + gap
	l.Line = min(l.Y, 1)
	if board.Height < room-6 {
		l.Line = l.Y
	}
	l.Height = room - l.Line
	return l
}

// Draw draws a board, and returns the empty panel beside or below it.
func (l Layout) Draw(p *widget.Page, t *widget.Theme, scene *boardview.Scene, st boardview.State) Panel {
	at := p.Area.Min
	scene.Draw(&p.Canvas, canvas.Area(at.X+l.X, at.Y+l.Y, l.Board.Width, l.Board.Height), t.Board, l.Board, st)
	return NewPanel(&p.Canvas, canvas.Area(at.X+l.Column, at.Y+l.Line, l.Width, l.Height))
}

// DrawWords draws words with a mark before them at the end of some lines.
func DrawWords(p *widget.Page, y canvas.Style, mark, words string, lines int) {
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

// LinesOf returns the number of lines that words take: at least 1, and at most most.
func LinesOf(words string, width, most int) int {
	if text.Width(words) <= width {
		return 1
	}
	return min(len(text.Wrap(words, width)), most)
}

// DrawTyped draws the line of the typed text and what it means.
func DrawTyped(p *widget.Page, t *widget.Theme, in MoveInput, meaning string) {
	p.To(widget.Margin).Put(t.Accent, t.Pick).To(widget.Margin+TypedFrom).Put(t.Bold, in.Typed.Text)
	p.To(p.At+meaningGap).Put(t.Dim, meaning).End()
}

// MeaningFits reports whether there is room for a meaning behind the typed text on a page of width w.
func MeaningFits(in MoveInput, meaning string, w int) bool {
	return widget.Margin+TypedFrom+text.Width(in.Typed.Text)+meaningGap+text.Width(meaning) <= w-widget.Margin
}

// Cursor returns the place of the terminal's cursor on a page of the given height: in the typed text if there is any, else on the board.
func (l Layout) Cursor(in MoveInput, scene *boardview.Scene, st boardview.State, height int) (x, y int) {
	if !in.Empty() {
		return widget.Margin + TypedFrom + in.Typed.Column(), height - 1
	}
	x, y = scene.CursorCell(l.Board, st)
	return l.X + x, l.Y + y
}

// FlippedFor reports whether a player first sees the board from the second side. They do if they play that side of a game in
// which each side has its own edge.
func FlippedFor(scene *boardview.Scene, v *lobby.View, who lobby.User) bool {
	_, sided := scene.Turns()
	return sided && v.Holds(who, games.Second) && !v.Holds(who, games.First)
}
