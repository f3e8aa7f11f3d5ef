package eventspage

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/lobby/tournaments"
	"ludoteca/sshapp/moment"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/optionfields"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	tournamentstore "ludoteca/storage/tournaments"
)

// An announceForm is the form that announces an event. Its fields are made from the announcement whenever they are needed.
type announceForm struct {
	announcement
	busy    bool   // the event is being announced
	refused error  // the answer of the club to the last try, until something is changed
	made    string // says that a series was made, until something is changed: then enter leads back
}

// An announcedMsg is the answer of the club to an announcement.
type announcedMsg struct {
	ref tournaments.Ref // the zero value of a series
	err error
}

// newAnnounceForm returns the form of a player who may announce an event.
func newAnnounceForm(e *screen.Env) screen.Screen {
	return announceForm{announcement: newAnnouncement(e)}
}

func (s announceForm) Init() tea.Cmd { return nil }

func (s announceForm) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	if form, used := s.form.Type(msg); used {
		s = s.edited()
		s.form = form
		return s, nil
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.form = s.form.Resize(msg)
	case announcedMsg:
		return s.answered(msg)
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.KeyPressMsg:
		return screen.Press(s, &announceKeys, msg)
	}
	return s, nil
}

// edited returns the form without the answer to the last try.
func (s announceForm) edited() announceForm {
	s.refused, s.made = nil, ""
	return s
}

var announceKeys = widget.Actions[announceForm]{
	Footer: []widget.Action[announceForm]{
		widget.On("enter", text.T("announce it"), announceForm.announce, "enter").Doing(announceForm.enterWhat),
		widget.OnKey(text.T("arrows"), text.T("choose and change"), announceForm.press, "up", "down", "left", "right"),
		widget.Typed[announceForm](text.T("letters"), text.T("a text")).Listed(announceForm.Typing),
		widget.DigitKeys(announceForm.digit).When(announceForm.takesDigits),
	},
	Others: widget.JumpKeys(announceForm.press,
		widget.OnKey("", "", announceForm.press, "tab", "shift+tab", "space"),
		widget.OnKey("", "", announceForm.digit, "backspace").When(announceForm.takesDigits),
	),
}

// press moves the cursor, or changes the value under it.
func (s announceForm) press(msg tea.KeyPressMsg) (announceForm, tea.Cmd) {
	form, changes := s.form.Press(msg.String(), s.fields())
	s.form = form
	if changes {
		s = s.change(msg.String())
	}
	return s, nil
}

// option returns the option of the game under the cursor.
func (s announceForm) option() (games.Option, bool) {
	if s.kindOf() == tournamentstore.Medley {
		return games.Option{}, false
	}
	return optionfields.Named(s.about(), s.form.At())
}

// takesDigits reports whether digits are a number for the field under the cursor.
func (s announceForm) takesDigits() bool {
	o, isOption := s.option()
	_, isNumber := s.rangeOf(s.form.At())
	return isNumber || isOption && !o.IsSwitch()
}

// digit changes the number that is typed into the field under the cursor. Without a digit left it is the usual one.
func (s announceForm) digit(msg tea.KeyPressMsg) (announceForm, tea.Cmd) {
	s = s.edited()
	s.form = s.form.Digit(msg.String())
	if o, ok := s.option(); ok {
		s.announcement = s.setOption(o.Key, s.form.Number(o.Default))
		return s, nil
	}
	r, _ := s.rangeOf(s.form.At())
	s.announcement = s.setNumber(s.form.At(), s.form.Number(r.usual))
	return s, nil
}

