package ui

import (
	"maps"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// An opponent is the other side of a new match.
type opponent uint8

const (
	againstPerson opponent = iota
	againstComputer
	atOneKeyboard
	twoComputers
)

// A setup is the form of a new match: any game, any opponent, every option. Its fields are made from these values whenever
// they are needed.
type setup struct {
	env   *env
	size  tea.WindowSizeMsg
	whole bool // the opponent can be chosen

	against opponent
	game    int
	levels  [2]int
	side    lobby.Choice
	rated   bool
	private bool
	options map[string]games.Options // by game id: all options of a game in which one was changed
	at      string                   // the field with the cursor, by its key
	digits  string                   // the number that is being typed into it
	busy    bool                     // the match is being opened
	last    string                   // the computer player whom a match was opened against; "" for none

	fixed bool         // the game and its options are given
	from  []games.Move // the match begins after these moves
}

type openedMsg struct {
	ref lobby.Ref
	err error
}

// newSetup returns the form with the first game chosen. Against a person everything can be chosen, the opponent included; the
// other forms ask only for what they need.
func newSetup(e *env, against opponent) screen {
	s := setup{env: e, whole: against == againstPerson, against: against, at: keyGame}
	s.levels = defaultLevels(e)
	return s
}

// firstOpponent is the computer player that a player who has chosen none yet is offered.
const firstOpponent = "pupil"

// defaultLevels returns the computer players that a form starts with: the one chosen last, and the next one above as the other.
func defaultLevels(e *env) [2]int {
	levels := e.lobby.Levels()
	for _, id := range []string{e.settings.Opponent, firstOpponent} {
		if at := slices.IndexFunc(levels, func(l lobby.Level) bool { return l.ID == id }); at >= 0 {
			return [2]int{at, min(at+1, len(levels)-1)}
		}
	}
	return [2]int{0, max(min(1, len(levels)-1), 0)}
}

// Settings returns the player's settings with the computer player chosen last.
func (s setup) Settings() storage.Settings {
	now := s.env.settings
	if s.last != "" {
		now.Opponent = s.last
	}
	return now
}

// newSetupFrom returns the form of a match against the computer that begins after some moves of a game with complete options.
// ok is false if the club doesn't have the game.
func newSetupFrom(e *env, g games.Game, o games.Options, moves []games.Move, side lobby.Choice) (s setup, ok bool) {
	id := g.About().ID
	game := slices.IndexFunc(e.lobby.Games(), func(g games.Game) bool { return g.About().ID == id })
	return setup{env: e, against: againstComputer, at: keyLevel, side: side, game: game, levels: defaultLevels(e),
		options: map[string]games.Options{id: o}, fixed: true, from: moves}, game >= 0
}

func (s setup) Init() tea.Cmd { return nil }

func (s setup) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case openedMsg:
		s.busy = false
		if msg.err != nil {
			return s, note(s.env.say.Error(msg.err))
		}
		return s, replaceByMatch(msg.ref.ID)
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.KeyPressMsg:
		return press(s, s.keys(), msg)
	}
	return s, nil
}

