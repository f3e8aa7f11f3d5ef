package ui

import (
	"cmp"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// The columns that pages share, in cells.
const (
	listColumn  = 31 // where the lobby's second column starts
	listCells   = 60 // wider lists would be hard to read across
	gameCells   = 11 // the short name of a game
	ratingCells = 7  // a rating in a table
)

// gameName returns the short name of a game by its id.
func gameName(e *env, id string) string {
	g, err := e.lobby.Game(id)
	if err != nil {
		return text.Clean(id)
	}
	return shortName(g)
}

// shortName returns the name of a game, or its last word if the name is too long for a column.
func shortName(g games.Game) string {
	name := g.About().Name
	if text.Width(name) > gameCells-1 {
		return name[strings.LastIndexByte(name, ' ')+1:]
	}
	return name
}

// gameVariant says in short with which options a game is played.
func gameVariant(e *env, id string, o games.Options) string {
	g, err := e.lobby.Game(id)
	if err != nil {
		return ""
	}
	return variant(e.say, g.About(), o)
}

// variant returns the name of the option set, unless it is the usual one, and the changes.
func variant(say text.Say, about *games.About, o games.Options) string {
	words := changes(say, about, o)
	if set := about.SetOf(o); set != "" && set != games.Classic {
		words = append([]string{say.T(set)}, words...)
	}
	if len(words) == 0 {
		return say.T("standard")
	}
	return strings.Join(words, ", ")
}

// changes returns the size of the board, if that is an option, and all options that differ from their defaults.
func changes(say text.Say, about *games.About, o games.Options) (words []string) {
	cols, ok := o["cols"]
	rows := o["rows"]
	if !ok {
		cols, ok = o["size"]
		rows = cols
	}
	if ok {
		words = append(words, strconv.Itoa(cols)+"x"+strconv.Itoa(rows))
	}
	for _, opt := range about.Options {
		v, given := o[opt.Key]
		if !given || v == opt.Default || opt.Key == "cols" || opt.Key == "rows" || opt.Key == "size" {
			continue
		}
		words = append(words, say.T(opt.Words())+" "+optionValue(say, opt, v))
	}
	return words
}

// optionValue is the value of an option in words: yes and no for a switch, off for a rule that 0 switches off.
func optionValue(say text.Say, o games.Option, v int) string {
	switch {
	case o.IsSwitch() && v == 1:
		return say.T("yes")
	case o.IsSwitch() && v == 0:
		return say.T("no")
	case v == 0 && o.Zero:
		return say.T("off")
	}
	return strconv.Itoa(v)
}

// occupant returns the name of a seat's occupant. Computer players are marked.
func occupant(e *env, o storage.Occupant) string {
	switch o.Kind {
	case storage.Free:
		return "?"
	case storage.Bot:
		return e.say.T("%s (bot)", text.Clean(o.Name))
	}
	return e.say.Name(o.Name)
}

// withRating returns an occupant's name and rating.
func withRating(e *env, o storage.Occupant, s lobby.Strength) string {
	name := occupant(e, o)
	if s.Known {
		name += " " + rated(s.Rating, s.Provisional)
	}
	return name
}

// rated returns a rating as a whole number, with a question mark while it is provisional.
func rated(rating float64, provisional bool) string {
	s := strconv.FormatFloat(rating, 'f', 0, 64)
	if provisional {
		s += "?"
	}
	return s
}

func casual(say text.Say, rated bool) string {
	if rated {
		return say.T("rated")
	}
	return say.T("casual")
}

// A pair is the two players of a match.
type pair struct {
	rated string    // with their ratings
	plain string    // without
	names [2]string // each alone
}

const betweenPair = " - "

func pairOf(e *env, g lobby.Running) pair {
	a, b := g.Seats[0], g.Seats[1]
	return newPair([2]string{occupant(e, a), occupant(e, b)}, [2]string{withRating(e, a, g.Strength[0]), withRating(e, b, g.Strength[1])})
}

func newPair(names, rated [2]string) pair {
	return pair{rated[0] + betweenPair + rated[1], names[0] + betweenPair + names[1], names}
}

// in returns the two in so many cells: with their ratings, or only their names, or the names cut.
func (p pair) in(cells int) string {
	switch {
	case text.Width(p.rated) <= cells:
		return p.rated
	case text.Width(p.plain) <= cells:
		return p.plain
	}
	half := max((cells-len(betweenPair))/2, 0)
	first := text.Cut(p.names[0], max(half, cells-len(betweenPair)-text.Width(p.names[1])))
	return first + betweenPair + text.Cut(p.names[1], max(cells-len(betweenPair)-text.Width(first), 0))
}

// gameNames returns the short names of the games that can be played.
func gameNames(e *env) []string {
	names := make([]string, 0, 6)
	for _, g := range e.lobby.Games() {
		names = append(names, shortName(g))
	}
	return names
}

// namesOf returns the names of the players, by side. Where both are the same, each has the name of the side behind it.
func namesOf(e *env, g games.Game, seats [2]storage.Occupant) [2]string {
	names := [2]string{occupant(e, seats[0]), occupant(e, seats[1])}
	if names[0] == names[1] {
		for side := range names {
			names[side] += " (" + sideName(e, g.About(), side) + ")"
		}
	}
	return names
}

// boardMarks write X and O, as games name their sides and draw them in their rules, the way that boards show them outside ASCII.
var boardMarks = strings.NewReplacer("X", "●", "O", "○")

// marked writes X and O as the boards of the theme show them.
func marked(e *env, words string) string {
	if e.theme.ASCII {
		return words
	}
	return boardMarks.Replace(words)
}

// sideName returns what a side is called at the board.
func sideName(e *env, about *games.About, side int) string {
	switch name := about.Sides[side]; name {
	case "X", "O":
		return marked(e, name)
	default:
		return e.say.T(name)
	}
}

// rulesOf returns the rules of a game for a Prose.
func rulesOf(e *env, about *games.About) string {
	lines := strings.Split(e.say.HowTo(about), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, " ") && about.Sides[games.First] == "X" { // a drawing
			lines[i] = marked(e, line)
		}
	}
	return e.say.T(about.Sentence) + "\n\n" + strings.Join(lines, "\n")
}

