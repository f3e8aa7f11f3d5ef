package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// historyPage is how many matches are asked for at a time.
const historyPage = 50

// history lists finished matches, those of one player or of everybody, newest first.
type history struct {
	env      *env
	size     tea.WindowSizeMsg
	name     string // whose matches can be seen alone; "" is nobody's
	everyone bool
	game     int // 0 is all games, else its place in the catalogue and 1

	rows   []storage.Finished
	next   storage.Cursor // where to go on; zero at the end
	loaded bool
	asking int // the number of the last question; older answers don't count
	list   list
}

type finishedMsg struct {
	number int
	more   bool
	rows   []storage.Finished
	next   storage.Cursor
	err    error
}

// newHistory starts with the matches of the named player; a guest, whose matches are kept under nobody's name, sees everybody's.
func newHistory(e *env, name string) screen {
	if name == e.who.Name && e.who.Player() == "" {
		name = ""
	}
	return history{env: e, name: name, everyone: name == "", asking: 1}
}

func (s history) Init() tea.Cmd { return s.load(false) }

// load asks for the matches from the start, or for more of them.
func (s history) load(more bool) tea.Cmd {
	q := lobby.HistoryQuery{Limit: historyPage}
	if !s.everyone {
		q.Name = s.name
	}
	if s.game > 0 {
		q.Game = s.env.club.Games()[s.game-1].About().ID
	}
	if more {
		q.Before = s.next
	}
	club, ctx, number := s.env.club, s.env.ctx, s.asking
	return func() tea.Msg {
		rows, next, err := club.History(ctx, q)
		return finishedMsg{number, more, rows, next, err}
	}
}

func (s history) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.fit(len(s.rows), s.room(msg.Height))
	case finishedMsg:
		return s.update(msg)
	case tea.MouseWheelMsg:
		s.list = s.list.wheel(msg, len(s.rows), s.room(s.size.Height))
		return s.loadMore()
	case tea.MouseClickMsg:
		if at, ok := s.list.click(msg, 3, len(s.rows), s.room(s.size.Height)); ok {
			s.list.at = at
			return s.choose()
		}
	case tea.KeyPressMsg:
		switch k := s.keys(); {
		case key.Matches(msg, k.game):
			s.game = cycle(s.game, len(s.env.club.Games())+1, msg.String())
			return s.restart()
		case key.Matches(msg, k.everyone):
			s.everyone = !s.everyone
			return s.restart()
		case key.Matches(msg, k.choose):
			return s.choose()
		case k.list.matches(msg):
			s.list = s.list.key(msg.String(), len(s.rows), s.room(s.size.Height))
			return s.loadMore()
		}
	}
	return s, nil
}

// restart asks anew after the choice of matches has changed.
func (s history) restart() (screen, tea.Cmd) {
	s.rows, s.next, s.loaded, s.list = nil, storage.Cursor{}, false, list{}
	s.asking++
	return s, s.load(false)
}

// loadMore asks for more when the cursor comes near the end.
func (s history) loadMore() (screen, tea.Cmd) {
	if !s.loaded || s.next == (storage.Cursor{}) || s.list.at < len(s.rows)-s.room(s.size.Height) {
		return s, nil
	}
	s.asking++
	s.loaded = false
	return s, s.load(true)
}

func (s history) update(msg finishedMsg) (screen, tea.Cmd) {
	if msg.number != s.asking {
		return s, nil
	}
	s.loaded = true
	if msg.err != nil {
		return s, note(s.env.say.Error(msg.err))
	}
	if msg.more {
		s.rows = append(s.rows[:len(s.rows):len(s.rows)], msg.rows...)
	} else {
		s.rows = msg.rows
	}
	s.next = msg.next
	s.list = s.list.fit(len(s.rows), s.room(s.size.Height))
	return s, nil
}

func (s history) choose() (screen, tea.Cmd) {
	if len(s.rows) == 0 {
		return s, nil
	}
	return s, push(newReview(s.env, s.rows[s.list.at].ID))
}

func (s history) room(h int) int { return max(h-4, 1) }

func (s history) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	t, say := s.env.theme, s.env.say
	p.down(firstLine)
	gameTabs(p, s.env, s.game, true)
	if s.loaded && len(s.rows) == 0 {
		p.end()
		p.line(menuColumn, t.dim, say.T("No finished match yet."))
		return
	}
	drawList(p, t, s.list, len(s.rows), s.room(p.height), func(i int, y canvas.Style) { s.drawRow(p, y, s.rows[i]) })
}

// drawRow draws a match: when, which game, who against whom, how it ended.
func (s history) drawRow(p *page, y canvas.Style, f storage.Finished) {
	names := occupant(s.env, f.First) + " - " + occupant(s.env, f.Second)
	if f.Helped != (storage.Help{}) {
		names += s.env.say.T(", with help")
	}
	if p.width < bothColumns {
		p.field(y, gameName(s.env, f.Game), gameCells)
		p.field(y, names, p.width-margin-p.at-5)
		p.number(y, s.outcome(f), 5)
		return
	}
	end := min(p.width-margin, listColumn+listCells)
	p.field(y, text.Date(f.Ended), 12).field(y, gameName(s.env, f.Game), gameCells)
	p.field(y, names, end-p.at-19).field(y, s.outcome(f), 7)
	p.number(y, s.env.say.T("%d moves", f.Plies), 12)
}

// outcome is the result as the player sees it, or as a score where nobody is looked at.
func (s history) outcome(f storage.Finished) string {
	say := s.env.say
	switch f.Result {
	case "":
		return say.T("void")
	case "draw":
		return say.T("draw")
	}
	if !s.everyone && (f.First.Name == s.name) != (f.Second.Name == s.name) {
		if (f.Result == "first") == (f.First.Name == s.name) {
			return say.T("won")
		}
		return say.T("lost")
	}
	if f.Result == "first" {
		return "1-0"
	}
	return "0-1"
}

func (s history) Title() string { return "Ludoteca" + s.env.theme.dot + s.env.say.T("history") }

func (s history) Status() string {
	if s.everyone {
		return s.env.say.T("everybody")
	}
	return s.name
}

func (s history) Typing() bool { return false }

// historyKeys are the keys of the list of finished matches.
type historyKeys struct {
	list                   listKeys
	choose, game, everyone key.Binding
}

func (s history) keys() historyKeys {
	say := s.env.say
	return historyKeys{
		list:     newListKeys(say),
		choose:   bind("enter", say.T("look at it"), "enter"),
		game:     bind(say.T("left right"), say.T("game"), "left", "right"),
		everyone: when(s.name != "", bind("tab", say.T("one or everybody"), "tab", "shift+tab")),
	}
}

func (s history) Keys() keyMap { return s.keys() }

func (k historyKeys) ShortHelp() []key.Binding { return []key.Binding{k.choose, k.game, k.everyone} }
func (k historyKeys) FullHelp() [][]key.Binding {
	return [][]key.Binding{k.ShortHelp(), k.list.others()}
}