func (s setup) keys() widget.Actions[setup] {
	say := s.env.say
	return widget.Actions[setup]{
		Footer: []widget.Action[setup]{
			widget.On("enter", say.T("play"), setup.open, "enter"),
			widget.OnKey(say.T("arrows"), say.T("choose and change"), setup.arrow, "up", "down", "left", "right"),
			widget.OnKey(say.T("digits"), say.T("a number"), setup.digit, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9").When(!s.fixed),
		},
		Others: append(widget.JumpKeys(say, setup.arrow),
			widget.OnKey("", "", setup.next, "tab", "shift+tab"),
			widget.OnKey("", "", setup.arrow, "space"),
			widget.OnKey("", "", setup.digit, "backspace").When(!s.fixed),
		),
	}
}

// arrow moves the cursor, or the value under it.
func (s setup) arrow(msg tea.KeyPressMsg) (setup, tea.Cmd) {
	switch name := msg.String(); name {
	case "left", "right", "space":
		return s.change(name), nil
	default:
		fields := s.fields()
		return s.focus(fields[widget.Moved(name, s.index(fields), len(fields), 5)].Key), nil
	}
}

func (s setup) next(msg tea.KeyPressMsg) (setup, tea.Cmd) {
	fields := s.fields()
	return s.focus(fields[widget.Cycle(s.index(fields), len(fields), msg.String())].Key), nil
}

// digit changes the number that is typed into the option under the cursor.
func (s setup) digit(msg tea.KeyPressMsg) (setup, tea.Cmd) {
	switch name := msg.String(); {
	case name == "backspace":
		return s.typed(s.digits[:max(len(s.digits)-1, 0)]), nil
	case len(s.digits) < maxDigits:
		return s.typed(s.digits + name), nil
	}
	return s, nil
}

// maxDigits is how long a number gets that is typed into an option.
const maxDigits = 5

// focus moves the cursor to a field.
func (s setup) focus(key string) setup {
	s.at, s.digits = key, ""
	return s
}

// index returns the place of the cursor among the fields.
func (s setup) index(fields []widget.Field) int {
	for i, f := range fields {
		if f.Key == s.at {
			return i
		}
	}
	return 0
}

// change moves the value under the cursor on or back.
func (s setup) change(key string) setup {
	s.digits = ""
	levels := len(s.env.lobby.Levels())
	switch s.at {
	case keyOpponent:
		s.against = opponent(widget.Cycle(int(s.against), 4, key))
	case keyGame:
		s.game = widget.Cycle(s.game, len(s.env.lobby.Games()), key)
	case keyLevel:
		s.levels[0] = widget.Cycle(s.levels[0], levels, key)
	case keyOther:
		s.levels[1] = widget.Cycle(s.levels[1], levels, key)
	case keySide:
		s.side = lobby.Choice(widget.Cycle(int(s.side), 3, key))
	case keyRated:
		s.rated = !s.rated && s.env.who.Player() != ""
	case keyListed:
		s.private = !s.private
	default:
		if o, ok := s.option(); ok {
			direction := 1
			if key == "left" {
				direction = -1
			}
			return s.set(o.Key, nextValue(o, s.value(o.Key), direction))
		}
	}
	return s
}

// nextValue returns the allowed value after or before v. v itself need not be allowed: it may have been typed.
func nextValue(o games.Option, v, direction int) int {
	switch {
	case o.Allows(v):
		return o.Next(v, direction)
	case v > o.Max:
		return o.Max - (o.Max-o.Min)%max(o.Step, 1)
	case v < o.Min:
		return o.Min
	default:
		return o.Min + (v-o.Min)/max(o.Step, 1)*max(o.Step, 1)
	}
}

// typed sets the option under the cursor to the number typed so far, or to its default if there is none.
func (s setup) typed(digits string) setup {
	o, ok := s.option()
	if !ok {
		return s
	}
	s.digits = digits
	v, err := strconv.Atoi(digits)
	if err != nil {
		v = o.Default
	}
	return s.set(o.Key, v)
}

// option returns the option under the cursor.
func (s setup) option() (games.Option, bool) {
	for _, o := range s.about().Options {
		if o.Key == s.at {
			return o, true
		}
	}
	return games.Option{}, false
}

func (s setup) about() *games.About { return s.env.lobby.Games()[s.game].About() }

// chosen returns the options of the game as they stand in the form.
func (s setup) chosen() games.Options {
	if o, ok := s.options[s.about().ID]; ok {
		return o
	}
	o := make(games.Options)
	for _, opt := range s.about().Options {
		o[opt.Key] = opt.Default
	}
	return o
}

func (s setup) value(key string) int { return s.chosen()[key] }

// set returns the form with another value of an option.
func (s setup) set(key string, v int) setup {
	o := maps.Clone(s.chosen())
	o[key] = v
	all := maps.Clone(s.options)
	if all == nil {
		all = make(map[string]games.Options)
	}
	all[s.about().ID] = o
	s.options = all
	return s
}

// problem returns what is wrong with the form: a value out of range, options that don't go together, a game without an end.
func (s setup) problem() string {
	say, chosen := s.env.say, s.chosen()
	if (s.against == againstComputer || s.against == twoComputers) && len(s.env.lobby.Levels()) == 0 {
		return say.T("There is no computer player here just now. Choose another opponent.")
	}
	for _, o := range s.about().Options {
		if !o.Allows(chosen[o.Key]) {
			return say.T("%s can't be %d. %s", say.T(o.Label), chosen[o.Key], rangeOf(say, o))
		}
	}
	g := s.env.lobby.Games()[s.game]
	if _, err := games.Complete(g, chosen); err != nil {
		return say.Error(err)
	}
	if _, bounded := g.Longest(chosen); !bounded {
		return say.Error(lobby.ErrEndless)
	}
	return ""
}

// open opens the match, unless something is wrong with the form.
func (s setup) open() (setup, tea.Cmd) {
	if problem := s.problem(); problem != "" || s.busy {
		return s, note(problem)
	}
	s.busy = true
	l, ctx, who, spec := s.env.lobby, s.env.ctx, s.env.who, s.spec()
	s.last = spec.Bot
	return s, func() tea.Msg {
		ref, err := l.Open(ctx, who, spec)
		return openedMsg{ref, err}
	}
}

// spec returns what the form asks the lobby for.
func (s setup) spec() lobby.Spec {
	levels := s.env.lobby.Levels()
	spec := lobby.Spec{Game: s.about().ID, Options: s.chosen()}
	switch s.against {
	case againstPerson:
		spec.Side, spec.Rated, spec.Public = s.side, s.rated, !s.private
	case againstComputer:
		spec.Side, spec.Public = s.side, true
		spec.Bot, spec.Moves = levels[s.levels[0]].ID, s.from
	case twoComputers:
		spec.Public = true
		spec.Bots = [2]string{levels[s.levels[0]].ID, levels[s.levels[1]].ID}
	case atOneKeyboard:
		spec.Hotseat = true
	}
	return spec
}

// click moves the cursor to a field. A click on the value of the field with the cursor changes it, one on the button opens the
// match.
func (s setup) click(m tea.MouseClickMsg) (setup, tea.Cmd) {
	fields := s.fields()
	was := s.index(fields)
	at := widget.FieldAt(fields, was, s.room(s.size.Height), m.Y-widget.FirstLine)
	if at < 0 || m.Button != tea.MouseLeft {
		return s, nil
	}
	value := widget.ValueColumn(fields, at, s.size.Width)
	switch {
	case fields[at].Button:
		return s.open()
	case at == was && m.X >= value && m.X < value+2:
		return s.change("left"), nil
	case at == was && m.X >= value:
		return s.change("right"), nil
	}
	return s.focus(fields[at].Key), nil
}

func (s setup) Help() string {
	say := s.env.say
	return widget.Paragraphs(
		say.T("Up and down go from line to line, left and right change a value, and a number can be typed as well."),
		say.T("Enter starts the match from any line: what you don't touch is as usual for the game."),
	)
}

func (s setup) Title() string {
	if s.fixed {
		return s.about().Name + s.env.theme.Dot + s.env.say.T("play on from move %d", len(s.from))
	}
	return "Ludoteca" + s.env.theme.Dot + s.env.say.T(setupTitles[s.against])
}

var setupTitles = [...]string{
	againstPerson:   text.T("new match"),
	againstComputer: text.T("play the computer"),
	atOneKeyboard:   text.T("two at this keyboard"),
	twoComputers:    text.T("two computers"),
}

func (s setup) Status() string { return s.env.who.Name }
func (s setup) Keys() keyMap   { return s.keys() }
func (s setup) Typing() bool   { return false }

// The keys of the fields that aren't options; no option of a game starts with a sign.
const (
	keyOpponent = "/opponent"
	keyGame     = "/game"
	keyLevel    = "/level"
	keyOther    = "/other"
	keySide     = "/side"
	keyRated    = "/rated"
	keyListed   = "/listed"
	keyOpen     = "/open"
)

// fields lays the form out: whom, what, how, then the options of the game.
func (s setup) fields() []widget.Field {
	say, about := s.env.say, s.about()
	var fields []widget.Field
	add := func(key, label, value, help string) {
		fields = append(fields, widget.Field{Key: key, Label: label, Value: value, Help: help})
	}
	if s.whole {
		add(keyOpponent, say.T("Opponent"), say.T(opponents[s.against].value), say.T(opponents[s.against].help))
	}
	if !s.fixed {
		add(keyGame, say.T("Game"), about.Name, say.T(about.Sentence))
	}
	switch s.against {
	case againstComputer:
		add(keyLevel, say.T("Computer player"), s.levelName(0), s.levelHelp(0))
	case twoComputers:
		add(keyLevel, say.T("First player"), s.levelName(0), s.levelHelp(0))
		add(keyOther, say.T("Second player"), s.levelName(1), s.levelHelp(1))
	}
	if s.against == againstPerson || s.against == againstComputer {
		add(keySide, say.T("You play"), s.sideName(), say.T("The first side begins."))
	}
	if s.against == againstPerson {
		rated := say.T("Rated matches count for the leaderboard.")
		if s.env.who.Player() == "" {
			rated = say.T("Rated matches need a key. Guests play casual ones.")
		}
		add(keyRated, say.T("The match is"), casual(say, s.rated), rated)
		add(keyListed, say.T("Open to"), say.T(takers[s.private].value), say.T(takers[s.private].help))
	}
	chosen, options := s.chosen(), about.Options
	if s.fixed {
		options = nil // they are those of the position
	}
	for i, o := range options {
		f := optionField(say, o, chosen[o.Key])
		f.Gap = i == 0
		if s.at == o.Key && s.digits != "" {
			f.Value = s.digits + "_"
		}
		fields = append(fields, f)
	}
	open := say.T("Play")
	if s.against == againstPerson {
		open = say.T("Open the match")
	}
	return append(fields, widget.Field{Key: keyOpen, Label: open, Button: true, Gap: true})
}

// A wording is a value of a field with its help.
type wording struct{ value, help string }

var opponents = [...]wording{
	againstPerson:   {text.T("a person"), text.T("Wait for somebody here, or give a friend the code.")},
	againstComputer: {text.T("the computer"), text.T("The match starts at once. It is never rated.")},
	atOneKeyboard:   {text.T("at this keyboard"), text.T("You play both sides, or sit here in twos.")},
	twoComputers:    {text.T("two computers"), text.T("You watch. The match goes on while you do.")},
}

// takers says who can take the free seat, by whether the match is private.
var takers = map[bool]wording{
	false: {text.T("anybody"), text.T("The match is listed in the lobby; its code works too.")},
	true:  {text.T("who has the code"), text.T("The match is listed nowhere. You get a code to tell your friend.")},
}

func (s setup) levelName(i int) string {
	if len(s.env.lobby.Levels()) == 0 {
		return s.env.say.T("none")
	}
	name := s.env.say.T("%s (bot)", text.Clean(s.env.lobby.Levels()[s.levels[i]].Name))
	if ahead := s.ahead(i); ahead != 0 {
		name += "  +" + strconv.Itoa(ahead)
	}
	return name
}

// ahead returns how many rating points a computer player was measured to stand above the weakest one, 0 if unknown. These are not
// ratings of the club.
func (s setup) ahead(i int) int { return s.env.lobby.Levels()[s.levels[i]].Ratings[s.about().ID] }

// levelHelp says how strong a computer player is: in a sentence of its own if it has one, else by its place among the levels.
func (s setup) levelHelp(i int) string {
	levels, say := s.env.lobby.Levels(), s.env.say
	if len(levels) == 0 {
		return ""
	}
	words := say.T("Level %d of %d, the weakest first.", s.levels[i]+1, len(levels))
	if sentence := levels[s.levels[i]].Sentence; sentence != "" {
		words = say.T(sentence)
	}
	if ahead := s.ahead(i); ahead != 0 {
		words += " " + say.T("+%d is how far above %s it stands, in rating points.", ahead, text.Clean(levels[0].Name))
	}
	return words
}

func (s setup) sideName() string {
	say, sides := s.env.say, s.about().Sides
	switch s.side {
	case lobby.PlayFirst:
		return say.T("first, %s", say.T(sides[0]))
	case lobby.PlaySecond:
		return say.T("second, %s", say.T(sides[1]))
	default:
		return say.T("either side")
	}
}

// room returns how many lines the fields have.
func (s setup) room(h int) int { return max(h-widget.FirstLine-widget.HelpLines, 1) }

func (s setup) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t := s.env.theme
	p.Down(widget.FirstLine)
	fields := s.fields()
	at := s.index(fields)
	room := s.room(p.Height)
	widget.DrawFields(p, t, fields, at, room)
	p.End()
	y, words := t.Dim, fields[at].Help
	if problem := s.problem(); problem != "" {
		y, words = t.Accent, problem
	}
	p.Wrap(widget.MenuColumn, y, words, min(p.Width-2*widget.MenuColumn, widget.Readable))
}

