package ui

import (
	"strconv"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
)

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
func (s setup) fields() []field {
	say, about := s.env.say, s.about()
	var fields []field
	add := func(key, label, value, help string) {
		fields = append(fields, field{key: key, label: label, value: value, help: help})
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
		f.gap = i == 0
		if s.at == o.Key && s.digits != "" {
			f.value = s.digits + "_"
		}
		fields = append(fields, f)
	}
	open := say.T("Play")
	if s.against == againstPerson {
		open = say.T("Open the match")
	}
	return append(fields, field{key: keyOpen, label: open, button: true, gap: true})
}

// A wording is a value of a field with its help.
type wording struct{ value, help string }

var opponents = [...]wording{
	againstPerson:   {text.T("a person"), text.T("Wait for somebody here, or give a friend the code.")},
	againstComputer: {text.T("the computer"), text.T("The match starts at once. It is never rated.")},
	atOneKeyboard:   {text.T("at this keyboard"), text.T("You play both sides, or sit here in twos.")},
	twoComputers:    {text.T("two computers"), text.T("You watch. The match goes on while you do.")},
}

// takers is who can take the free seat, by whether the match is private.
var takers = map[bool]wording{
	false: {text.T("anybody"), text.T("The match is listed in the lobby; its code works too.")},
	true:  {text.T("who has the code"), text.T("The match is listed nowhere. You get a code to tell your friend.")},
}

func (s setup) levelName(i int) string {
	if len(s.env.club.Levels()) == 0 {
		return s.env.say.T("none")
	}
	name := s.env.say.T("%s (bot)", text.Clean(s.env.club.Levels()[s.levels[i]].Name))
	if ahead := s.ahead(i); ahead != 0 {
		name += "  +" + strconv.Itoa(ahead)
	}
	return name
}

// ahead is how many rating points a computer player was measured to be worth above the weakest one; 0 is unknown. They are
// no ratings of the club, which are made by people.
func (s setup) ahead(i int) int { return s.env.club.Levels()[s.levels[i]].Ratings[s.about().ID] }

// levelHelp says how strong a computer player is: in its own words if it has any, else by its place among them.
func (s setup) levelHelp(i int) string {
	levels, say := s.env.club.Levels(), s.env.say
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

// helpLines is how many lines below the form are kept for words about the field with the cursor.
const helpLines = 4

// room is how many lines the fields have.
func (s setup) room(h int) int { return max(h-firstLine-helpLines, 1) }

func (s setup) View(w, h int) string {
	p := newPage(w, h)
	t := s.env.theme
	p.down(firstLine)
	fields := s.fields()
	at := s.index(fields)
	room := s.room(h)
	drawFields(p, t, fields, at, room)
	p.end()
	y, words := t.dim, fields[at].help
	if problem := s.problem(); problem != "" {
		y, words = t.accent, problem
	}
	for _, line := range text.Wrap(words, min(w-2*menuColumn, readable)) {
		p.line(menuColumn, y, line)
	}
	return p.String()
}
