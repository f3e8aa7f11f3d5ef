// Package newmatch has the screens that lead to a match: the form of a new one, and codes.
package newmatch

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/names"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standingoffers"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/optionfields"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/accounts"
)

// An opponent is the other side of a new match.
type opponent uint8

const (
	AgainstPerson opponent = iota
	AgainstComputer
	AtOneKeyboard
	TwoComputers
	quickOpponent // the opponent of a quick match
)

// terms are what a form asks the lobby for: any game, any opponent, every option; or a quick match, which has the options of an option set.
type terms struct {
	env   *screen.Env
	form  widget.Form // has the names that are typed
	whole bool        // the opponent can be chosen
	named bool        // it is a challenge: who takes the seat can't be chosen, only typed

	against opponent
	game    int
	levels  [2]int
	side    seats.Choice
	rated   bool
	takers  takers
	wanted  ratingRange // of who may take a public offer
	places  int         // of a standing offer: how many of its matches go on at a time; 0: it is no standing offer
	clock   lobby.ClockSetting
	class   clock.Class // of a quick match: not clock.NoClass: any clock of the class
	also    []string    // of a quick match: the ids of other games that the player would play too
	options optionfields.Chosen

	picked    bool         // a computer player was chosen by hand
	practised practisedMsg // nil: it has not come, or there is none

	ratings  ownRatingsMsg // nil: they have not come
	opponent opponentMsg   // the zero value: the lobby has not been asked
	unknown  unknownMsg    // nil: it is not known which games are new to the player
	sought   soughtMsg     // of a quick match: what others look for

	aside bool // the player waits for a quick match meanwhile: the match has no clock, so that it can wait

	fixed bool         // the game and its options are given
	start string       // the position in which the match begins, in one line; "" for the start of the game. It has the options
	from  []games.Move // the match begins after these moves
}

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

// playing returns which of all levels plays a game in place of the i-th: the i-th itself, or else the next stronger one that the game has, or
// its strongest; -1 if the game has none.
func playing(levels []lobby.Level, i int, game string) int {
	last := -1
	for at, l := range levels {
		if _, ok := l.In(game); ok {
			if last = at; at >= i {
				break
			}
		}
	}
	return last
}

// level returns the computer player that is chosen for one of the two, as it plays the game, with its index among the levels of the game; -1 if
// there is none.
func (s terms) level(i int) (level lobby.Level, of []lobby.Level, at int) {
	game := s.about().ID
	levels := s.env.Lobby.Levels()
	of = lobby.LevelsOf(levels, game)
	chosen := playing(levels, s.levels[i], game)
	if chosen < 0 {
		return lobby.Level{}, nil, -1
	}
	at = slices.IndexFunc(of, func(l lobby.Level) bool { return l.ID == levels[chosen].ID })
	return of[at], of, at
}

// cycled returns the index among all levels of the one that follows the i-th choice among the levels of the game, by a key.
func (s terms) cycled(i int, key string) int {
	_, of, at := s.level(i)
	if at < 0 {
		return s.levels[i]
	}
	next := of[widget.Cycle(at, len(of), key)]
	return slices.IndexFunc(s.env.Lobby.Levels(), func(l lobby.Level) bool { return l.ID == next.ID })
}

// defaultLevels returns the computer players that a form starts with: the one chosen last, and the next one above as the other.
func defaultLevels(e *screen.Env) [2]int {
	levels := e.Lobby.Levels()
	for _, id := range []string{e.Settings.Opponent, learning.FirstLevel} {
		if at := slices.IndexFunc(levels, func(l lobby.Level) bool { return l.ID == id }); at >= 0 {
			return withNext(at, len(levels))
		}
	}
	return [2]int{0, max(min(1, len(levels)-1), 0)}
}

// clockChoices are the clocks that a form offers; a command takes any.
var clockChoices = [...]string{"none", "1+0", "3+2", "5+3", "10+5", "15+10", "30+20", "60+30", "1d", "3d", "7d", "14d"}

// lastClock returns the clock that the player chose last.
func lastClock(e *screen.Env) lobby.ClockSetting {
	c, err := lobby.ParseClock(e.Settings.Clock)
	if err != nil {
		return lobby.ClockSetting{}
	}
	return c
}

