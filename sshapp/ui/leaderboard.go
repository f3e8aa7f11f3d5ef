package ui

import (
	"strconv"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// leaderboard shows who is strong at a game.
type leaderboard struct {
	env    *env
	size   tea.WindowSizeMsg
	game   int
	lines  []lobby.Line
	loaded bool // the lines are those of the game
	list   list
}

type linesMsg struct {
	game  int
	lines []lobby.Line
	err   error
}

func newLeaderboard(e *env) screen { return leaderboard{env: e} }

func (s leaderboard) Init() tea.Cmd { return s.load() }

func (s leaderboard) load() tea.Cmd {
	club, ctx, game, id := s.env.club, s.env.ctx, s.game, s.about(s.game)
	return func() tea.Msg {
		lines, err := club.Leaderboard(ctx, id)
		return linesMsg{game, lines, err}
	}
}

func (s leaderboard) about(game int) string { return s.env.club.Games()[game].About().ID }

func (s leaderboard) Update(msg tea.Msg) (screen, tea.Cmd) {
	n, room := len(s.lines), s.room(s.size.Height)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.fit(n, s.room(msg.Height))
	case linesMsg:
		if msg.game != s.game {
			return s, nil // another game has been chosen meanwhile
		}
		s.lines, s.loaded = msg.lines, true
		s.list = s.start()
		return s, note(s.env.say.Error(msg.err))
	case resumedMsg:
		return s, nil
	case tea.MouseWheelMsg:
		s.list = s.list.wheel(msg, n, room)
	case tea.MouseClickMsg:
		if at, ok := s.list.click(msg, 4, n, room); ok {
			s.list.at = at
			return s.choose()
		}
	case tea.KeyPressMsg:
		switch k := s.keys(); {
		case key.Matches(msg, k.game):
			s.game = cycle(s.game, len(s.env.club.Games()), msg.String())
			s.lines, s.loaded, s.list = nil, false, list{}
			return s, s.load()
		case key.Matches(msg, k.choose):
			return s.choose()
		case k.list.matches(msg):
			s.list = s.list.key(msg.String(), n, room)
		}
	}
	return s, nil
}

// start puts the cursor on the player's own line.
func (s leaderboard) start() list {
	l := list{}
	for i, line := range s.lines {
		if line.Name == s.env.who.Name {
			l.at = i
		}
	}
	return l.fit(len(s.lines), s.room(s.size.Height))
}

func (s leaderboard) choose() (screen, tea.Cmd) {
	if len(s.lines) == 0 {
		return s, nil
	}
	return s, push(newProfile(s.env, s.lines[s.list.at].Name))
}

func (s leaderboard) room(h int) int { return max(h-5, 1) }

// The columns of the leaderboard, in cells.
const (
	rankCells   = 5
	nameRoom    = 21
	ratingCells = 7
	countCells  = 7
)

func (s leaderboard) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	t, say := s.env.theme, s.env.say
	p.down(firstLine)
	gameTabs(p, s.env, s.game, false)
	if s.loaded && len(s.lines) == 0 {
		p.end()
		for _, words := range []string{say.T("Nobody has played a rated match yet."), say.T("New match... in the lobby opens one.")} {
			for _, line := range text.Wrap(words, p.width-2*menuColumn) {
				p.line(menuColumn, t.dim, line)
			}
		}
		return
	}
	counts := p.width >= bothColumns
	p.to(menuColumn).number(t.dim, say.T("rank"), rankCells-1).to(menuColumn+rankCells).field(t.dim, say.T("name"), nameRoom)
	p.number(t.dim, say.T("rating"), ratingCells)
	if counts {
		for _, words := range []string{say.T("played"), say.T("won"), say.T("drawn"), say.T("lost")} {
			p.number(t.dim, words, countCells)
		}
	}
	p.end()
	drawList(p, t, s.list, len(s.lines), s.room(p.height), func(i int, y canvas.Style) {
		l := s.lines[i]
		rank := "?"
		if l.Rank > 0 {
			rank = strconv.Itoa(l.Rank)
		}
		p.number(y, rank, rankCells-1).to(menuColumn+rankCells).field(y, text.Clean(l.Name), nameRoom)
		p.number(y, rated(l.Rating, l.Provisional), ratingCells)
		if counts {
			for _, n := range []int{l.Played, l.Won, l.Drawn, l.Lost} {
				p.number(y, strconv.Itoa(n), countCells)
			}
		}
	})
}

// gameTabs draws the names of the games in one line, the chosen one marked; in a narrow window that one alone.
func gameTabs(p *page, e *env, chosen int, all bool) {
	names := make([]string, 0, 6)
	if all {
		names = append(names, e.say.T("all games"))
	}
	for _, g := range e.club.Games() {
		names = append(names, shortName(g))
	}
	t := e.theme
	p.to(menuColumn)
	if p.width < bothColumns {
		p.put(t.dim, t.left).to(p.at+1).put(t.accent, names[chosen]).to(p.at+1).put(t.dim, t.right).end()
		return
	}
	for i, name := range names {
		if i != chosen {
			p.put(t.dim, name).to(p.at + 3)
			continue
		}
		p.at-- // there is room between the names for a sign on either side, and some terminals show no style
		p.put(t.dim, t.left).put(t.accent, name).put(t.dim, t.right).to(p.at + 2)
	}
	p.end()
}

func (s leaderboard) Title() string {
	return "Ludoteca" + s.env.theme.dot + s.env.say.T("leaderboard")
}

func (s leaderboard) Status() string { return s.env.say.T("? is provisional") }
func (s leaderboard) Typing() bool   { return false }

// leaderboardKeys are the keys of the leaderboard.
type leaderboardKeys struct {
	list         listKeys
	choose, game key.Binding
}

func (s leaderboard) keys() leaderboardKeys {
	say := s.env.say
	return leaderboardKeys{
		list:   newListKeys(say),
		choose: bind("enter", say.T("player"), "enter"),
		game:   bind("tab", say.T("other game"), "tab", "right", "shift+tab", "left"),
	}
}

func (s leaderboard) Keys() keyMap { return s.keys() }

func (k leaderboardKeys) ShortHelp() []key.Binding {
	return []key.Binding{k.game, k.list.move, k.choose}
}
func (k leaderboardKeys) FullHelp() [][]key.Binding {
	return [][]key.Binding{k.ShortHelp(), k.list.others()}
}