// change moves the value under the cursor on or back.
func (s announceForm) change(key string) announceForm {
	s = s.edited()
	switch s.form.At() {
	case keyKind:
		s.kind = widget.Cycle(s.kind, len(kinds), key)
	case keyBase:
		s.base = widget.Cycle(s.base, len(bases), key)
	case keyGame:
		s.game = widget.Cycle(s.game, len(s.env.Lobby.Games()), key)
	case keyClock:
		all := s.clocksOf()
		s.clock = widget.Cycle(min(s.clock, len(all)), len(all), key)
	case keyBegins:
		s.begins = widget.Cycle(s.begins, len(begins), key)
	case keyEntrants:
		s.entrants = entrants(widget.Cycle(int(s.entrants), len(entrantWords), key))
	case keyRated:
		s.rated = !s.rated
	case keyEngines:
		s.engines = !s.engines
	case keyTwice:
		s.twice = !s.twice
	case keyEvery:
		s.weekly = !s.weekly
	case keySide:
		s.side = widget.Cycle(s.side, len(sides), key)
	case keyLevel:
		_, at, _ := s.levelOf()
		s.level = widget.Cycle(at, len(s.levels()), key)
	case keySet:
		s.announcement = s.choose(optionfields.NextSet(s.about(), s.chosen(), key).Options)
	default:
		return s.changeOther(key)
	}
	return s
}

// changeOther is change for numbers, options, and the games of a medley.
func (s announceForm) changeOther(key string) announceForm {
	at := s.form.At()
	if id, ok := strings.CutPrefix(at, keyMedley); ok {
		s.medley = widget.Toggled(s.medley, id)
	} else if _, ok := s.rangeOf(at); ok {
		s.announcement = s.setNumber(at, s.nextNumber(at, key))
	} else if o, ok := s.option(); ok {
		s.announcement = s.setOption(o.Key, optionfields.Next(o, s.chosen()[o.Key], key))
	}
	return s
}

// setOption returns the announcement with another value of an option.
func (a announcement) setOption(key string, v int) announcement {
	return a.choose(optionfields.Changed(a.chosen(), key, v))
}

// announce announces the event. If something is wrong with the form, the cursor goes there.
func (s announceForm) announce() (announceForm, tea.Cmd) {
	switch {
	case s.busy:
		return s, nil
	case s.made != "":
		return s, screen.Back
	}
	now := s.env.Now()
	if all := s.problems(now); len(all) > 0 {
		return s.focusOn(all[0].key), screen.Bell
	}
	s.busy, s.refused = true, nil
	l, ctx, who, spec := s.env.Lobby, s.env.Ctx, s.env.Who, s.spec(now)
	if !s.isSeries() {
		return s, func() tea.Msg {
			ref, err := l.Events.Announcer.Announce(ctx, who, spec)
			return announcedMsg{ref, err}
		}
	}
	m, _ := s.startsAt(now)
	when := tournaments.Weekly{Day: m.At.Weekday(), Hour: m.At.Hour(), Minute: m.At.Minute(), Zone: m.Zone}
	return s, func() tea.Msg {
		_, err := l.Events.Series.Add(ctx, spec, when)
		return announcedMsg{err: err}
	}
}

// enterWhat says in English what enter does.
func (s announceForm) enterWhat() string {
	if s.made != "" {
		return text.T("back")
	}
	return text.T("announce it")
}

// focusOn moves the cursor to a field, if the form has it.
func (s announceForm) focusOn(key string) announceForm {
	if slices.ContainsFunc(s.fields(), func(f widget.Field) bool { return f.Key == key }) {
		s.form = s.form.Focus(key)
	}
	return s
}

// answered takes in the answer of the club. An event is shown; a refusal stands beside what it is about, and nothing that was chosen is lost.
func (s announceForm) answered(msg announcedMsg) (screen.Screen, tea.Cmd) {
	s.busy = false
	switch {
	case msg.err != nil:
		s.refused = msg.err
		return s.focusOn(blamed(msg.err)), screen.Bell
	case msg.ref.ID == "":
		s.made = s.env.Say.T("%s is announced every week from now on. The command events --series lists the series.", s.name())
		return s, nil
	}
	return s, screen.Replace(NewEvent(s.env, msg.ref))
}

// blamed returns the key of the field that a refusal of the club is about; "" if it is about none.
func blamed(err error) string {
	_, name := errors.AsType[*names.Error](err)
	switch {
	case name:
		return keyName
	case errors.Is(err, lobby.ErrTournamentTime), errors.Is(err, lobby.ErrNoSuchZone):
		return keyTime
	case errors.Is(err, lobby.ErrRatedTournament):
		return keyRated
	case errors.Is(err, lobby.ErrNoSuchLevel):
		return keyLevel
	}
	return ""
}

