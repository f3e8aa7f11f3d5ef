package newmatch

import (
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/optionfields"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

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
