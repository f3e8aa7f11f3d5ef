// Package cast shows a match as it was played, move by move: as an asciicast for players such as asciinema, and in the terminal of a
// session.
//
//	view --New--> Match --Draw--> canvas --Write--> asciicast
//	                                 +----Player--> terminal
package cast

import (
	"strconv"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// How long a board stays before the next move: as long as the player thought, within these bounds, or usualWait where that isn't known.
const (
	leastWait = 400 * time.Millisecond
	usualWait = time.Second
	mostWait  = 2 * time.Second
)

// A Match is a match that can be drawn after any of its moves. One goroutine at a time may use it.
type Match struct {
	env   *screen.Env // its language and theme alone
	view  lobby.View
	names [2]string
	first games.Position
	sides []games.Side // who made each move

	state games.State // after at moves
	at    int
}

// New returns a match in a language, for terminals with a theme. The match is named by its id: what New shows may be shown to
// others, and a code may let them in. The error is that of a match whose moves can't be played.
func New(say wording.Words, theme *widget.Theme, v *lobby.View) (*Match, error) {
	m := &Match{env: &screen.Env{Say: say, Theme: theme}, view: *v}
	m.view.Code = ""
	m.names = describe.Names(m.env, v.Game, v.Seats)
	var err error
	if m.first, err = v.Initial(); err != nil {
		return nil, err
	}
	m.state = m.first.State()
	for _, move := range v.Moves {
		m.sides = append(m.sides, m.state.Turn())
		code, err := m.state.Code(move)
		if err != nil {
			return nil, err
		}
		m.state.Play(code)
		m.at++
	}
	return m, nil
}

// Theme returns the theme of casts, which are shown by other terminals than the one that asked for them: with 256 colours that can be
// read on a dark and on a light background.
func Theme() *widget.Theme { return widget.NewTheme(widget.ThemeAuto, colorprofile.ANSI256, false) }

// Plies returns the number of moves.
func (m *Match) Plies() int { return len(m.view.Moves) }

// Title returns the game, the match and the players in one line.
func (m *Match) Title() string {
	return describe.Title(m.env, &m.view, false) + m.env.Theme.Dot + m.names[0] + " - " + m.names[1]
}

// Wait returns how long the board after ply moves stays.
func (m *Match) Wait(ply int) time.Duration {
	return min(max(m.thought(ply), leastWait), mostWait)
}

// thought returns how long a player thought about the move after ply moves, as their clock says.
func (m *Match) thought(ply int) time.Duration {
	left, setting := m.view.Left, m.view.Clock.Setting
	if setting.Kind != lobby.Fischer || ply >= len(left) || ply >= len(m.sides) {
		return usualWait
	}
	for before := ply - 1; before >= 0; before-- {
		if m.sides[before] == m.sides[ply] {
			return left[before] + setting.Increment - left[ply]
		}
	}
	return usualWait // a first move is not timed
}

// after returns the position after a number of moves. The state that it leaves is at that move: the next one costs a single move.
func (m *Match) after(ply int) games.Position {
	if ply < m.at {
		m.state, m.at = m.first.State(), 0
	}
	for ; m.at < ply; m.at++ {
		code, _ := m.state.Code(m.view.Moves[m.at]) // New has played it
		m.state.Play(code)
	}
	return m.state.Clone().Freeze()
}

// The places on a page, in cells.
const (
	besideFrom = 70 // from this width on the panel stands beside the board
	panelWidth = 24 // at least
	panelGap   = 3
	belowLines = 3 // of the panel below a board
	statusLine = 2 // from the bottom: what the last move did
)

// Draw draws the board after ply moves on a whole canvas, with the players and the last moves. The last line stays free.
func (m *Match) Draw(c *canvas.Canvas, ply int) {
	area := c.Bounds()
	w, h := area.Dx(), area.Dy()
	ply = max(min(ply, m.Plies()), 0)
	var before games.Position
	var last games.Move
	if ply > 0 {
		before, last = m.after(ply-1), m.view.Moves[ply-1]
	}
	scene := boardview.New(m.after(ply), before, last)
	theme, say := m.env.Theme, m.env.Say

	status := say.T("move %d of %d", ply, m.Plies())
	c.Sub(canvas.Area(0, 0, w-text.Width(status)-2, 1)).Text(1, 0, theme.Bold, describe.Title(m.env, &m.view, w < besideFrom))
	c.Text(w-text.Width(status)-1, 0, theme.Dim, status)

	st := boardview.State{Selection: scene.AtLastMove(), Over: true}
	room, x, y := canvas.Area(1, 2, w-2, h-2-statusLine), 0, 0
	var panel canvas.Rect
	var l boardview.Layout
	if w >= besideFrom {
		l = scene.Fit(room.Dx()-panelGap-panelWidth, room.Dy(), st)
		x, y = room.Min.X, room.Min.Y+max(room.Dy()-l.Height, 0)/2
		panel = canvas.Area(x+l.Width+panelGap, y, w-2-l.Width-panelGap, l.Height)
	} else {
		l = scene.Fit(room.Dx(), room.Dy()-belowLines, st)
		x, y = max(w-l.Width, 0)/2, room.Min.Y-1
		panel = canvas.Area(2, y+l.Height+1, w-4, h-statusLine-y-l.Height-1)
	}
	scene.Draw(c, canvas.Area(x, y, l.Width, l.Height).Intersect(area), theme.Board, l, st)
	m.drawPanel(c.Sub(panel), panel, scene, ply)
	c.Text(1, h-statusLine, theme.Plain, text.Cut(m.status(scene, before, ply), w-2))
}

// status says what the last move did, or how the match ended.
func (m *Match) status(scene *boardview.Scene, before games.Position, ply int) string {
	say := m.env.Say
	switch {
	case ply == m.Plies() && m.view.Over:
		return describe.Ending(m.env, &m.view, m.names)
	case ply == 0:
		return say.T("%s is to move.", m.names[scene.Position().Turn()])
	}
	move := m.view.Moves[ply-1]
	words := say.T("%s plays %s", m.names[m.sides[ply-1]], string(move))
	if effect := boardview.New(before, nil, "").Effect(say.Say, move); effect != "" {
		words += ", " + effect
	}
	return words
}

// drawPanel draws the players, what matters about the position, and the last moves.
func (m *Match) drawPanel(c *canvas.Canvas, area canvas.Rect, scene *boardview.Scene, ply int) {
	theme, say := m.env.Theme, m.env.Say
	y := area.Min.Y
	line := func(x int, style canvas.Style, words string) { c.Text(area.Min.X+x, y, style, words); y++ }
	over := ply == m.Plies() && m.view.Over
	for side, name := range m.names {
		style := theme.Plain
		if !over && scene.Position().Turn() == games.Side(side) {
			style = theme.Bold
			c.Text(area.Min.X, y, theme.Accent, theme.Pick)
		}
		token := scene.Token(games.Side(side), theme.ASCII)
		next := c.Text(area.Min.X+2, y, sideStyle(theme, side), token)
		line(next+1-area.Min.X, style, text.Cut(name, max(area.Max.X-next-1, 0)))
		if standing := scene.Standing(say.Say, games.Side(side)); standing != "" && area.Dy() > belowLines {
			line(4, theme.Dim, text.Cut(standing, area.Dx()-4))
		}
	}
	if area.Dy() <= belowLines {
		return
	}
	y++
	if notes := scene.Notes(say.Say, m.names); len(notes) > 0 {
		for _, words := range text.Wrap(notes[0].Words, area.Dx()) {
			line(0, theme.Dim, words)
		}
	}
	y++
	first := max(ply-(area.Max.Y-y), 0)
	for i := first; i < ply; i++ {
		style := theme.Plain
		if i == ply-1 {
			style = theme.Bold
		}
		number := strconv.Itoa(i + 1)
		c.Text(area.Min.X+max(4-len(number), 0), y, theme.Dim, number)
		line(6, style, string(m.view.Moves[i]))
		c.Restyle(canvas.Area(area.Min.X+6, y-1, area.Dx()-6, 1), mixed(style, sideStyle(theme, int(m.sides[i]))))
	}
}

// mixed returns the colour of a side with the attributes of a style.
func mixed(style, side canvas.Style) canvas.Style {
	side.Attrs = style.Attrs
	return side
}

// sideStyle returns the style of a side's pieces.
func sideStyle(theme *widget.Theme, side int) canvas.Style {
	if games.Side(side) == games.First {
		return theme.First
	}
	return theme.Second
}