// The keys of the fields that aren't options; no option of a game starts with a sign.
const (
	keyKind     = "/kind"
	keyBase     = "/base"
	keyGame     = "/game"
	keyMedley   = "/medley/" // and the id of a game
	keyClock    = "/clock"
	keySpan     = "/span"
	keyRounds   = "/rounds"
	keyTwice    = "/twice"
	keyBegins   = "/begins"
	keyTime     = "/time"
	keyEvery    = "/every"
	keyEntrants = "/entrants"
	keyRange    = "/range"
	keyRated    = "/rated"
	keyName     = "/name"
	keySide     = "/side"
	keyLeast    = "/least"
	keyMost     = "/most"
	keyFill     = "/fill"
	keyLevel    = "/level"
	keyEngines  = "/engines"
	keySet      = "/set"
	keyOpen     = "/open"
)

// textCells maps the fields that are typed as text to the longest text of each, in cells: longer than any name and any zone.
var textCells = map[string]int{keyTime: 60, keyRange: len("4000-4000"), keyName: 48}

// A choice is a value of a field with its help.
type choice struct{ value, help string }

var entrantWords = [...]choice{
	anyEntrant:     {text.T("anybody"), text.T("Everybody with an account may enter.")},
	rangeOfRatings: {text.T("some ratings"), text.T("Only players whose rating in the first game is in the range may enter.")},
	byCode:         {text.T("friends by code"), text.T("The event is not listed, and casual. You get a code to give to friends.")},
}

// kindHelp explains the kinds of events.
var kindHelp = map[tournamentstore.Kind]string{
	tournamentstore.Arena:    text.T("Until the time is up, all who wait are paired again at once. A win counts 2 points, a draw 1; a third win in a row counts double."),
	tournamentstore.Swiss:    text.T("Everybody plays in every round, against somebody with about as many points, and nobody twice."),
	tournamentstore.Robin:    text.T("Everybody plays everybody."),
	tournamentstore.Knockout: text.T("The winner of a pair goes on: two matches with sides swapped, then shorter ones."),
	tournamentstore.Medley:   text.T("Another game in each round, out of a list."),
	tournamentstore.Simul:    text.T("You play against all who enter, at once."),
}

// fields returns the fields of the form that the kind has.
func (s announceForm) fields() (fields []widget.Field) {
	fields = append(s.gameFields(), s.timeFields()...)
	fields = append(fields, s.entrantFields()...)
	if s.kindOf() != tournamentstore.Medley { // a medley has the usual options
		fields = append(fields, optionfields.Fields(s.env.Say, s.about(), s.chosen(), keySet)...)
	}
	return append(fields, widget.Field{Key: keyOpen, Label: s.env.Say.T("Announce the event"), Button: true, Gap: true})
}

// content returns what the form shows: the fields, and what is wrong with the one under the cursor or else with another one, which is named then.
func (s announceForm) content() widget.FormContent {
	c := widget.FormContent{Fields: s.fields(), Note: s.made}
	problems := s.problems(s.env.Now())
	if s.refused != nil {
		problems = append(problems, problem{blamed(s.refused), s.env.Say.Events().Error(s.refused)})
	}
	if len(problems) == 0 {
		return c
	}
	first := problems[0]
	c.Problem = first.words
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Bad = slices.ContainsFunc(problems, func(p problem) bool { return p.key == f.Key })
		if f.Key == first.key && !strings.HasPrefix(f.Key, keyMedley) {
			c.Problem = f.Label + ": " + first.words
		}
	}
	at := c.Fields[s.form.Index(c.Fields)].Key
	if i := slices.IndexFunc(problems, func(p problem) bool { return p.key == at }); i >= 0 {
		c.Problem = problems[i].words
	}
	return c
}

// field returns a field whose value arrows change.
func field(key, label, value, help string) widget.Field {
	return widget.Field{Key: key, Label: label, Value: value, Help: help}
}

