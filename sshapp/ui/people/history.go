package people

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/review"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// historyPage is the number of matches that are loaded at a time.
const historyPage = 50

// A history lists finished matches of one player or of all players, the newest first.
type history struct {
	env      *screen.Env
	size     tea.WindowSizeMsg
	name     string // the player; "" if there are only the matches of all players to show
	everyone bool   // the matches of all players are shown
	game     int    // 0 stands for all games, i+1 for game i of the catalogue

	rows   []results.Finished
	next   results.Cursor // of the rows that follow; zero at the end
	widest int            // cells of the widest names of players
	loaded bool
	asked  int // the number of the last query; answers to earlier ones are ignored
	list   widget.List
}

type finishedMsg struct {
	number int
	more   bool
	rows   []results.Finished
	next   results.Cursor
	err    error
}

// NewHistory returns the history of the named player. A guest gets the history of all players, because no match is stored under a guest's
// name.
func NewHistory(e *screen.Env, name string) screen.Screen {
	if name == e.Who.Name && e.Who.Player() == "" {
		name = ""
	}
	return history{env: e, name: name, everyone: name == "", asked: 1}
}

func (s history) Init() tea.Cmd { return s.load(false) }

// load queries the first page of matches or, if more is true, the next one.
func (s history) load(more bool) tea.Cmd {
	q := standings.HistoryQuery{Limit: historyPage}
	if !s.everyone {
		q.Name = s.name
	}
	if s.game > 0 {
		q.Game = s.env.Lobby.Games()[s.game-1].About().ID
	}
	if more {
		q.Before = s.next
	}
	l, ctx, number := s.env.Lobby, s.env.Ctx, s.asked
	return func() tea.Msg {
		rows, next, err := l.History(ctx, q)
		return finishedMsg{number, more, rows, next, err}
	}
}

func (s history) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(len(s.rows), s.columns().Room())
	case finishedMsg:
		return s.update(msg)
	case tea.MouseMsg:
		var clicked bool
		if s.list, clicked = s.columns().Mouse(s.list, msg, len(s.rows)); clicked {
			return s.choose()
		}
		return s.loadMore()
	case tea.KeyPressMsg:
		return screen.Press(s, &historyKeys, msg)
	}
	return s, nil
}

var historyKeys = widget.Actions[history]{
	Footer: []widget.Action[history]{
		widget.On("enter", text.T("look at it"), history.choose, "enter"),
		widget.OnKey(text.T("left right"), text.T("game"), history.changeGame, "left", "right"),
		// Translators: the matches of one player or of everybody.
		widget.On("tab", text.T("one or everybody"), history.changePlayer, "tab", "shift+tab").When(history.ofPlayer),
		openStudiesKey.Listed(history.isWide),
	},
	Others: append(widget.JumpKeys(history.move, widget.OnKey("", "", history.move, "up", "down")), openStudiesKey),
}

// ofPlayer reports whether the history was opened for one player.
func (s history) ofPlayer() bool { return s.name != "" }

// openStudiesKey has room in the footer of a wide window, and always in the help.
var openStudiesKey = widget.On("s", text.T("your studies"), history.openStudies, "s").When(history.isOwn)

// wideFooter is the width of a window whose footer has room for all keys of a history, in each language.
const wideFooter = 120

// isWide reports whether the footer has room for all keys.
func (s history) isWide() bool { return s.size.Width >= wideFooter }

// isOwn reports whether it is the history of the session's player.
func (s history) isOwn() bool {
	return s.ofPlayer() && s.name == s.env.Who.Name && s.env.Who.Kind == storage.Person
}

// openStudies shows the records from elsewhere that the player keeps.
func (s history) openStudies() (history, tea.Cmd) { return s, screen.Push(NewStudies(s.env)) }

func (s history) move(msg tea.KeyPressMsg) (history, tea.Cmd) {
	s.list = s.list.Key(msg.String(), len(s.rows), s.columns().Room())
	return s.loadMore()
}

func (s history) changeGame(msg tea.KeyPressMsg) (history, tea.Cmd) {
	s.game = widget.Cycle(s.game, len(s.env.Lobby.Games())+1, msg.String())
	return s.restart()
}

func (s history) changePlayer() (history, tea.Cmd) {
	s.everyone = !s.everyone
	return s.restart()
}

// restart loads the matches after the choice of matches has changed: if a query is under way, when that is answered, so that
// there is never more than one.
func (s history) restart() (history, tea.Cmd) {
	waits := !s.loaded
	s.rows, s.next, s.loaded, s.list = nil, results.Cursor{}, false, widget.List{}
	s.asked++
	if waits {
		return s, nil
	}
	return s, s.load(false)
}

// loadMore loads more when the cursor comes near the end.
func (s history) loadMore() (history, tea.Cmd) {
	if !s.loaded || s.next == (results.Cursor{}) || s.list.At < len(s.rows)-s.columns().Room() {
		return s, nil
	}
	s.asked++
	s.loaded = false
	return s, s.load(true)
}

