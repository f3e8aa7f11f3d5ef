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
	"ludoteca/sshapp/ui/lessonpage"
	"ludoteca/sshapp/ui/puzzlepage"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
)

// A searchPage is the wait for a quick match. Leaving it ends the search. While another screen covers it, the player does something else and is
// called when an opponent is found (see quick.Call).
type searchPage struct {
	env   *screen.Env
	want  quick.Wanted
	asked bool // the player was just asked whether quick matches are to be rated
	stop  context.CancelFunc
	begin tea.Cmd
	next  func(quick.Search, uint64) tea.Cmd // waits for what is newer than a number
	goes  quick.Search                       // the search; nil until it has begun
	away  bool                               // another screen covers the page
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
	case screen.CoveredMsg:
		return s.setAway(true), nil
	case screen.ResumedMsg:
		s = s.setAway(false)
		if s.found.ID != "" {
			return s, screen.ReplaceByMatch(s.found)
		}
	case tea.KeyPressMsg:
		return screen.Press(s, &searchKeys, msg)
	}
	return s, nil
}

// setAway notes whether another screen covers the page.
func (s searchPage) setAway(away bool) searchPage {
	if s.away = away; s.goes != nil {
		s.goes.SetAway(away)
	}
	return s
}

// looked takes in how far the search has come, and waits for more.
func (s searchPage) looked(msg lookingMsg) (screen.Screen, tea.Cmd) {
	before := s.at.Call
	switch {
	case errors.Is(msg.err, context.Canceled):
		return s, nil
	case msg.err != nil:
		s.ended, s.at.Call = text.Sentence(s.env.Say.Error(msg.err)), quick.Call{}
		if s.away {
			return s, screen.Note(s.ended)
		}
		return s, nil
	case msg.at.Match.ID != "":
		s.found, s.at.Call = msg.at.Match, quick.Call{}
		if s.away { // the opponent was found at the moment when the player turned to something else
			return s, screen.Called(s.Call())
		}
		return s, tea.Batch(screen.Bell, screen.ReplaceByMatch(s.found))
	}
	if s.goes == nil && s.away {
		msg.search.SetAway(true)
	}
	s.goes, s.told, s.at = msg.search, true, msg.at
	next := s.next(msg.search, msg.number)
	switch now := s.at.Call; {
	case now.You && before == (quick.Call{}):
		return s, tea.Batch(next, screen.Called(s.Call()))
	case now == (quick.Call{}) && before != now:
		return s, tea.Batch(next, screen.Note(s.env.Say.T("Your opponent has not come. The club goes on looking for you.")))
	}
	return s, next
}

// Waits makes the page stay below the screens that the player opens meanwhile.
func (s searchPage) Waits() bool { return s.ended == "" }

// Call returns the line that calls the player to the page, "" for none. It stands above the footer while another screen covers the page.
func (s searchPage) Call() string {
	say := s.env.Say
	switch call := s.at.Call; {
	case !s.away || s.ended != "":
		return ""
	case s.found.ID != "":
		return say.T("Your quick match begins")
	case call != (quick.Call{}):
		return say.QuickCall(call, s.env.Lobby.Game)
	}
	return ""
}

var searchKeys = widget.Actions[searchPage]{Footer: []widget.Action[searchPage]{
	widget.Typed[searchPage]("esc", text.T("stop looking")), // App's key
	widget.On("p", text.T("play the computer"), searchPage.practise, "p").When(searchPage.Waits),
	widget.On("c", text.T("change what to look for"), searchPage.change, "c"),
	widget.On("enter", text.T("look again"), searchPage.again, "enter").When(searchPage.hasEnded),
}, Others: []widget.Action[searchPage]{
	widget.On("t", text.T("lessons"), searchPage.learn, "t").When(searchPage.Waits),
	widget.On("z", text.T("puzzles"), searchPage.solve, "z").When(searchPage.Waits),
}}

func (s searchPage) hasEnded() bool { return s.ended != "" }

// practise shows the form of a match against the computer, learn the lessons, and solve the puzzles, on top of the page.
func (s searchPage) practise() (searchPage, tea.Cmd) {
	return s, screen.Push(newMeanwhile(s.env, s.want.Games[0].Game))
}
func (s searchPage) learn() (searchPage, tea.Cmd) { return s, screen.Push(lessonpage.NewList(s.env)) }
func (s searchPage) solve() (searchPage, tea.Cmd) { return s, screen.Push(puzzlepage.NewList(s.env)) }

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
	if call := s.at.Call; call != (quick.Call{}) {
		p.Wrap(widget.MenuColumn, t.Accent, say.QuickCall(call, s.env.Lobby.Game), width)
		return
	}
	if s.told {
		for _, line := range text.WrapParts(say.Looking(s.at), t.Dot, width) {
			p.Line(widget.MenuColumn, t.Accent, line)
		}
		p.End()
	}
	p.Wrap(widget.MenuColumn, t.Dim, say.T("The match begins as soon as somebody fits. The longer you wait, the wider you look."), width)
	p.End()
	// Translators: p, t and z are keys.
	p.Wrap(widget.MenuColumn, t.Dim, say.T("Meanwhile p plays the computer, t opens lessons, and z puzzles: the club calls you when somebody fits."), width)
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
		say.T("Meanwhile you may play the computer, take a lesson or solve puzzles. When an opponent is found, the club calls you, and you have 10 s to go there. If you don't, the search ends, and nothing is counted against you."),
		say.T("A casual match with a clock against the computer waits while you are away: its clock stands until your next move there."),
	)
}

func (s searchPage) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("quick match")
}
func (s searchPage) Status() string            { return s.env.Who.Name }
func (s searchPage) Typing() bool              { return false }
func (s searchPage) ShortHelp() []key.Binding  { return searchKeys.ShortHelp(s) }
func (s searchPage) FullHelp() [][]key.Binding { return searchKeys.FullHelp(s) }