// gameFields are the kind, the games and the clock.
func (s announceForm) gameFields() (fields []widget.Field) {
	say := s.env.Say
	fields = append(fields, field(keyKind, say.T("Kind"), say.Events().Kind(s.kindOf()), say.T(kindHelp[s.kindOf()])))
	if s.kindOf() != tournamentstore.Medley {
		fields = append(fields, field(keyGame, say.T("Game"), say.Spell(s.about().Name), say.T(s.about().Sentence)))
	} else {
		fields = append(fields, field(keyBase, say.T("Rounds as in"), say.Events().Kind(bases[s.base]), say.T(kindHelp[bases[s.base]])))
		for _, g := range s.env.Lobby.Games() {
			value := say.T("no")
			if i := slices.Index(s.medley, g.About().ID); i >= 0 {
				value = "#" + strconv.Itoa(i+1)
			}
			fields = append(fields, field(keyMedley+g.About().ID, say.Spell(g.About().Name), value,
				say.T("The games that you choose are played in turn, in the order in which you choose them, with their usual options.")))
		}
	}
	c := s.clockOf()
	help := say.T("%s for each side at the start, and %d s more after each move.", say.TimeLeft(c.Base), int(c.Increment/time.Second))
	if c.Kind == lobby.Correspondence {
		help = say.T("Play when you like: each move may take so many days.")
	}
	return append(fields, field(keyClock, say.T("Clock"), say.Clock(c), help))
}

// timeFields are the length of the event, and when it begins.
func (s announceForm) timeFields() (fields []widget.Field) {
	say := s.env.Say
	switch s.plan() {
	case tournamentstore.Arena:
		fields = append(fields, s.numberField(keySpan, say.T("Minutes"), strconv.Itoa(s.number(keySpan)), say.T("How long the arena goes on.")))
	case tournamentstore.Swiss:
		fields = append(fields, s.numberField(keyRounds, say.T("Rounds"), strconv.Itoa(s.number(keyRounds)), say.T("How many rounds are played.")))
	case tournamentstore.Robin:
		value := say.T("once")
		if s.twice {
			value = say.T("twice")
		}
		fields = append(fields, field(keyTwice, say.T("Each pair plays"), value, say.T("Twice is with sides swapped.")))
	case tournamentstore.Simul:
		value := [...]string{say.T("both sides in turn"), say.T("first"), say.T("second")}[s.side]
		fields = append(fields, field(keySide, say.T("You play"), value, say.T("The side that you have at the boards.")))
	}
	now := s.env.Now()
	m, ok := s.startsAt(now)
	when := ""
	if ok {
		when = say.T("It begins %s.", moment.String(m.At, m.Zone))
	}
	if after := begins[s.begins]; after > 0 {
		// Translators: %s is a span of time such as 15 min.
		return append(fields, field(keyBegins, say.T("Begins"), say.T("in %s", say.Span(after)), when))
	}
	fields = append(fields, field(keyBegins, say.T("Begins"), say.T("at a time"), when))
	if left := m.At.Sub(now); ok && left > 0 {
		when = say.T("That is in %s.", say.Span(left)) + " "
	}
	fields = append(fields, widget.Field{Key: keyTime, Label: say.T("Date and time"), Value: s.form.Text(keyTime), Text: true,
		Help: when + say.T("A time without a zone is in %s. With one it is typed like %s.", s.zone(), "2026-12-04 20:00 Europe/Lisbon")})
	if s.mayRepeat() {
		value := say.T("once")
		if s.weekly {
			value = say.T("every week")
		}
		fields = append(fields, field(keyEvery, say.T("It takes place"), value, say.T("A series: the club announces it every week at this time. Only operators make one.")))
	}
	return fields
}

