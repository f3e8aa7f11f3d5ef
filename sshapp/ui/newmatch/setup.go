// Package newmatch has the screens that lead to a match: the form of a new one, and codes.
package newmatch

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standingoffers"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/optionfields"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
)

// A setup is the form of a new match. Its fields are made from the terms whenever they are needed.
type setup struct {
	terms
	busy bool       // the match is being opened
	last seats.Spec // what a match was asked for with; the zero value is none yet
}

type openedMsg struct {
	ref lobby.Ref
	err error
}

// New returns the form with the first game chosen. Against a person the player can choose everything, including the kind of opponent; the
// other forms ask only for what they need.
func New(e *screen.Env, against opponent) screen.Screen {
	s := setup{terms: terms{env: e, form: widget.NewForm(keyGame, textCells), whole: against == AgainstPerson, against: against}}
	if against != AtOneKeyboard { // who plays there wants none as a rule
		s.clock = lastClock(e)
	}
	s.levels = defaultLevels(e)
	return s
}

// NewAgainstComputer returns the form of a match against the computer with a game chosen; the first one if the club doesn't have it.
func NewAgainstComputer(e *screen.Env, g games.Game) screen.Screen {
	s := New(e, AgainstComputer).(setup)
	s.game = max(slices.IndexFunc(e.Lobby.Games(), func(h games.Game) bool { return h.About().ID == g.About().ID }), 0)
	return s
}

// newMeanwhile returns the form of a match of a game against the computer for a player who waits for a quick match.
func newMeanwhile(e *screen.Env, game string) screen.Screen {
	s := New(e, AgainstComputer).(setup)
	s.aside, s.clock = true, lobby.ClockSetting{}
	s.game = max(slices.IndexFunc(e.Lobby.Games(), func(h games.Game) bool { return h.About().ID == game }), 0)
	return s
}

// NewQuick returns the search for a quick match with the player's last choice, or the form if they have not chosen one yet. Between the first and
// the second one it asks once whether they are to be rated.
func NewQuick(e *screen.Env) screen.Screen {
	if want, ok := e.Lobby.LastQuick(e.Settings); ok {
		want.Rated = want.Rated && e.Who.Player() != ""
		if asksRated(e, want) {
			return ratedQuestion{e, want}
		}
		return newSearch(e, want)
	}
	return newQuickForm(e)
}

// newQuickForm returns the form of a quick match as the player chose it last. The first one is casual, with a clock that most like.
func newQuickForm(e *screen.Env) screen.Screen {
	want, ok := e.Lobby.LastQuick(e.Settings)
	if !ok {
		want = quick.First(quick.Choice{Game: e.Lobby.Games()[0].About().ID})
	}
	s := setup{terms: terms{env: e, form: widget.NewForm(keyGame, textCells), against: quickOpponent,
		rated: want.Rated && e.Who.Player() != "", clock: want.Clock, class: want.Class}}
	for i, c := range want.Games {
		at := slices.IndexFunc(e.Lobby.Games(), func(g games.Game) bool { return g.About().ID == c.Game })
		switch {
		case at >= 0 && i == 0:
			s.game = at
		case at >= 0:
			s.also = append(s.also, c.Game)
		}
	}
	if set, ok := s.about().OptionSet(e.Settings.QuickSet); ok {
		s.terms = s.choose(set)
	}
	return s
}

// Settings returns the player's settings with the last choice: the computer player and the clock, or the quick match.
func (s setup) Settings() accounts.Settings {
	now := s.env.Settings
	if s.last.Bot != "" {
		now.Opponent = s.last.Bot
	}
	if s.last.Game != "" && s.hasClock() && s.against != quickOpponent && s.against != AtOneKeyboard {
		now.Clock = ""
		if s.last.Clock != (lobby.ClockSetting{}) {
			now.Clock = s.last.Clock.String()
		}
	}
	if s.against == quickOpponent && s.last.Game != "" {
		now = s.env.Lobby.RememberQuick(now, s.quickly())
	}
	return now
}

