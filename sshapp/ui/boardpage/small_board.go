package boardpage

import (
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// SmallPanel is how wide the lines around a small board are at most, in cells, unless the board is wider.
const SmallPanel = 40

// A SmallBoard is a board beside other things, without a cursor of its own: on the television, and on the page of an event.
type SmallBoard struct {
	Heading string
	About   string // a line below the heading, with an empty one below it; "" for none
	Chosen  bool   // the cursor of the page is on it
	Below   int    // lines that are kept for what stands below the board
}

// Draw draws the heading and a scene in the middle of an area, as large as there is room. It returns the page of their width, at the line below
// the board. scene may be nil: then only the words are drawn.
func (b SmallBoard) Draw(e *screen.Env, c *canvas.Canvas, area canvas.Rect, scene *boardview.Scene) widget.Page {
	above := 1
	if b.About != "" {
		above = 3
	}
	var st boardview.State
	var board boardview.Layout
	if scene != nil {
		st = boardview.State{Selection: scene.AtLastMove(), Over: true} // without marks where moves can go
		board = scene.Fit(area.Dx()-2, max(area.Dy()-above-b.Below, 0), st)
	}
	cells := min(area.Dx(), max(board.Width+2, SmallPanel))
	p := widget.NewPage(c, canvas.Area(area.Min.X+(area.Dx()-cells)/2, area.Min.Y, cells, area.Dy()))
	mark, y := " ", e.Theme.Dim
	if b.Chosen {
		mark, y = ">", e.Theme.Accent
	}
	p.Put(y, mark).To(2).Put(y, b.Heading).End()
	if b.About != "" {
		p.Line(2, e.Theme.Plain, b.About)
		p.End()
	}
	if scene != nil {
		at := p.Area.Min
		scene.Draw(&p.Canvas, canvas.Area(at.X+2+max(p.Width-2-board.Width, 0)/2, at.Y+p.Lines, board.Width, board.Height), e.Theme.Board, board, st)
		p.Down(p.Lines + board.Height)
	}
	return p
}

// SmallPlayers adds the players of a match to the panel below a small board, with their ratings and clocks. turn is the side to move; -1 is none.
// beside is true where what the game counts has a line of its own.
func (p *Panel) SmallPlayers(e *screen.Env, v *lobby.View, scene *boardview.Scene, clocks [2]Run, turn int, beside bool) {
	names, ratings := describe.Names(e, v.Game, v.Seats), describe.Strengths(e, v)
	var players [2]PlayerLine
	for side := range players {
		players[side] = PlayerLine{Name: names[side], Rating: ratings[side], Clock: clocks[side]}
	}
	p.AddPlayers(e.Theme, e.Say, scene, players, turn, beside)
}

// WholeClocks is ShownClocks in whole seconds, for what isn't drawn ten times a second.
func WholeClocks(e *screen.Env, v *lobby.View) [2]Run {
	now := e.Now()
	clocks := ShownClocks(e, v, now)
	for side := range clocks {
		if clocks[side].Text != "" {
			clocks[side].Text = e.Say.WholeTimeLeft(v.Clock.LeftAt(side, now))
		}
	}
	return clocks
}
