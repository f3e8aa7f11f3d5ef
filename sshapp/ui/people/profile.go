// Package people has the screens about players: the users here, leaderboard, profile, history, relations, reports, and matches to watch.
package people

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/learning"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/talkpage"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A profile shows a player's ratings and results.
type profile struct {
	env       *screen.Env
	name      string
	found     standings.Profile
	career    standings.Career
	practised learning.PracticeStandings
	loaded    bool

	follows, blocks bool // whether the session's player does
	busy            bool
}

type profileMsg struct {
	profile         standings.Profile
	career          standings.Career
	practised       learning.PracticeStandings
	follows, blocks bool
	err             error
}

// companyMsg is the answer to a wish about the player: words for a note, and how things are now.
type companyMsg struct {
	words           string
	follows, blocks bool
	err             error
}

func newProfile(e *screen.Env, name string) screen.Screen { return profile{env: e, name: name} }

func (s profile) Init() tea.Cmd {
	l, ctx, name, who := s.env.Lobby, s.env.Ctx, s.name, s.env.Who
	return func() tea.Msg {
		p, err := l.Profile(ctx, who, name)
		if err != nil {
			return profileMsg{err: err}
		}
		career, err := l.Career(ctx, who, p, standings.RatedPoints)
		if err != nil {
			return profileMsg{err: err}
		}
		practised, err := l.Practice.StandingsOf(ctx, p.ID)
		follows, blocks := l.RelationTo(who, p.ID)
		return profileMsg{p, career, practised, follows, blocks, err}
	}
}

func (s profile) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case profileMsg:
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		s.found, s.career, s.practised, s.loaded, s.follows, s.blocks = msg.profile, msg.career, msg.practised, true, msg.follows, msg.blocks
	case companyMsg:
		s.busy = false
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		s.follows, s.blocks = msg.follows, msg.blocks
		return s, screen.Note(msg.words)
	case tea.KeyPressMsg:
		return screen.Press(s, &profileKeys, msg)
	}
	return s, nil
}

var profileKeys = widget.Actions[profile]{Footer: []widget.Action[profile]{
	widget.On("enter", text.T("matches"), profile.choose, "enter"),
	widget.On("c", text.T("challenge"), profile.challenge, "c").When(profile.canChallenge),
	widget.On("f", text.T("follow"), profile.follow, "f").When(profile.isOther).Doing(profile.followWhat),
	widget.On("b", text.T("block"), profile.block, "b").When(profile.isOther).Doing(profile.blockWhat),
	widget.Typed[profile]("esc", text.T("back")), // App's key, named here to stand before what is needed less
	widget.On("r", text.T("report"), profile.report, "r").When(profile.isOther),
	widget.On("w", text.T("write"), writeTo, "w").When(mayWriteTo),
}}

// choose shows the player's finished matches.
func (s profile) choose() (profile, tea.Cmd) { return s, screen.Push(NewHistory(s.env, s.name)) }

// mayWriteTo reports whether the player may write to the one whom the profile is about, as far as the page knows.
func mayWriteTo(s profile) bool { return s.isOther() && s.env.Who.Kind.HasAccount() }

// writeTo opens the lines between the player and the one whom the profile is about.
func writeTo(s profile) (profile, tea.Cmd) {
	return s, screen.Push(talkpage.NewTells(s.env, s.name))
}

// canChallenge reports whether the profile belongs to another player. Guests can challenge as well.
func (s profile) canChallenge() bool { return s.loaded && s.found.ID != s.env.Who.Player() }

func (s profile) challenge() (profile, tea.Cmd) {
	return s, screen.Push(newmatch.NewChallenge(s.env, s.found.Name))
}

// resultCells is the width of a column of results.
const resultCells = 6

func (s profile) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	p.Down(widget.FirstLine)
	p.Line(widget.MenuColumn, t.Accent, text.Clean(s.name))
	if !s.loaded {
		return
	}
	here := say.T("not here just now")
	if s.found.Online {
		here = say.T("here")
	}
	p.Line(widget.MenuColumn, t.Dim, say.T("since %s", say.Date(s.found.Since))+t.Dot+here)
	s.drawCompany(&p)
	if s.found.Kind == storage.Engine {
		p.Line(widget.MenuColumn, t.Dim, say.OwnerOf(s.found.Owner))
	}
	if until := s.env.Lobby.Vacations.Until(s.found.ID); !until.IsZero() {
		p.Wrap(widget.MenuColumn, t.Accent, say.Vacation(s.found.Name, until), widget.Measure(p.Width)-2*widget.MenuColumn)
	}
	p.End()
	if len(s.found.Games) == 0 {
		p.Line(widget.MenuColumn, t.Dim, say.T("No rated match yet."))
		s.drawCareer(&p)
		return
	}
	p.To(widget.MenuColumn+describe.GameCells).Number(t.Dim, say.T("rating"), describe.RatingCells)
	for _, words := range []string{say.T("won"), say.T("drawn"), say.T("lost")} {
		p.Number(t.Dim, words, resultCells)
	}
	p.End()
	for _, g := range s.found.Games {
		p.To(widget.MenuColumn).Field(t.Plain, describe.GameName(s.env, g.Game), describe.GameCells)
		p.Number(t.Plain, describe.Rated(g.Rating, g.Provisional), describe.RatingCells)
		for _, n := range []int{g.Won, g.Drawn, g.Lost} {
			p.Number(t.Plain, strconv.Itoa(n), resultCells)
		}
		p.End()
	}
	for _, b := range s.found.Badges {
		p.Line(widget.MenuColumn, t.Accent, say.Badge(describe.GameName(s.env, b.Game), b))
	}
	s.drawCareer(&p)
}

