package newmatch

import (
	"context"
	"errors"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
)

// A searchPage is the wait for a quick match. Leaving it ends the search.
type searchPage struct {
	env   *screen.Env
	spec  seats.Spec
	stop  context.CancelFunc
	begin tea.Cmd
	next  func(quick.Search, uint64) tea.Cmd // waits for what is newer than a number
	told  bool                               // at is known
	at    quick.Looking
	found lobby.Ref // the zero value while there is nothing
	ended string    // why the search has ended, "" while it goes on
}

// A lookingMsg holds the state of the search.
type lookingMsg struct {
	search quick.Search
	at     quick.Looking
	number uint64
	err    error
}

func newSearch(e *screen.Env, spec seats.Spec) searchPage {
	ctx, stop := context.WithCancel(e.Ctx)
	l, who := e.Lobby, e.Who
	next := func(search quick.Search, after uint64) tea.Cmd {
		return func() tea.Msg {
			at, number, err := search.Next(ctx, after)
			return lookingMsg{search, at, number, err}
		}
	}
	begin := func() tea.Msg {
		search, err := l.Seek(ctx, who, spec)
		if err != nil {
			return lookingMsg{err: err}
		}
		return next(search, 0)()
	}
	return searchPage{env: e, spec: spec, stop: stop, begin: begin, next: next}
}

func (s searchPage) Init() tea.Cmd { return s.begin }

// Close ends the search.
func (s searchPage) Close() { s.stop() }

// Settings returns the player's settings with this search as the last choice.
func (s searchPage) Settings() accounts.Settings {
	return s.env.Lobby.RememberQuick(s.env.Settings, s.spec)
}

func (s searchPage) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case lookingMsg:
		return s.looked(msg)
	case screen.ResumedMsg:
		if s.found.ID != "" {
			return s, screen.ReplaceByMatch(s.found)
		}
	case tea.KeyPressMsg:
		return screen.Press(s, &searchKeys, msg)
	}
	return s, nil
}

// looked takes in how far the search has come, and waits for more.
func (s searchPage) looked(msg lookingMsg) (screen.Screen, tea.Cmd) {
	switch {
	case errors.Is(msg.err, context.Canceled):
		return s, nil
	case msg.err != nil:
		s.ended = s.env.Say.Error(msg.err)
		return s, nil
	case msg.at.Match.ID != "":
		s.found = msg.at.Match
		return s, tea.Batch(screen.Bell, screen.ReplaceByMatch(s.found))
	}
	s.told, s.at = true, msg.at
	return s, s.next(msg.search, msg.number)
}

var searchKeys = widget.Actions[searchPage]{Footer: []widget.Action[searchPage]{
	widget.Typed[searchPage]("esc", text.T("stop looking")), // App's key
	widget.On("c", text.T("change what to look for"), searchPage.change, "c"),
	widget.On("enter", text.T("look again"), searchPage.again, "enter").When(searchPage.hasEnded),
}}

func (s searchPage) hasEnded() bool { return s.ended != "" }

// change goes to the form instead.
func (s searchPage) change() (searchPage, tea.Cmd) { return s, screen.Replace(newQuickForm(s.env)) }

// again begins another search for the same.
func (s searchPage) again() (searchPage, tea.Cmd) {
	return s, screen.Replace(newSearch(s.env, s.spec))
}

func (s searchPage) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	width := min(p.Width-2*widget.MenuColumn, widget.Readable)
	p.End()
	g, err := s.env.Lobby.Game(s.spec.Game)
	if err == nil {
		p.Wrap(widget.MenuColumn, t.Plain, strings.Join(s.what(g), t.Dot), width)
	}
	p.End()
	if s.ended != "" {
		p.Wrap(widget.MenuColumn, t.Accent, s.ended, width)
		return
	}
	if s.told {
		for _, line := range text.WrapParts(say.Looking(s.at), t.Dot, width) {
			p.Line(widget.MenuColumn, t.Accent, line)
		}
		p.End()
	}
	p.Wrap(widget.MenuColumn, t.Dim, say.T("The match begins as soon as somebody fits. The longer you wait, the wider you look."), width)
}

// what says what is looked for.
func (s searchPage) what(g games.Game) []string {
	say := s.env.Say
	words := []string{say.Spell(g.About().Name)}
	if o := s.options(g); g.About().SetOf(o) != games.Classic && len(g.About().Changed(o)) > 0 {
		words = append(words, describe.GameVariant(s.env, s.spec.Game, o))
	}
	return append(words, say.Clock(s.spec.Clock), describe.Casual(say, s.spec.Rated))
}

// options returns all options of the game that is looked for.
func (s searchPage) options(g games.Game) games.Options {
	o, err := games.Complete(g, s.spec.Options)
	if err != nil {
		return s.spec.Options
	}
	return o
}

func (s searchPage) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("A quick match looks for the fairest opponent: near your rating at first, and farther away the longer you wait. Open offers count too."),
		say.T("The club remembers your last choice. Leaving this page ends the search."),
	)
}

func (s searchPage) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("quick match")
}
func (s searchPage) Status() string            { return s.env.Who.Name }
func (s searchPage) Typing() bool              { return false }
func (s searchPage) ShortHelp() []key.Binding  { return searchKeys.ShortHelp(s) }
func (s searchPage) FullHelp() [][]key.Binding { return searchKeys.FullHelp(s) }