// NewFrom returns the form of a match that begins after some moves of a game with complete options, against the computer at first.
// ok is false if the club doesn't have the game.
func NewFrom(e *screen.Env, g games.Game, o games.Options, start string, moves []games.Move, side seats.Choice) (s setup, ok bool) {
	id := g.About().ID
	game := slices.IndexFunc(e.Lobby.Games(), func(g games.Game) bool { return g.About().ID == id })
	t := terms{env: e, form: widget.NewForm(keyOpponent, textCells), whole: true, against: AgainstComputer, clock: lastClock(e), side: side, game: game,
		levels: defaultLevels(e), options: optionfields.Chosen{id: o}, fixed: true, start: start, from: moves}
	return setup{terms: t}, game >= 0
}

func (s setup) Init() tea.Cmd {
	return tea.Batch(s.loadRatings(), s.lookUp(), s.loadUnknown(), s.loadPractice(), loadSought(s.terms))
}

func (s setup) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	next, cmd := s.update(msg)
	if now, ok := next.(setup); ok && s.form.At() == keyTo && now.form.At() != keyTo {
		cmd = tea.Batch(cmd, now.lookUp())
	}
	return next, cmd
}

func (s setup) update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	if form, used := s.form.Type(msg); used {
		s.form = form
		return s, nil
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.form = s.form.Resize(msg)
	case openedMsg:
		s.busy = false
		if msg.err != nil {
			return s, screen.Note(s.refused(msg.err))
		}
		return s, screen.ReplaceByMatch(msg.ref)
	case ownRatingsMsg:
		s.ratings = msg
	case opponentMsg:
		s.opponent = msg
	case soughtMsg:
		s.sought = msg
	case unknownMsg:
		s.unknown = msg
	case practisedMsg:
		s.practised = msg
		s.terms = s.propose()
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.KeyPressMsg:
		return screen.Press(s, &setupKeys, msg)
	}
	return s, nil
}

var setupKeys = widget.Actions[setup]{
	Footer: []widget.Action[setup]{
		widget.On("enter", text.T("play"), setup.enter, "enter").Doing(setup.enterWhat),
		widget.OnKey(text.T("arrows"), text.T("choose and change"), setup.press, "up", "down", "left", "right"),
		widget.Typed[setup](text.T("letters"), text.T("a text")).Listed(setup.Typing),
		widget.On("t", text.T("learn it first"), setup.learn, "t").When(setup.isNew),
		widget.DigitKeys(setup.digit).When(setup.takesDigits),
	},
	Others: widget.JumpKeys(setup.press,
		widget.OnKey("", "", setup.press, "tab", "shift+tab", "space"),
		widget.OnKey("", "", setup.digit, "backspace").When(setup.takesDigits),
		widget.OnKey("", "", setup.digit, "-").When(setup.onRange),
	),
}

// press moves the cursor, or changes the value under it.
func (s setup) press(msg tea.KeyPressMsg) (setup, tea.Cmd) {
	form, changes := s.form.Press(msg.String(), s.fields())
	s.form = form
	if changes {
		s = s.change(msg.String())
	}
	return s, nil
}

// digit changes the number that is typed into the option under the cursor. Without a digit left it is the usual one.
func (s setup) digit(msg tea.KeyPressMsg) (setup, tea.Cmd) {
	if s.onRange() {
		s.wanted = s.wanted.press(msg.String())
	} else if o, ok := s.option(); ok {
		s.form = s.form.Digit(msg.String())
		s.terms = s.set(o.Key, s.form.Number(o.Default))
	}
	return s, nil
}

// change moves the value under the cursor on or back.
func (s setup) change(key string) setup {
	switch at := s.form.At(); at {
	case keyOpponent:
		s.against = opponent(widget.Cycle(int(s.against), s.opponents(), key))
	case keyGame:
		s.game, s.start = widget.Cycle(s.game, len(s.env.Lobby.Games()), key), ""
		s.terms = s.propose()
	case keyBegins:
		if !s.fixed {
			s.start = ""
		}
	case keyLevel:
		s.levels[0], s.picked = s.cycled(0, key), true
	case keyOther:
		s.levels[1], s.picked = s.cycled(1, key), true
	case keySide:
		s.side = seats.Choice(widget.Cycle(int(s.side), 3, key))
	case keyRated:
		s.rated = !s.rated && s.env.Who.Player() != ""
	case keyClock:
		s.clock, s.class = s.nextClock(key)
	case keyTakers:
		s.takers = takers(widget.Cycle(int(s.takers), len(takerWords), key))
	case keyRange:
		s.wanted = s.wanted.next(key)
	case keyStanding:
		s.places = widget.Cycle(s.places, standingoffers.MaxPlaces+1, key)
	case keySet:
		s.terms = s.choose(optionfields.NextSet(s.about(), s.chosen(), key))
	default:
		if id, ok := strings.CutPrefix(at, keyAlso); ok {
			s.also = widget.Toggled(s.also, id)
		} else if o, ok := s.option(); ok {
			s.terms = s.set(o.Key, optionfields.Next(o, s.value(o.Key), key))
		}
	}
	return s
}

