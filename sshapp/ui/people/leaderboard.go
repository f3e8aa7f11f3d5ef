package people

import (
	"slices"
	"strconv"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/learning"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/results"
)

// A leaderboard ranks the players of one game, in matches or in puzzles.
type leaderboard struct {
	env     *screen.Env
	size    tea.WindowSizeMsg
	game    int
	puzzles bool
	season  results.Season // "": of all time
	lines   []standings.Line
	loaded  bool // the lines belong to what is chosen
	list    widget.List
}

type linesMsg struct {
	game    int
	puzzles bool
	season  results.Season
	lines   []standings.Line
	err     error
}

// NewLeaderboard returns the ratings of all players, by game.
func NewLeaderboard(e *screen.Env) screen.Screen { return leaderboard{env: e} }

func (s leaderboard) Init() tea.Cmd { return s.load() }

func (s leaderboard) load() tea.Cmd {
	l, ctx, who, game, id := s.env.Lobby, s.env.Ctx, s.env.Who, s.game, s.about(s.game)
	if s.puzzles {
		return func() tea.Msg {
			solvers, err := l.Puzzles.Leaders(ctx, id)
			return linesMsg{game, true, "", solverLines(solvers), err}
		}
	}
	if season := s.season; season != "" {
		return func() tea.Msg {
			lines, err := l.Season(ctx, id, season)
			return linesMsg{game, false, season, lines, err}
		}
	}
	return func() tea.Msg {
		lines, err := l.Leaderboard(ctx, id)
		if err != nil {
			return linesMsg{game, false, "", lines, err}
		}
		own, ok, err := l.OwnLine(ctx, who, id)
		if ok && !slices.ContainsFunc(lines, func(l standings.Line) bool { return l.Name == own.Name }) {
			lines = append(slices.Clone(lines), own) // however far down it is
		}
		return linesMsg{game, false, "", lines, err}
	}
}

// solverLines returns the lines of players who are ranked in puzzles: played are their first tries, and those won are solved.
func solverLines(solvers []learning.PuzzleLeader) (lines []standings.Line) {
	for i, p := range solvers {
		lines = append(lines, standings.Line{Rank: i + 1, Name: p.Name, Standing: standings.Standing{Rating: p.Rating, Played: p.Tried, Won: p.Solved}})
	}
	return lines
}

func (s leaderboard) about(game int) string { return s.env.Lobby.Games()[game].About().ID }

func (s leaderboard) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	n := len(s.lines)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(n, s.columns().Room())
	case linesMsg:
		if msg.game != s.game || msg.puzzles != s.puzzles || msg.season != s.season {
			return s, s.load() // something else has been chosen meanwhile
		}
		s.lines, s.loaded = msg.lines, true
		s.list = s.start()
		return s, screen.Note(s.env.Say.Error(msg.err))
	case tea.MouseMsg:
		var clicked bool
		if s.list, clicked = s.columns().Mouse(s.list, msg, n); clicked {
			return s.choose()
		}
	case tea.KeyPressMsg:
		return screen.Press(s, &leaderboardKeys, msg)
	}
	return s, nil
}

var leaderboardKeys = widget.Actions[leaderboard]{
	Footer: []widget.Action[leaderboard]{
		widget.OnKey("tab", text.T("other game"), leaderboard.changeGame, "tab", "right", "shift+tab", "left"),
		// Translators: the key p of the leaderboard shows the ratings in puzzles, or those in matches again.
		widget.On("p", text.T("puzzles"), leaderboard.turn, "p").Doing(leaderboard.turnWhat),
		widget.On("enter", text.T("player"), leaderboard.choose, "enter"),
	},
	Others: append([]widget.Action[leaderboard]{
		widget.On("s", text.T("season"), leaderboard.turnSeason, "s").When(leaderboard.ofMatches).Doing(leaderboard.seasonWhat),
		widget.ArrowKeys(leaderboard.move),
	}, widget.JumpKeys(leaderboard.move)...),
}

func (s leaderboard) move(msg tea.KeyPressMsg) (leaderboard, tea.Cmd) {
	s.list = s.list.Key(msg.String(), len(s.lines), s.columns().Room())
	return s, nil
}

func (s leaderboard) changeGame(msg tea.KeyPressMsg) (leaderboard, tea.Cmd) {
	s.game = widget.Cycle(s.game, len(s.env.Lobby.Games()), msg.String())
	return s.chosen()
}

// turn turns from matches to puzzles, and back.
func (s leaderboard) turn() (leaderboard, tea.Cmd) {
	s.puzzles, s.season = !s.puzzles, ""
	return s.chosen()
}

// ofMatches reports whether the page shows ratings in matches, which have seasons.
func (s leaderboard) ofMatches() bool { return !s.puzzles }

// turnSeason turns from all time to the season that goes on, to the one before, and back.
func (s leaderboard) turnSeason() (leaderboard, tea.Cmd) {
	s.season = s.nextSeason()
	return s.chosen()
}

func (s leaderboard) nextSeason() results.Season {
	switch now := results.SeasonOf(s.env.Now()); s.season {
	case "":
		return now
	case now:
		return now.Before()
	}
	return ""
}

func (s leaderboard) seasonWhat() string {
	switch next := s.nextSeason(); {
	case next == "":
		return text.T("of all time")
	case s.season == "":
		return text.T("this season")
	}
	return text.T("last season")
}

func (s leaderboard) turnWhat() string {
	if s.puzzles {
		return text.T("matches")
	}
	return text.T("puzzles")
}

// chosen loads the lines of what has been chosen.
func (s leaderboard) chosen() (leaderboard, tea.Cmd) {
	waits := !s.loaded // for an answer: there is never more than one query under way
	s.lines, s.loaded, s.list = nil, false, widget.List{}
	if waits {
		return s, nil
	}
	return s, s.load()
}

