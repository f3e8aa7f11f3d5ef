package newmatch

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A gameList lists the games, to read the rules of one.
type gameList struct {
	env  *screen.Env
	size tea.WindowSizeMsg
	list widget.List
}

// NewLearn returns the list of games, which leads to their rules.
func NewLearn(e *screen.Env) screen.Screen { return gameList{env: e} }

func (s gameList) Init() tea.Cmd { return nil }

func (s gameList) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	n, room := len(s.env.Lobby.Games()), s.room(s.size.Height)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(n, s.room(msg.Height))
	case tea.MouseMsg:
		var clicked bool
		if s.list, clicked = s.list.Mouse(msg, 2, n, room); clicked {
			return s.choose()
		}
	case tea.KeyPressMsg:
		return screen.Press(s, &gameListKeys, msg)
	}
	return s, nil
}

var gameListKeys = widget.Actions[gameList]{
	Footer: []widget.Action[gameList]{
		widget.ArrowKeys(gameList.move), widget.On("enter", text.T("read the rules"), gameList.choose, "enter"),
	},
	Others: widget.JumpKeys(gameList.move),
}

func (s gameList) move(msg tea.KeyPressMsg) (gameList, tea.Cmd) {
	s.list = s.list.Key(msg.String(), len(s.env.Lobby.Games()), s.room(s.size.Height))
	return s, nil
}

func (s gameList) choose() (gameList, tea.Cmd) {
	return s, screen.Push(newRules(s.env, s.env.Lobby.Games()[s.list.At]))
}

// newRules returns the page that teaches a game.
func newRules(e *screen.Env, g games.Game) screen.Screen {
	about := g.About()
	return screen.NewReader(e, e.Say.Spell(about.Name), describe.Rules(e, about))
}

// room returns how many games are shown: all, unless the window is lower than the list and the words below it.
func (s gameList) room(h int) int { return max(min(h-3-widget.HelpLines, len(s.env.Lobby.Games())), 1) }

func (s gameList) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say, all := s.env.Theme, s.env.Say, s.env.Lobby.Games()
	p.Down(widget.FirstLine)
	widget.DrawList(&p, t, s.list, len(all), s.room(p.Height), func(i int, y canvas.Style) { p.Put(y, s.env.Say.Spell(all[i].About().Name)) })
	p.Wrap(widget.MenuColumn, t.Dim, say.T(all[s.list.At].About().Sentence), min(p.Width-2*widget.MenuColumn, widget.Readable))
}

func (s gameList) Help() string {
	return s.env.Say.T("Enter shows the rules of a game. At a board, the key ? shows them beside it.")
}

func (s gameList) Title() string {
	return "Ludoteca" + s.env.Theme.Dot + s.env.Say.T("learn the games")
}

func (s gameList) Status() string { return s.env.Who.Name }

func (s gameList) ShortHelp() []key.Binding  { return gameListKeys.ShortHelp(s) }
func (s gameList) FullHelp() [][]key.Binding { return gameListKeys.FullHelp(s) }
func (s gameList) Typing() bool              { return false }