// drawCareer draws how the ratings have gone, the score by side, and the score against the user.
func (s profile) drawCareer(p *widget.Page) {
	t, say := s.env.Theme, s.env.Say
	room := p.Width - 2*widget.MenuColumn - describe.GameCells
	for i, g := range s.found.Games {
		of := ratingsIn(s.career.Ratings, g.Game)
		if len(of) < 2 {
			continue
		}
		if i == 0 {
			p.End()
		}
		ends := fmt.Sprintf("  %.0f-%.0f", slices.Min(of), slices.Max(of))
		p.To(widget.MenuColumn).Field(t.Dim, describe.GameName(s.env, g.Game), describe.GameCells)
		p.Put(t.Accent, plot(of, min(room-len(ends), plotCells), t.ASCII))
		p.Put(t.Dim, ends)
		p.End()
	}
	for i, g := range s.career.Sides {
		if i == 0 {
			p.End()
		}
		words := say.T("%s: %s playing first, %s playing second", describe.GameName(s.env, g.Game), short(g.First), short(g.Second))
		p.Wrap(widget.MenuColumn, t.Dim, words, widget.Measure(p.Width)-2*widget.MenuColumn)
	}
	if len(s.career.Sides) > 0 {
		p.End()
	}
	if a := s.career.Against; a != nil && *a != (results.Score{}) {
		p.Line(widget.MenuColumn, t.Plain, say.T("Against you: %s", say.Score(*a)))
	}
	if share, known := s.career.FinishedShare(); known {
		p.Line(widget.MenuColumn, t.Dim, say.Finished(share))
	}
	s.drawPractice(p)
}

// widePage is the width of a page that has room for the numbers of matches beside curves.
const widePage = 60

// drawPractice draws the practice ratings, and how they have gone.
func (s profile) drawPractice(p *widget.Page) {
	t, say := s.env.Theme, s.env.Say
	first := true
	for _, g := range s.env.Lobby.Games() {
		of, ok := s.practised[g.About().ID]
		if !ok {
			continue
		}
		if first {
			p.End()
			p.Line(widget.MenuColumn, t.Dim, say.T("practice against the computer"))
			first = false
		}
		ends := "  " + strconv.Itoa(int(math.Round(of.Rating)))
		if p.Width >= widePage {
			ends += t.Dot + say.N(of.Played, "%d match", "%d matches")
		}
		var curve []float64
		for _, point := range of.Points {
			curve = append(curve, point.After)
		}
		p.To(widget.MenuColumn).Field(t.Plain, describe.GameName(s.env, g.About().ID), describe.GameCells)
		room := p.Width - 2*widget.MenuColumn - describe.GameCells - text.Width(ends)
		if len(curve) > 1 {
			p.Put(t.Accent, plot(curve, min(room, plotCells), t.ASCII))
		}
		p.Put(t.Plain, ends)
		p.End()
	}
}

// short is a score in few cells: won, drawn and lost as in +3 =1 -2.
func short(of results.Score) string { return fmt.Sprintf("+%d =%d -%d", of.Won, of.Drawn, of.Lost) }

// ratingsIn returns the ratings in one game, the oldest first.
func ratingsIn(points []results.RatingPoint, game string) []float64 {
	var of []float64
	for _, p := range points {
		if p.Game == game {
			of = append(of, p.Rating)
		}
	}
	return of
}

// plotCells is the largest width of a plot of ratings, in cells.
const plotCells = 40

// plot draws the course of a rating in one line from left to right. A cell stands for one value, or for several if there are more values than
// cells. The highest value gets the highest step. With 0 cells the plot is "".
func plot(values []float64, cells int, ascii bool) string {
	steps := []rune("▁▂▃▄▅▆▇█")
	if ascii {
		steps = []rune("_.-=+*%#")
	}
	n := min(len(values), cells)
	if n <= 0 {
		return ""
	}
	low, high := slices.Min(values), slices.Max(values)
	line := make([]rune, n)
	for i := range line {
		v := values[(i+1)*len(values)/n-1] // the last value in the cell
		step := len(steps) / 2
		if high > low {
			step = int((v-low)/(high-low)*float64(len(steps)-1) + 0.5)
		}
		line[i] = steps[step]
	}
	return string(line)
}

func (s profile) Help() string {
	return s.env.Say.T("Enter shows the finished matches of this player, and c challenges them.") + " " + s.env.Say.T("F follows, b blocks and r reports this player.")
}

func (s profile) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("player")
}
func (s profile) Status() string { return s.env.Say.T("? is provisional") }

func (s profile) ShortHelp() []key.Binding  { return profileKeys.ShortHelp(s) }
func (s profile) FullHelp() [][]key.Binding { return profileKeys.FullHelp(s) }
func (s profile) Typing() bool              { return false }
