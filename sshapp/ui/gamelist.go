package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// A gameList lets one choose a game, for a quick match or to learn it.
type gameList struct {
	env   *env
	size  tea.WindowSizeMsg
	list  list
	busy  bool
	quick bool
}

func newQuick(e *env) screen { return gameList{env: e, quick: true} }
func newLearn(e *env) screen { return gameList{env: e} }

func (s gameList) Init() tea.Cmd { return nil }

func (s gameList) Update(msg tea.Msg) (screen, tea.Cmd) {
	n := len(s.env.club.Games())
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.fit(n, s.room(msg.Height))
	case openedMsg:
		s.busy = false
		if msg.err != nil {
			return s, note(s.env.say.Error(msg.err))
		}
		return s, replace(newMatch(s.env, msg.ref.ID))
	case tea.MouseWheelMsg:
		s.list = s.list.wheel(msg, n, s.room(s.size.Height))
	case tea.MouseClickMsg:
		if at, ok := s.list.click(msg, 2, n, s.room(s.size.Height)); ok {
			s.list.at = at
			return s.choose()
		}
	case tea.KeyPressMsg:
		switch k := s.keys(); {
		case key.Matches(msg, k.choose):
			return s.choose()
		case k.list.matches(msg):
			s.list = s.list.key(msg.String(), n, s.room(s.size.Height))
		}
	}
	return s, nil
}

func (s gameList) choose() (screen, tea.Cmd) {
	g := s.env.club.Games()[s.list.at]
	if !s.quick {
		return s, push(newRules(s.env, g))
	}
	if s.busy {
		return s, nil
	}
	s.busy = true
	club, ctx, who := s.env.club, s.env.ctx, s.env.who
	return s, func() tea.Msg {
		ref, err := club.Quick(ctx, who, g.About().ID)
		return openedMsg{ref, err}
	}
}

// newRules is the page that teaches a game.
func newRules(e *env, g games.Game) screen {
	about := g.About()
	return newReader(e, about.Name, e.say.T(about.Sentence)+"\n\n"+e.say.HowTo(about))
}

// room is how many games are shown: all, unless the window is lower than the list and the words below it.
func (s gameList) room(h int) int { return max(min(h-3-helpLines, len(s.env.club.Games())), 1) }

func (s gameList) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	t, say, all := s.env.theme, s.env.say, s.env.club.Games()
	p.down(firstLine)
	drawList(p, t, s.list, len(all), s.room(p.height), func(i int, y canvas.Style) { p.put(y, all[i].About().Name) })
	words := say.T(all[s.list.at].About().Sentence)
	if s.quick {
		words += " " + say.T("Takes the oldest open offer, or opens one for others to take.")
	}
	for _, line := range text.Wrap(words, min(p.width-2*menuColumn, readable)) {
		p.line(menuColumn, t.dim, line)
	}
}

func (s gameList) Title() string {
	if s.quick {
		return "Ludoteca" + s.env.theme.dot + s.env.say.T("quick match")
	}
	return "Ludoteca" + s.env.theme.dot + s.env.say.T("learn the games")
}

func (s gameList) Status() string { return s.env.who.Name }
func (s gameList) Typing() bool   { return false }

// gameListKeys are the keys of the list of games.
type gameListKeys struct {
	list   listKeys
	choose key.Binding
}

func (s gameList) keys() gameListKeys {
	what := s.env.say.T("read the rules")
	if s.quick {
		what = s.env.say.T("play")
	}
	return gameListKeys{newListKeys(s.env.say), bind("enter", what, "enter")}
}

func (s gameList) Keys() keyMap { return s.keys() }

func (k gameListKeys) ShortHelp() []key.Binding { return []key.Binding{k.list.move, k.choose} }
func (k gameListKeys) FullHelp() [][]key.Binding {
	return [][]key.Binding{k.ShortHelp(), k.list.others()}
}
