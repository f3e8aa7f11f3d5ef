package newmatch

import (
	"cmp"
	"slices"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/names"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/optionfields"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
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

// takers say who can take the free seat.
type takers uint8

const (
	anyPlayer takers = iota
	friends
	namedPlayer
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

// hasClock reports whether a clock can be chosen.
func (s terms) hasClock() bool { return s.against != TwoComputers && !s.aside }

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