// strengths returns the ratings of the players in words: at the end of a rated match before and after it, "" for none.
func strengths(e *env, v *lobby.View) [2]string {
	var words [2]string
	arrow := " → "
	if e.theme.ASCII {
		arrow = " -> "
	}
	for side, s := range v.Strength {
		switch {
		case v.Ratings != nil:
			words[side] = ratingOf(v.Ratings[side].Before) + arrow + ratingOf(v.Ratings[side].After)
		case s.Known:
			words[side] = rated(s.Rating, s.Provisional)
		}
	}
	return words
}

// ratingOf returns a stored rating in words; for a player without matches, the one that everybody starts with.
func ratingOf(r storage.Rating) string {
	g := rating.Glicko{Rating: r.Rating, Deviation: r.Deviation}
	if r.At.IsZero() {
		g = rating.Newcomer()
	}
	return rated(g.Rating, g.Provisional())
}

// ending says who has won and why.
func ending(e *env, v *lobby.View, names [2]string) string {
	return e.say.Ending(v.Game.About(), v.Options, v.Result, v.Reason, names[0], names[1]) + "."
}

// titleOf returns a game, its variant unless it is the standard one, and its match. A narrow window has room for game and code
// alone. Its name is the code for those who know it, else the id.
func titleOf(e *env, v *lobby.View, narrow bool) string {
	say, dot := e.say, e.theme.Dot
	about, named := v.Game.About(), cmp.Or(v.Code, string(v.ID))
	if narrow {
		return shortName(v.Game) + dot + named
	}
	title := about.Name
	if kind := variant(say, about, v.Options); kind != say.T("standard") {
		title += " " + kind
	}
	words := []string{title, say.T("match %s", named), casual(say, v.Rated)}
	if clock := say.ShortClock(v.Clock.Setting); clock != "" {
		words = append(words, clock)
	}
	return strings.Join(words, dot)
}