// optionField returns an option of a game as a field.
func optionField(say text.Say, o games.Option, v int) widget.Field {
	f := widget.Field{Key: o.Key, Label: say.T(o.Label), Value: optionValue(say, o, v), Bad: !o.Allows(v)}
	f.Help = say.T(o.Help)
	if o.Min != 0 || o.Max != 1 {
		f.Help += " " + rangeOf(say, o)
	}
	return f
}

// optionValue is the value of an option in words: yes and no for a switch, off for a rule that 0 switches off.
func optionValue(say text.Say, o games.Option, v int) string {
	switch {
	case o.Min == 0 && o.Max == 1 && v == 1:
		return say.T("yes")
	case o.Min == 0 && o.Max == 1 && v == 0:
		return say.T("no")
	case v == 0 && o.Zero:
		return say.T("off")
	}
	return strconv.Itoa(v)
}

// rangeOf says which values an option takes.
func rangeOf(say text.Say, o games.Option) string {
	s := say.T("From %d to %d.", o.Min, o.Max)
	if o.Step == 2 {
		if o.Min%2 == 0 {
			s = say.T("From %d to %d, even.", o.Min, o.Max)
		} else {
			s = say.T("From %d to %d, odd.", o.Min, o.Max)
		}
	}
	if o.Zero && o.Min > 0 {
		s += " " + say.T("0 switches it off.")
	}
	return s
}
