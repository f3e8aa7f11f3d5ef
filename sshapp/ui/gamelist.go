package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/widget"
)

// A gameList lists the games: to choose one for a quick match, or to read its rules.
type gameList struct {
	env   *env
	size  tea.WindowSizeMsg
	list  widget.List
	busy  bool // a quick match is being opened
	quick bool
}

func newQuick(e *env) screen { return gameList{env: e, quick: true} }
func newLearn(e *env) screen { return gameList{env: e} }

func (s gameList) Init() tea.Cmd { return nil }

func (s gameList) Update(msg tea.Msg) (screen, tea.Cmd) {
	n, room := len(s.env.lobby.Games()), s.room(s.size.Height)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(n, s.room(msg.Height))
	case openedMsg:
		s.busy = false
		if msg.err != nil {
			return s, note(s.env.say.Error(msg.err))
		}
		return s, replaceByMatch(msg.ref.ID)
	case tea.MouseMsg:
		var clicked bool
		if s.list, clicked = s.list.Mouse(msg, 2, n, room); clicked {
			return s.choose()
		}
	case tea.KeyPressMsg:
		return press(s, s.keys(), msg)
	}
	return s, nil
}

func (s gameList) keys() widget.Actions[gameList] {
	say, what := s.env.say, s.env.say.T("read the rules")
	if s.quick {
		what = say.T("play")
	}
	return widget.Actions[gameList]{
		Footer: []widget.Action[gameList]{widget.ArrowKeys(say, gameList.move), widget.On("enter", what, gameList.choose, "enter")},
		Others: widget.JumpKeys(say, gameList.move),
	}
}

func (s gameList) move(msg tea.KeyPressMsg) (gameList, tea.Cmd) {
	s.list = s.list.Key(msg.String(), len(s.env.lobby.Games()), s.room(s.size.Height))
	return s, nil
}

func (s gameList) choose() (gameList, tea.Cmd) {
	g := s.env.lobby.Games()[s.list.At]
	if !s.quick {
		return s, push(newRules(s.env, g))
	}
	if s.busy {
		return s, nil
	}
	s.busy = true
	l, ctx, who := s.env.lobby, s.env.ctx, s.env.who
	return s, func() tea.Msg {
		ref, err := l.Quick(ctx, who, g.About().ID, true)
		return openedMsg{ref, err}
	}
}

// newRules returns the page that teaches a game.
func newRules(e *env, g games.Game) screen {
	about := g.About()
	return newReader(e, about.Name, e.say.T(about.Sentence)+"\n\n"+e.say.HowTo(about))
}

// room returns how many games are shown: all, unless the window is lower than the list and the words below it.
func (s gameList) room(h int) int { return max(min(h-3-widget.HelpLines, len(s.env.lobby.Games())), 1) }

func (s gameList) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say, all := s.env.theme, s.env.say, s.env.lobby.Games()
	p.Down(widget.FirstLine)
	widget.DrawList(p, t, s.list, len(all), s.room(p.Height), func(i int, y canvas.Style) { p.Put(y, all[i].About().Name) })
	words := say.T(all[s.list.At].About().Sentence)
	if s.quick {
		words += " " + say.T("Takes the oldest open offer, or opens one for others to take.")
	}
	p.Wrap(widget.MenuColumn, t.Dim, words, min(p.Width-2*widget.MenuColumn, widget.Readable))
}

func (s gameList) Help() string {
	if s.quick {
		return s.env.say.T("A quick match takes the oldest open offer of the game that you may take. If there is none, it opens a match and waits with you. With a key it is rated.")
	}
	return s.env.say.T("Enter shows the rules of a game. At a board, the key ? shows them beside it.")
}

func (s gameList) Title() string {
	if s.quick {
		return "Ludoteca" + s.env.theme.Dot + s.env.say.T("quick match")
	}
	return "Ludoteca" + s.env.theme.Dot + s.env.say.T("learn the games")
}

func (s gameList) Status() string { return s.env.who.Name }
func (s gameList) Keys() keyMap   { return s.keys() }
func (s gameList) Typing() bool   { return false }