// nextClock returns the clock after or before the chosen one in the list, by a key. A quick match may have any clock of a class.
func (s terms) nextClock(key string) (lobby.ClockSetting, clock.Class) {
	choices := clockChoices[:]
	if s.against == quickOpponent {
		for _, c := range clock.Classes {
			choices = append(choices[:len(choices):len(choices)], string(c))
		}
	}
	at := max(slices.Index(choices, cmp.Or(string(s.class), s.clock.String())), 0)
	next, class, err := quick.ParseClock(choices[widget.Cycle(at, len(choices), key)])
	if err != nil {
		panic(err) // a test reads them all
	}
	return next, class
}

// clockHelp says what a clock means.
func clockHelp(say wording.Words, c lobby.ClockSetting, class clock.Class) string {
	base := say.TimeLeft(c.Base)
	switch {
	case class != clock.NoClass:
		return say.T("Any clock that others look for in this class; if nobody names one, %s.", say.Clock(class.Usual()))
	case c.Kind == lobby.Correspondence:
		return say.T("Play when you like: each move may take so many days.")
	case c.Kind == lobby.NoClock:
		return say.T("Both sides take the time they like.")
	case c.Increment == 0:
		return say.T("%s for each side. Until both have moved, each has 30 s.", base)
	}
	return say.T("%s for each side at the start, and %d s more after each move. Until both have moved, each has 30 s.", base, int(c.Increment/time.Second))
}

// hasClock reports whether a clock can be chosen.
func (s terms) hasClock() bool { return s.against != TwoComputers && !s.aside }

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

func (s terms) about() *games.About { return s.env.Lobby.Games()[s.game].About() }

// chosen returns the options of the game as they stand in the terms. Against the computer they are those that its players were measured
// in, until others are chosen.
func (s terms) chosen() games.Options {
	if _, ok := s.options[s.about().ID]; !ok && s.against == AgainstComputer {
		return games.OptionsOf(s.env.Lobby.Games()[s.game])
	}
	return s.options.Of(s.about())
}

// hasOptions reports whether the options of the game can be chosen. Otherwise a position sets them, or they are the usual ones.
func (s terms) hasOptions() bool { return !s.studied() && s.against != quickOpponent }

// takesDigits reports whether digits are a number for a field, and not text.
func (s setup) takesDigits() bool { return s.hasOptions() && !s.Typing() }

func (s terms) value(key string) int { return s.chosen()[key] }

// set returns the terms with another value of an option.
func (s terms) set(key string, v int) terms {
	return s.choose(games.OptionSet{Options: optionfields.Changed(s.chosen(), key, v)})
}

// choose returns the terms with other options of the game.
func (s terms) choose(set games.OptionSet) terms {
	s.options = s.options.With(s.about(), set.Options)
	return s
}

// hasSets reports whether the game has several option sets to choose from here.
func (s terms) hasSets() bool { return !s.studied() && len(s.about().Sets) > 0 }

// problem returns what is wrong with the terms: a value out of range, options that don't go together, a game without an end.
func (s terms) problem() string {
	say, chosen := s.env.Say, s.chosen()
	if s.challenges() && s.opponentName() == "" {
		return say.T("Whom do you challenge? Type a name.")
	}
	if s.against == AtOneKeyboard {
		for _, key := range [...]string{keyFirst, keySecond} {
			if _, _, err := names.Check(s.form.Text(key)); s.form.Text(key) != "" && err != nil {
				return say.Error(err)
			}
		}
	}
	if problem := s.rangeProblem(); problem != "" {
		return problem
	}
	if _, _, at := s.level(0); (s.against == AgainstComputer || s.against == TwoComputers) && at < 0 {
		return say.T("There is no computer player here just now. Choose another opponent.")
	}
	_, words := optionfields.Problem(say, s.env.Lobby.Games()[s.game], chosen)
	return words
}

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
			ref, err := l.Standing.Keep(ctx, who, spec, places)
			return openedMsg{ref, err}
		}
		ref, err := l.Open(ctx, who, spec)
		return openedMsg{ref, err}
	}
}

