package cast

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A Player is the model of a session that plays a match in its terminal. It starts at the first board and stays at the last one until the
// user leaves.
type Player struct {
	ctx    context.Context // of the session
	match  *Match
	size   tea.WindowSizeMsg
	at     int
	paused bool
	ticks  int // number of the newest TickMsg
}

// NewPlayer returns the model of a session that ends with ctx.
func NewPlayer(ctx context.Context, m *Match) Player {
	return Player{ctx: ctx, match: m, size: tea.WindowSizeMsg{Width: DefaultSize.Width, Height: DefaultSize.Height}}
}

// playerKeys are the keys of a player.
var playerKeys = widget.Actions[Player]{
	Footer: []widget.Action[Player]{
		widget.On(text.T("space"), text.T("pause"), Player.pause, "space").Doing(func(p Player) string {
			if p.paused {
				return text.T("go on")
			}
			return text.T("pause")
		}),
		widget.OnKey(text.T("left right"), text.T("one move"), Player.step, "left", "right", "up", "down"),
		widget.On("q", text.T("leave"), Player.quit, "q", "esc", "ctrl+c"),
	},
	Others: []widget.Action[Player]{
		widget.On("", "", func(p Player) (Player, tea.Cmd) { return p.to(0) }, "home"),
		widget.On("", "", func(p Player) (Player, tea.Cmd) { return p.to(p.match.Plies()) }, "end"),
	},
}

// Init waits for the first move.
func (p Player) Init() tea.Cmd { return p.wait() }

// Update takes a key, a new size, or the end of a wait.
func (p Player) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.size = msg
	case tea.KeyPressMsg:
		if run, ok := playerKeys.Find(p, msg.String()); ok {
			return run(p, msg)
		}
	case screen.TickMsg:
		if !p.paused && msg.Number == p.ticks && p.at < p.match.Plies() {
			p.at++
			return p, p.wait()
		}
	}
	return p, nil
}

// wait returns the command that asks for the next move when its time has come.
func (p Player) wait() tea.Cmd {
	if p.paused || p.at == p.match.Plies() {
		return nil
	}
	return screen.After(p.ctx, p.match.Wait(p.at), screen.TickMsg{Number: p.ticks})
}

// pause stops or goes on. At the end it starts again.
func (p Player) pause() (Player, tea.Cmd) {
	p.ticks++
	if p.paused = !p.paused; p.at == p.match.Plies() {
		p.paused, p.at = false, 0
	}
	return p, p.wait()
}

// step goes one move back or forward and stays there.
func (p Player) step(press tea.KeyPressMsg) (Player, tea.Cmd) {
	if name := press.String(); name == "left" || name == "up" {
		return p.to(p.at - 1)
	}
	return p.to(p.at + 1)
}

// to shows the board after a number of moves and stays there.
func (p Player) to(ply int) (Player, tea.Cmd) {
	p.at, p.paused, p.ticks = min(max(ply, 0), p.match.Plies()), true, p.ticks+1
	return p, nil
}

func (p Player) quit() (Player, tea.Cmd) { return p, tea.Quit }

// View shows what Draw draws, for the stock Bubble Tea program.
func (p Player) View() tea.View {
	c := canvas.New(p.size.Width, p.size.Height)
	view := p.Draw(c)
	view.Content = c.String()
	return view
}

// Draw draws the board and the keys.
func (p Player) Draw(c *canvas.Canvas) tea.View {
	say, theme := p.match.env.Say, p.match.env.Theme
	p.match.Draw(c, p.at)
	x, y := widget.Margin, c.Bounds().Max.Y-1
	for _, k := range playerKeys.ShortHelp(p) {
		if x > widget.Margin {
			x = c.Text(x, y, theme.Dim, theme.Dot)
		}
		x = c.Text(x, y, theme.Bold, say.T(k.Help().Key))
		x = c.Text(x+1, y, theme.Dim, say.T(k.Help().Desc))
	}
	view := tea.View{AltScreen: true, WindowTitle: p.match.Title()}
	if theme.ASCII {
		view.WindowTitle = text.ASCII(view.WindowTitle)
		c.MapText(text.ASCII)
	}
	return view
}