// entrantFields are who may enter, what for, and under which name.
func (s announceForm) entrantFields() (fields []widget.Field) {
	say := s.env.Say
	// Translators: who may enter an event.
	fields = append(fields, field(keyEntrants, say.C("event", "Open to"), say.T(entrantWords[s.entrants].value), say.T(entrantWords[s.entrants].help)))
	if s.entrants == rangeOfRatings {
		fields = append(fields, widget.Field{Key: keyRange, Label: say.T("Ratings"), Value: s.form.Text(keyRange), Text: true,
			Help: say.T("The lowest and the highest rating, such as 1400-1600. Without a rating in this game one counts as 1500.")})
	}
	if s.mayBeRated() {
		fields = append(fields, field(keyRated, say.T("The event is"), describe.Casual(say, s.rated), say.T("Rated matches count for the leaderboard, repeated ones less.")))
	}
	name := widget.Field{Key: keyName, Label: say.T("Name"), Value: s.form.Text(keyName), Text: true,
		Help: say.T("What the event is called, in 3 to 40 letters. Without a name it is: %s", s.name())}
	if name.Value == "" && s.form.At() != keyName {
		name.Value = s.name()
	}
	fields = append(fields, name)
	least := s.numberField(keyLeast, say.T("Players at least"), strconv.Itoa(s.number(keyLeast)), say.T("With fewer players the event is called off."))
	least.Gap = true
	fields = append(fields, least, s.numberField(keyMost, say.T("Players at most"), strconv.Itoa(s.number(keyMost)), say.T("With so many players the event is full.")))
	if !s.isRated() {
		fields = append(fields, s.fillFields()...)
	}
	value := say.T("no")
	if s.engines {
		value = say.T("may enter")
	}
	return append(fields, field(keyEngines, say.T("Computer accounts"), value, say.T("Programs of players that play under a name of their own.")))
}

// fillFields say up to how many players computer players of the club fill up, and which.
func (s announceForm) fillFields() []widget.Field {
	say := s.env.Say
	level, at, ok := s.levelOf()
	if !ok {
		return nil
	}
	n, value := s.number(keyFill), say.T("none")
	if n > 0 {
		// Translators: up to how many entrants computer players enter an event.
		value = say.T("up to %d players", n)
	}
	fields := []widget.Field{s.numberField(keyFill, say.T("Computer players"), value, say.T("They enter when the event begins, until there are so many players. Such an event is casual."))}
	if n > 0 {
		fields = append(fields, widget.Field{Key: keyLevel, Label: say.T("Which one"), Value: say.T("%s (bot)", text.Clean(level.Name)),
			Aside: say.LevelStrength(s.levels(), at, s.firstGame().About().ID), Help: say.T(level.Sentence)})
	}
	return fields
}

// numberField is a field of a number, with its range in the help.
func (s announceForm) numberField(key, label, value, help string) widget.Field {
	r := s.bounds(key)
	return field(key, label, value, help+" "+s.env.Say.T("From %d to %d.", r.least, r.most))
}

func (s announceForm) Draw(c *canvas.Canvas, area canvas.Rect) {
	s.form.Draw(c, area, s.env.Theme, s.content())
}

// click moves the cursor to a field, changes the value under it, or announces the event by the button.
func (s announceForm) click(m tea.MouseClickMsg) (announceForm, tea.Cmd) {
	form, press := s.form.Click(m, s.content())
	s.form = form
	switch press {
	case "":
		return s, nil
	case "enter":
		return s.announce()
	}
	return s.change(press), nil
}

// Typing reports whether the cursor is on a field of text.
func (s announceForm) Typing() bool { return s.form.Typing() }

// Cursor returns the place of the cursor in a field of text.
func (s announceForm) Cursor() (x, y int, shown bool) { return s.form.Cursor(s.content()) }

func (s announceForm) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Up and down go from line to line, left and right change a value, and a number can be typed as well."),
		say.T("Enter announces the event from any line. You announce one at a time; until it begins you can call it off."),
		say.T("An event may also be announced by a command, with any clock, and a medley may play a game more than once: %s", say.SSH("event new")),
	)
}

func (s announceForm) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("new event")
}

func (s announceForm) Status() string            { return s.env.Who.Name }
func (s announceForm) ShortHelp() []key.Binding  { return announceKeys.ShortHelp(s) }
func (s announceForm) FullHelp() [][]key.Binding { return announceKeys.FullHelp(s) }