// spec returns what the lobby is asked for.
func (s terms) spec() seats.Spec {
	spec := seats.Spec{Game: s.about().ID, Options: s.chosen()}
	switch s.against {
	case AgainstPerson:
		spec.Side, spec.Rated, spec.Public = s.side, s.rated && !s.studied(), s.takers == anyPlayer
		if s.challenges() {
			spec.To = s.opponentName()
		}
		if s.isOffer() {
			spec.Range, _ = s.wanted.bounds(s.ownRating()) // problem has seen that it is one
		}
	case AgainstComputer:
		level, _, _ := s.level(0)
		spec.Side, spec.Public, spec.Bot = s.side, true, level.ID
	case TwoComputers:
		spec.Public = true
		for i := range spec.Bots {
			level, _, _ := s.level(i)
			spec.Bots[i] = level.ID
		}
	case AtOneKeyboard:
		spec.Hotseat, spec.Names = true, [2]string{s.form.Text(keyFirst), s.form.Text(keySecond)}
	case quickOpponent:
		spec.Rated, spec.Public = s.rated, true
	}
	if s.hasClock() {
		spec.Clock = s.clock
	}
	spec.From, spec.Moves = s.start, s.from
	return spec
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

// The keys of the fields that aren't options; no option of a game starts with a sign.
const (
	keyOpponent = "/opponent"
	keyGame     = "/game"
	keyAlso     = "/also/" // and the id of a game
	keyBegins   = "/begins"
	keyLevel    = "/level"
	keyOther    = "/other"
	keySide     = "/side"
	keyRated    = "/rated"
	keyTakers   = "/takers"
	keyTo       = "/to"
	keyFirst    = "/first"
	keySecond   = "/second"
	keyRange    = "/range"
	keyStanding = "/standing"
	keySet      = "/set"
	keyClock    = "/clock"
	keyOpen     = "/open"
)

// nameCells is the longest name that can be typed: longer than any name.
const nameCells = 24

// textCells maps the fields that are typed as text to the longest text of each, in cells.
var textCells = map[string]int{keyTo: nameCells, keyFirst: nameCells, keySecond: nameCells}

// fields returns the fields of the form: the opponent, the game, the terms, then the options of the game.
func (s setup) fields() []widget.Field {
	say, about := s.env.Say, s.about()
	var fields []widget.Field
	add := func(key, label, value, help string) {
		fields = append(fields, widget.Field{Key: key, Label: label, Value: value, Help: help})
	}
	if s.whole {
		add(keyOpponent, say.T("Opponent"), say.T(opponents[s.against].value), say.T(opponents[s.against].help))
	}
	if s.named {
		fields = append(fields, s.nameField())
	}
	if !s.fixed {
		help := say.T(about.Sentence)
		if s.against == quickOpponent {
			help += " " + say.T("Finds the fairest opponent for a match with these options.") + s.sought.of(s.env, about.ID)
		}
		if s.isNew() {
			help += " " + say.T("New to you? The key t opens a short lesson.")
		}
		add(keyGame, say.T("Game"), say.Spell(about.Name), help)
		if s.against == quickOpponent {
			fields = append(fields, s.alsoFields()...)
		}
	}
	switch s.against {
	case AgainstComputer:
		fields = append(fields, s.levelField(keyLevel, say.T("Computer player"), 0))
	case AtOneKeyboard:
		for i, key := range [...]string{keyFirst, keySecond} {
			label := [...]string{say.T("First player"), say.T("Second player")}[i]
			fields = append(fields, widget.Field{Key: key, Label: label, Value: s.form.Text(key), Text: true,
				Help: say.T("A name for this match alone. Without one it is yours.")})
		}
	case TwoComputers:
		fields = append(fields, s.levelField(keyLevel, say.T("First player"), 0), s.levelField(keyOther, say.T("Second player"), 1))
	}
	if s.against == AgainstPerson || s.against == AgainstComputer {
		add(keySide, say.T("You play"), s.sideName(), say.T("The first side begins."))
	}
	if s.against == quickOpponent || s.against == AgainstPerson && !s.studied() {
		rated := say.T("Rated matches count for the leaderboard, repeated ones less.")
		if s.env.Who.Player() == "" {
			rated = say.T("Rated matches need a key. Guests play casual ones.")
		}
		add(keyRated, say.T("The match is"), describe.Casual(say, s.rated), rated)
	}
	if s.against == AgainstPerson && !s.named {
		add(keyTakers, say.T("Open to"), say.T(takerWords[s.takers].value), say.T(takerWords[s.takers].help))
		if s.challenges() {
			fields = append(fields, s.nameField())
		}
	}
	if s.hasClock() {
		add(keyClock, say.T("Clock"), say.QuickClock(s.clock, s.class), clockHelp(say, s.clock, s.class))
	}
	if s.isOffer() {
		fields = append(fields, s.rangeField())
	}
	if s.canBegin() {
		value, help := s.beginning()
		add(keyBegins, say.T("Begins from"), value, help)
	}
	if s.mayStand() {
		fields = append(fields, s.standingField())
	}
	switch {
	case s.hasOptions():
		fields = append(fields, optionfields.Fields(say, about, s.chosen(), keySet)...)
	case s.hasSets():
		fields = append(fields, optionfields.Set(say, about, s.chosen(), keySet))
	}
	open, help := say.T("Play"), ""
	switch {
	case s.aside:
		help = say.T("This match has no clock: it waits when you are called to your quick match.")
	case s.challenges():
		open, help = say.T("Challenge"), s.answerTime()
	case s.against == AgainstPerson:
		open = say.T("Open the match")
	}
	return append(fields, widget.Field{Key: keyOpen, Label: open, Help: help, Button: true, Gap: true})
}

// A choice is a value of a field with its help.
type choice struct{ value, help string }

var opponents = [...]choice{
	AgainstPerson:   {text.T("a person"), text.T("Wait for somebody here, or give a friend the code.")},
	AgainstComputer: {text.T("the computer"), text.T("The match starts at once. It is never rated.")},
	AtOneKeyboard:   {text.T("at this keyboard"), text.T("You play both sides, or two of you share the keyboard.")},
	TwoComputers:    {text.T("two computers"), text.T("You are watching. The match goes on for as long as you do.")},
}

// takers say who can take the free seat.
type takers uint8

const (
	anyPlayer takers = iota
	friends
	namedPlayer
)

var takerWords = [...]choice{
	anyPlayer:   {text.T("anybody"), text.T("The match is listed in the lobby; its code works too.")},
	friends:     {text.T("friends by code"), text.T("The match is not listed. You get a code to give to a friend.")},
	namedPlayer: {text.T("one player"), text.T("A challenge: nobody else sees it or can take it.")},
}

// levelField returns the field of one of the two computer players.
func (s terms) levelField(key, label string, i int) widget.Field {
	say := s.env.Say
	level, of, at := s.level(i)
	if at < 0 {
		return widget.Field{Key: key, Label: label, Value: say.T("none")}
	}
	strength := say.LevelStrength(of, at, s.about().ID)
	if chance := s.chance(level.ID); chance != "" {
		strength += ", " + chance
	}
	return widget.Field{Key: key, Label: label, Value: say.T("%s (bot)", text.Clean(level.Name)), Aside: strength, Help: s.levelHelp(i)}
}

// levelHelp says how strong a computer player is: in a sentence of its own if it has one, else by its place among the levels.
func (s terms) levelHelp(i int) string {
	say := s.env.Say
	level, of, at := s.level(i)
	words := say.T("Level %d of %d, the weakest first.", at+1, len(of))
	if level.Sentence != "" {
		words = say.T(level.Sentence)
	}
	weakest := text.Clean(of[0].Name)
	switch ahead := level.Ratings[s.about().ID]; { // not a rating of the club
	case ahead == 0:
	case level.Above[s.about().ID]:
		words += " " + say.N(ahead, "In this game it is more than %d rating point above %s.", "In this game it is more than %d rating points above %s.", ahead, weakest)
	default:
		words += " " + say.N(ahead, "In this game it is %d rating point above %s.", "In this game it is %d rating points above %s.", ahead, weakest)
	}
	return words
}

func (s terms) sideName() string {
	say := s.env.Say
	switch s.side {
	case seats.PlayFirst:
		return say.T("first, %s", describe.SideName(s.env, s.about(), 0))
	case seats.PlaySecond:
		return say.T("second, %s", describe.SideName(s.env, s.about(), 1))
	default:
		return say.T("random")
	}
}

// content returns what the form shows: its fields, and what is wrong with it.
func (s setup) content() widget.FormContent {
	return widget.FormContent{Fields: s.fields(), Problem: cmp.Or(s.problem(), s.noOpponent())}
}

func (s setup) Draw(c *canvas.Canvas, area canvas.Rect) {
	s.form.Draw(c, area, s.env.Theme, s.content())
}
