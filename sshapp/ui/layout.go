package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// The smallest window in which the club can be used, in cells.
const (
	minWidth  = 40
	minHeight = 20
)

// The lines above and below the body.
const (
	topLines    = 1
	bottomLines = 1
)

// wideHelp is from which width of a window on the help of a board stands beside it, and boardBeside how wide the board's part
// is then at least: it keeps its own panel. helpMost is how wide the help gets.
const (
	wideHelp    = 120
	boardBeside = 80
	helpMost    = widget.Readable + 4
)

// tooSmall reports whether a window is too small for any screen.
func tooSmall(window tea.WindowSizeMsg) bool {
	return window.Width < minWidth || window.Height < minHeight
}

// A layout divides the window into header, body, notices and footer.
type layout struct {
	window  tea.WindowSizeMsg
	notices int  // lines between the body and the footer
	screens int  // on the stack
	beside  bool // the help on top stands beside the board that it explains
}

// body returns the size of the area for screens.
func (l layout) body() tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: l.window.Width, Height: max(l.window.Height-topLines-l.notices-bottomLines, 0)}
}

// area returns where the screen at a place of the stack stands in the window.
func (l layout) area(at int) canvas.Rect {
	w, h := l.window.Width, l.body().Height
	if l.beside {
		left := boardBeside + max(w-boardBeside-helpMost, 0)
		switch at {
		case l.screens - 1:
			return canvas.Area(left, topLines, w-left, h)
		case l.screens - 2:
			return canvas.Area(0, topLines, left, h)
		}
	}
	return canvas.Area(0, topLines, w, h)
}

// size returns the size of the screen at a place of the stack.
func (l layout) size(at int) tea.WindowSizeMsg {
	area := l.area(at)
	return tea.WindowSizeMsg{Width: area.Dx(), Height: area.Dy()}
}

// onBody returns msg with its position counted from the top left of the body; ok is false if it lies outside.
func (l layout) onBody(msg tea.MouseMsg) (_ tea.Msg, ok bool) {
	m, body := msg.Mouse(), l.body()
	m.Y -= topLines
	if m.X < 0 || m.Y < 0 || m.X >= body.Width || m.Y >= body.Height {
		return nil, false
	}
	switch msg.(type) {
	case tea.MouseClickMsg:
		return tea.MouseClickMsg(m), true
	case tea.MouseWheelMsg:
		return tea.MouseWheelMsg(m), true
	case tea.MouseReleaseMsg:
		return tea.MouseReleaseMsg(m), true
	case tea.MouseMotionMsg:
		return tea.MouseMotionMsg(m), true
	}
	return nil, false
}

// drawTooSmall asks for a larger window.
func drawTooSmall(c *canvas.Canvas, e *screen.Env, window tea.WindowSizeMsg) {
	p := widget.NewPage(c, canvas.Area(0, 0, window.Width, window.Height))
	lines := text.Wrap(e.Say.T("A bit more room, please: %dx%d.", minWidth, minHeight), p.Width)
	lines = lines[:min(len(lines), p.Height)]
	p.Down((p.Height - len(lines)) / 2)
	for _, line := range lines {
		line = text.Cut(line, p.Width)
		p.Line((p.Width-text.Width(line))/2, e.Theme.Plain, line)
	}
}
