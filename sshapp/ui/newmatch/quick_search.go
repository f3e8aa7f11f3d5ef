package newmatch

import (
	"context"
	"errors"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/quick"
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
	want  quick.Wanted
	asked bool // the player was just asked whether quick matches are to be rated
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

func newSearch(e *screen.Env, want quick.Wanted) searchPage {
	ctx, stop := context.WithCancel(e.Ctx)
	l, who := e.Lobby, e.Who
	next := func(search quick.Search, after uint64) tea.Cmd {
		return func() tea.Msg {
			at, number, err := search.Next(ctx, after)
			return lookingMsg{search, at, number, err}
		}
	}
	begin := func() tea.Msg {
		search, err := l.Seek(ctx, who, want)
		if err != nil {
			return lookingMsg{err: err}
		}
		return next(search, 0)()
	}
	return searchPage{env: e, want: want, stop: stop, begin: begin, next: next}
}

func (s searchPage) Init() tea.Cmd { return s.begin }

// Close ends the search.
func (s searchPage) Close() { s.stop() }

// Settings returns the player's settings with this search as the last choice.
func (s searchPage) Settings() accounts.Settings {
	now := s.env.Lobby.RememberQuick(s.env.Settings, s.want)
	now.QuickAsked = now.QuickAsked || s.asked || s.want.Rated
	return now
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
	return s, screen.Replace(newSearch(s.env, s.want))
}

func (s searchPage) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	width := min(p.Width-2*widget.MenuColumn, widget.Readable)
	p.End()
	for _, line := range text.WrapParts(s.what(), t.Dot, width) {
		p.Line(widget.MenuColumn, t.Plain, line)
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
func (s searchPage) what() (words []string) {
	say := s.env.Say
	for _, c := range s.want.Games {
		g, err := s.env.Lobby.Game(c.Game)
		if err != nil {
			continue
		}
		words = append(words, say.Spell(g.About().Name))
		o, err := games.Complete(g, c.Options)
		if err == nil && g.About().SetOf(o) != games.Classic && len(g.About().Changed(o)) > 0 {
			words = append(words, describe.GameVariant(s.env, c.Game, o))
		}
	}
	return append(words, say.QuickClock(s.want.Clock, s.want.Class), describe.Casual(say, s.want.Rated))
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