// start returns a list with the cursor on the player's own line.
func (s leaderboard) start() widget.List {
	l := widget.List{}
	for i, line := range s.lines {
		if line.Name == s.env.Who.Name {
			l.At = i
		}
	}
	return l.Fit(len(s.lines), s.columns().Room())
}

func (s leaderboard) choose() (leaderboard, tea.Cmd) {
	if len(s.lines) == 0 {
		return s, nil
	}
	return s, screen.Push(newProfile(s.env, s.lines[s.list.At].Name))
}

// columns returns where the lines stand: below the tabs, the heads of the columns and the mark for what is above.
func (s leaderboard) columns() widget.Columns {
	return widget.NewColumns(s.size, widget.FirstLine+3, 0, len(s.lines))
}

// The columns of the leaderboard, in cells.
const (
	rankCells  = 5
	nameRoom   = 21
	countCells = 7
)

func (s leaderboard) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	p.Down(widget.FirstLine)
	widget.DrawTabs(&p, s.env.Theme, describe.GameNames(s.env), s.game)
	if s.loaded && len(s.lines) == 0 && s.puzzles {
		p.End()
		p.Wrap(widget.MenuColumn, t.Dim, say.T("Nobody has tried %d puzzles yet.", learning.LeaderTries), widget.Measure(p.Width)-2*widget.MenuColumn)
		return
	}
	if s.loaded && len(s.lines) == 0 && s.season != "" {
		p.End()
		p.Wrap(widget.MenuColumn, t.Dim, say.T("Nobody has played a rated match in %s.", string(s.season)), widget.Measure(p.Width)-2*widget.MenuColumn)
		return
	}
	if s.loaded && len(s.lines) == 0 {
		p.End()
		p.Wrap(widget.MenuColumn, t.Dim, say.T("Nobody has played a rated match yet."), widget.Measure(p.Width)-2*widget.MenuColumn)
		p.Wrap(widget.MenuColumn, t.Dim, say.T("New match... in the lobby opens one."), widget.Measure(p.Width)-2*widget.MenuColumn)
		return
	}
	columns := s.columns()
	columns.Each(&p, 1, func(p *widget.Page, _ int) { s.drawHeads(p) })
	columns.Draw(&p, t, s.list, len(s.lines), s.drawLine)
}

// drawHeads draws the heads of the columns.
func (s leaderboard) drawHeads(p *widget.Page) {
	t, say := s.env.Theme, s.env.Say
	p.To(widget.MenuColumn).Number(t.Dim, say.T("rank"), rankCells-1).To(widget.MenuColumn+rankCells).Field(t.Dim, say.T("name"), nameRoom)
	rating := say.T("rating")
	if s.season != "" {
		// Translators: the head of a column: the highest rating of a player in a season.
		rating = say.C("rating", "best")
	}
	p.Number(t.Dim, rating, describe.RatingCells)
	if p.Width >= widget.BothColumns {
		heads := []string{say.T("played"), say.T("won"), say.T("drawn"), say.T("lost")}
		if s.puzzles {
			// Translators: heads of columns of numbers: puzzles that a player has tried, and solved.
			heads = []string{say.T("tried"), say.T("solved")}
		}
		for _, words := range heads {
			p.Number(t.Dim, words, countCells)
		}
	}
	p.End()
}

// drawLine draws a player.
func (s leaderboard) drawLine(p *widget.Page, i int, y canvas.Style) {
	l := s.lines[i]
	rank := "?"
	if l.Rank > 0 {
		rank = strconv.Itoa(l.Rank)
	}
	p.Number(y, rank, rankCells-1).To(widget.MenuColumn+rankCells).Field(y, text.Clean(l.Name), nameRoom)
	rating := l.Rating
	if s.season != "" && l.Best > 0 {
		rating = l.Best
	}
	p.Number(y, describe.Rated(rating, l.Provisional), describe.RatingCells)
	if p.Width >= widget.BothColumns {
		counts := []int{l.Played, l.Won, l.Drawn, l.Lost}
		if s.puzzles {
			counts = counts[:2]
		}
		for _, n := range counts {
			p.Number(y, strconv.Itoa(n), countCells)
		}
	}
}

func (s leaderboard) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Each game has its own ratings, by Glicko-2; everybody starts at 1500. Only rated matches between people with keys count. Many against the same person in a day count less, and so do those against an account of less than a day."),
		say.T("Ratings with a ? are provisional: they rest on few matches, or on few opponents who are known. They stand below the others without a rank, and so do players without a rated match for 90 days. Your own line comes last where it is further down. Enter shows the player."),
		say.T("The key s shows a season, a quarter of the calendar, by the highest rating that each player had in it. A rank needs %d rated matches in the season.", standings.SeasonMatches),
		say.T("The key p shows the ratings in puzzles, of players who have tried %d puzzles of the game. They move nobody's rating in matches.", learning.LeaderTries),
	)
}

func (s leaderboard) Title() string {
	title := s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("leaderboard")
	if s.puzzles {
		title += s.env.Theme.Dot + s.env.Say.T("puzzles")
	}
	if s.season != "" {
		title += s.env.Theme.Dot + string(s.season)
	}
	return title
}

func (s leaderboard) Status() string {
	if s.puzzles {
		return s.env.Who.Name
	}
	return s.env.Say.T("? is provisional")
}

func (s leaderboard) ShortHelp() []key.Binding  { return leaderboardKeys.ShortHelp(s) }
func (s leaderboard) FullHelp() [][]key.Binding { return leaderboardKeys.FullHelp(s) }
func (s leaderboard) Typing() bool              { return false }
