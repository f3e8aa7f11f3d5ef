package newmatch

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/quick"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A ratedQuestion asks a player whose first quick match was casual whether the next ones are to be rated, once.
type ratedQuestion struct {
	env  *screen.Env
	want quick.Wanted // as last time
}

// asksRated reports whether a player is to be asked.
func asksRated(e *screen.Env, want quick.Wanted) bool {
	return e.Who.Player() != "" && !e.Settings.QuickAsked && !want.Rated
}

func (s ratedQuestion) Init() tea.Cmd { return nil }

func (s ratedQuestion) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	if msg, ok := msg.(tea.KeyPressMsg); ok {
		return screen.Press(s, &ratedKeys, msg)
	}
	return s, nil
}

var ratedKeys = widget.Actions[ratedQuestion]{Footer: []widget.Action[ratedQuestion]{
	widget.On("r", text.T("rated matches"), ratedQuestion.rated, "r"),
	widget.On("c", text.T("casual matches"), ratedQuestion.casual, "c"),
	widget.Typed[ratedQuestion]("esc", text.T("back")), // App's key
}}

func (s ratedQuestion) rated() (ratedQuestion, tea.Cmd)  { return s.answer(true) }
func (s ratedQuestion) casual() (ratedQuestion, tea.Cmd) { return s.answer(false) }

// answer goes on to the search.
func (s ratedQuestion) answer(rated bool) (ratedQuestion, tea.Cmd) {
	s.want.Rated = rated
	search := newSearch(s.env, s.want)
	search.asked = true
	return s, screen.Replace(search)
}

func (s ratedQuestion) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	width := min(p.Width-2*widget.MenuColumn, widget.Readable)
	p.End()
	p.Wrap(widget.MenuColumn, t.Accent, say.T("Your quick matches were casual so far. Should the next ones count for your rating?"), width)
	p.End()
	p.Wrap(widget.MenuColumn, t.Plain, say.T("r: yes, they are rated. c: no, they stay casual. You can change it in the form at any time."), width)
}

func (s ratedQuestion) Help() string {
	return s.env.Say.T("Rated matches count for the leaderboard, repeated ones less.")
}

func (s ratedQuestion) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("quick match")
}
func (s ratedQuestion) Status() string            { return s.env.Who.Name }
func (s ratedQuestion) Typing() bool              { return false }
func (s ratedQuestion) ShortHelp() []key.Binding  { return ratedKeys.ShortHelp(s) }
func (s ratedQuestion) FullHelp() [][]key.Binding { return ratedKeys.FullHelp(s) }
