package ui

import (
	"maps"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
)

// An opponent says whom a new match is against.
type opponent uint8

const (
	againstPerson opponent = iota
	againstComputer
	atOneKeyboard
	twoComputers
)

// A setup is the form of a new match: any game, any opponent, every option. Its fields are made from these values each
// time, so nothing has to be kept in step.
type setup struct {
	env   *env
	size  tea.WindowSizeMsg
	whole bool // the opponent can be chosen too

	against opponent
	game    int
	levels  [2]int
	side    lobby.Choice
	rated   bool
	private bool
	options map[string]games.Options // by game: what was changed there, complete
	at      string                   // the key of the field with the cursor
	digits  string                   // what is being typed into it
	busy    bool

	fixed bool         // the game and its options are given
	from  []games.Move // the match begins after these moves
}

type openedMsg struct {
	ref lobby.Ref
	err error
}

// newSetup starts with the first game. The form of a match against a person is the whole one, where everything can be
// chosen; the others ask only what they need.
func newSetup(e *env, against opponent) screen {
	s := setup{env: e, whole: against == againstPerson, against: against, at: keyGame}
	if len(e.club.Levels()) > 1 {
		s.levels[1] = 1
	}
	return s
}

// newSetupFrom is the form of a match against the computer that goes on after some moves of a game with complete options;
// ok is false if the game isn't played here.
func newSetupFrom(e *env, g games.Game, o games.Options, moves []games.Move, side lobby.Choice) (s setup, ok bool) {
	id := g.About().ID
	game := slices.IndexFunc(e.club.Games(), func(g games.Game) bool { return g.About().ID == id })
	return setup{env: e, against: againstComputer, at: keyLevel, side: side, game: game,
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
		return s, replace(newMatch(s.env, msg.ref.ID))
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	return s, nil
}

func (s setup) key(msg tea.KeyPressMsg) (screen, tea.Cmd) {
	fields := s.fields()
	at := s.index(fields)
	switch key := msg.String(); key {
	case "enter":
		return s.open()
	case "up", "down", "home", "end", "pgup", "pgdown":
		return s.focus(fields[moved(key, at, len(fields), 5)].key), nil
	case "tab":
		return s.focus(fields[cycle(at, len(fields), "right")].key), nil
	case "shift+tab":
		return s.focus(fields[cycle(at, len(fields), "left")].key), nil
	case "left", "right":
		return s.change(key), nil
	case "space":
		return s.change("right"), nil
	case "backspace":
		return s.typed(s.digits[:max(len(s.digits)-1, 0)]), nil
	default:
		if len(msg.Text) == 1 && msg.Text[0] >= '0' && msg.Text[0] <= '9' && len(s.digits) < 5 {
			return s.typed(s.digits + msg.Text), nil
		}
	}
	return s, nil
}

// focus moves the cursor to a field.
func (s setup) focus(key string) setup {
	s.at, s.digits = key, ""
	return s
}

// index is the place of the cursor among the fields.
func (s setup) index(fields []field) int {
	for i, f := range fields {
		if f.key == s.at {
			return i
		}
	}
	return 0
}

// change moves the value under the cursor on or back.
func (s setup) change(key string) setup {
	s.digits = ""
	levels := len(s.env.club.Levels())
	switch s.at {
	case keyOpponent:
		s.against = opponent(cycle(int(s.against), 4, key))
	case keyGame:
		s.game = cycle(s.game, len(s.env.club.Games()), key)
	case keyLevel:
		s.levels[0] = cycle(s.levels[0], levels, key)
	case keyOther:
		s.levels[1] = cycle(s.levels[1], levels, key)
	case keySide:
		s.side = lobby.Choice(cycle(int(s.side), 3, key))
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

// nextValue is the allowed value after or before v, also when v was typed and is not allowed itself.
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

// typed sets the option under the cursor to a number as it is typed; none is its default.
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

// option is the option under the cursor.
func (s setup) option() (games.Option, bool) {
	for _, o := range s.about().Options {
		if o.Key == s.at {
			return o, true
		}
	}
	return games.Option{}, false
}

func (s setup) about() *games.About { return s.env.club.Games()[s.game].About() }

// chosen are the options of the game as they stand in the form.
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

// problem is what is wrong with the form: a value out of its range, options that don't go together, a game without an end.
func (s setup) problem() string {
	say, chosen := s.env.say, s.chosen()
	if (s.against == againstComputer || s.against == twoComputers) && len(s.env.club.Levels()) == 0 {
		return say.T("There is no computer player here just now. Choose another opponent.")
	}
	for _, o := range s.about().Options {
		if !o.Allows(chosen[o.Key]) {
			return say.T("%s can't be %d. %s", say.T(o.Label), chosen[o.Key], rangeOf(say, o))
		}
	}
	g := s.env.club.Games()[s.game]
	if _, err := games.Complete(g, chosen); err != nil {
		return say.Error(err)
	}
	if _, bounded := g.Longest(chosen); !bounded {
		return say.Error(lobby.ErrEndless)
	}
	return ""
}

// open opens the match, unless something is wrong with the form.
func (s setup) open() (screen, tea.Cmd) {
	if problem := s.problem(); problem != "" || s.busy {
		return s, note(problem)
	}
	s.busy = true
	club, ctx, who, spec := s.env.club, s.env.ctx, s.env.who, s.spec()
	return s, func() tea.Msg {
		ref, err := club.Open(ctx, who, spec)
		return openedMsg{ref, err}
	}
}

// spec is what the form asks the lobby for.
func (s setup) spec() lobby.Spec {
	levels := s.env.club.Levels()
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

// click moves the cursor to a field; one on the value of the field with the cursor changes it, one on the button opens.
func (s setup) click(m tea.MouseClickMsg) (screen, tea.Cmd) {
	fields := s.fields()
	was := s.index(fields)
	at := fieldAt(fields, was, s.room(s.size.Height), m.Y-firstLine)
	if at < 0 || m.Button != tea.MouseLeft {
		return s, nil
	}
	value := valueColumn(fields, at, s.size.Width)
	switch {
	case fields[at].button:
		return s.open()
	case at == was && m.X >= value && m.X < value+2:
		return s.change("left"), nil
	case at == was && m.X >= value:
		return s.change("right"), nil
	}
	return s.focus(fields[at].key), nil
}

// Title names the page by what it is for.
func (s setup) Title() string {
	if s.fixed {
		return s.about().Name + s.env.theme.dot + s.env.say.T("play on from move %d", len(s.from))
	}
	return "Ludoteca" + s.env.theme.dot + s.env.say.T(setupTitles[s.against])
}

var setupTitles = [...]string{
	againstPerson:   text.T("new match"),
	againstComputer: text.T("play the computer"),
	atOneKeyboard:   text.T("two at this keyboard"),
	twoComputers:    text.T("two computers"),
}

func (s setup) Status() string { return s.env.who.Name }
func (s setup) Typing() bool   { return false }

func (s setup) Hints() []hint {
	say := s.env.say
	hints := []hint{{"enter", say.T("play")}, {say.T("arrows"), say.T("choose and change")}}
	if s.fixed {
		return hints
	}
	return append(hints, hint{say.T("digits"), say.T("a number")})
}