func (s history) update(msg finishedMsg) (history, tea.Cmd) {
	if msg.number != s.asked {
		return s, s.load(false) // another choice has been made meanwhile
	}
	s.loaded = true
	if msg.err != nil {
		return s, screen.Note(s.env.Say.Error(msg.err))
	}
	if msg.more {
		s.rows = append(s.rows[:len(s.rows):len(s.rows)], msg.rows...)
	} else {
		s.rows = msg.rows
	}
	s.widest = 0
	for _, f := range s.rows {
		s.widest = max(s.widest, text.Width(s.names(f)))
	}
	s.next = msg.next
	s.list = s.list.Fit(len(s.rows), s.columns().Room())
	return s, nil
}

func (s history) choose() (history, tea.Cmd) {
	if len(s.rows) == 0 {
		return s, nil
	}
	return s, screen.Push(review.New(s.env, lobby.Ref{ID: s.rows[s.list.At].ID}))
}

// columns returns where the rows stand: below the tabs and the mark for what is above.
func (s history) columns() widget.Columns {
	return widget.NewColumns(s.size, widget.FirstLine+2, 0, len(s.rows))
}

func (s history) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	p.Down(widget.FirstLine)
	widget.DrawTabs(&p, s.env.Theme, append([]string{s.env.Say.T("all games")}, describe.GameNames(s.env)...), s.game)
	if s.loaded && len(s.rows) == 0 {
		p.End()
		p.Line(widget.MenuColumn, t.Dim, say.T("No finished match yet."))
		return
	}
	s.columns().Draw(&p, t, s.list, len(s.rows), func(p *widget.Page, i int, y canvas.Style) { s.drawRow(p, y, s.rows[i]) })
}

// drawRow draws a match: its time, game, players and result.
func (s history) drawRow(p *widget.Page, y canvas.Style, f results.Finished) {
	if p.Width < widget.BothColumns {
		names := s.pair(f)
		p.Field(y, describe.GameName(s.env, f.Game), describe.GameCells)
		outcome := s.outcome(f, s.env.Say.T("won"), s.env.Say.T("lost"))
		cells := max(text.Width(outcome)+1, 6)
		p.Field(y, names, p.Width-widget.Margin-p.At-cells)
		p.Number(y, outcome, cells)
		return
	}
	p.Field(y, s.env.Say.Date(f.Ended), dateCells).Field(y, describe.GameName(s.env, f.Game), describe.GameCells)
	end := min(p.Width-widget.Margin, max(describe.ListColumn+describe.ListCells, p.At+s.widest+1+outcomeCells+pliesCells))
	p.Field(y, s.names(f), end-p.At-outcomeCells-pliesCells).Field(y, s.outcome(f, s.env.Say.T("win"), s.env.Say.T("loss")), outcomeCells)
	p.Number(y, plies(s.env.Say, f.Plies), pliesCells)
}

// pair returns the names of the players of a match.
func (s history) pair(f results.Finished) string {
	return describe.Occupant(s.env, f.First) + " - " + describe.Occupant(s.env, f.Second)
}

// names returns the names of the players, the clock and whether they had help.
func (s history) names(f results.Finished) string {
	names := s.pair(f)
	if clock, err := lobby.ParseClock(f.Clock); err == nil && clock.Kind != lobby.NoClock {
		names += ", " + s.env.Say.ShortClock(clock)
	}
	if f.Helped != (results.Help{}) {
		names += s.env.Say.T(", with help")
	}
	return names
}

// The columns of dates, of results, where there is room to write them out, and of numbers of moves.
const (
	dateCells    = 11
	outcomeCells = 9
	pliesCells   = 11
)

// plies says how many moves were made in a match.
func plies(say wording.Words, n int) string { return say.N(n, "1 move", "%d moves") }

// outcome returns the result for the shown player, won and lost in the given words, or as a score.
func (s history) outcome(f results.Finished, won, lost string) string {
	say := s.env.Say
	switch f.Result {
	case "":
		// Translators: a match that was called off and counts for nothing.
		return say.T("void")
	case "draw":
		return say.T("draw")
	}
	if !s.everyone && (f.First.Name == s.name) != (f.Second.Name == s.name) {
		if (f.Result == "first") == (f.First.Name == s.name) {
			return won
		}
		return lost
	}
	if f.Result == "first" {
		return "1-0"
	}
	return "0-1"
}

func (s history) Help() string {
	say := s.env.Say
	words := []string{
		say.T("Finished matches, the newest first. Left and right choose a game, tab switches between one player and everybody."),
		say.T("Enter steps through a match, move by move."),
	}
	if s.isOwn() {
		words = append(words, say.T("The key s lists your studies: records from elsewhere that you have imported."))
	}
	return widget.Paragraphs(words...)
}

func (s history) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("history")
}

func (s history) Status() string {
	if s.everyone {
		return s.env.Say.T("everybody")
	}
	return s.name
}

func (s history) ShortHelp() []key.Binding  { return historyKeys.ShortHelp(s) }
func (s history) FullHelp() [][]key.Binding { return historyKeys.FullHelp(s) }
func (s history) Typing() bool              { return false }