// option returns the option under the cursor.
func (s setup) option() (games.Option, bool) { return optionfields.Named(s.about(), s.form.At()) }

// takesDigits reports whether digits are a number for a field, and not text.
func (s setup) takesDigits() bool { return s.hasOptions() && !s.Typing() }

// open opens the match, unless something is wrong with the form.
func (s setup) open() (setup, tea.Cmd) {
	if problem := s.problem(); problem != "" || s.busy {
		return s, screen.Note(problem)
	}
	l, ctx, who, spec := s.env.Lobby, s.env.Ctx, s.env.Who, s.spec()
	s.last = spec
	if s.against == quickOpponent {
		return s, screen.Replace(newSearch(s.env, s.quickly()))
	}
	s.busy = true
	places := s.places
	if !s.mayStand() {
		places = 0
	}
	return s, func() tea.Msg {
		if places > 0 {
			kept, err := l.Standing.Keep(ctx, who, spec, places)
			return openedMsg{kept.Ref, err}
		}
		ref, err := l.Open(ctx, who, spec)
		return openedMsg{ref, err}
	}
}

// click moves the cursor to a field, changes the value under it, or opens the match by the button.
func (s setup) click(m tea.MouseClickMsg) (setup, tea.Cmd) {
	form, press := s.form.Click(m, s.content())
	s.form = form
	switch press {
	case "":
		return s, nil
	case "enter":
		return s.open()
	}
	return s.change(press), nil
}

func (s setup) Help() string {
	say := s.env.Say
	if s.against == quickOpponent {
		return widget.Paragraphs(
			say.T("A quick match looks for the fairest opponent: near your rating at first, and farther away the longer you wait. Open offers count too."),
			say.T("The form remembers your last choice: enter is enough."),
		)
	}
	return widget.Paragraphs(
		say.T("Up and down go from line to line, left and right change a value, and a number can be typed as well."),
		say.T("Enter starts the match from any line. Values that you leave alone are the usual ones of the game."),
	)
}

func (s setup) Title() string {
	switch {
	case s.named:
		return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("challenge")
	case s.fixed:
		return s.about().Name + s.env.Theme.Dot + s.env.Say.T("play on from move %d", len(s.from))
	}
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T(setupTitles[s.against])
}

var setupTitles = [...]string{
	AgainstPerson:   text.T("new match"),
	AgainstComputer: text.T("play the computer"),
	AtOneKeyboard:   text.T("two at this keyboard"),
	TwoComputers:    text.T("two computers"),
	quickOpponent:   text.T("quick match"),
}

func (s setup) Status() string { return s.env.Who.Name }

func (s setup) ShortHelp() []key.Binding  { return setupKeys.ShortHelp(s) }
func (s setup) FullHelp() [][]key.Binding { return setupKeys.FullHelp(s) }

// Typing reports whether the cursor is on a field of text.
func (s setup) Typing() bool { return s.form.Typing() }

// Cursor returns the place of the cursor in a field of text.
func (s setup) Cursor() (x, y int, shown bool) { return s.form.Cursor(s.content()) }

// content returns what the form shows: its fields, and what is wrong with it.
func (s setup) content() widget.FormContent {
	return widget.FormContent{Fields: s.fields(), Problem: cmp.Or(s.problem(), s.noOpponent())}
}

func (s setup) Draw(c *canvas.Canvas, area canvas.Rect) {
	s.form.Draw(c, area, s.env.Theme, s.content())
}
