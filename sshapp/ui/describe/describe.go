// Package describe describes games, their options, matches and players in the language of the session.
package describe

import (
	"cmp"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// The columns that pages share, in cells.
const (
	ListColumn  = 31 // where the lobby's second column starts
	ListCells   = 60 // wider lists would be hard to read across
	GameCells   = 11 // the short name of a game
	RatingCells = 7  // a rating in a table
)

// GameName returns the short name of a game by its id.
func GameName(e *screen.Env, id string) string {
	g, err := e.Lobby.Game(id)
	if err != nil {
		return text.Clean(id)
	}
	return ShortName(e.Say, g)
}

// ShortName returns the name of a game, or its last word if the name is too long for a column.
func ShortName(say wording.Words, g games.Game) string {
	name := say.Spell(g.About().Name)
	if text.Width(name) > GameCells-1 {
		return name[strings.LastIndexByte(name, ' ')+1:]
	}
	return name
}

// GameVariant describes the options of a game in short.
func GameVariant(e *screen.Env, id string, o games.Options) string {
	g, err := e.Lobby.Game(id)
	if err != nil {
		return ""
	}
	return variant(e.Say, g.About(), o)
}

// variant returns the name of the option set, unless it is the usual one, and the changes.
func variant(say wording.Words, about *games.About, o games.Options) string {
	words := Changes(say, about, o)
	if set := about.SetOf(o); set != "" && set != games.Classic {
		words = append([]string{say.T(set)}, words...)
	}
	if len(words) == 0 {
		// Translators: a match with the usual options of its game.
		return say.T("standard")
	}
	return strings.Join(words, ", ")
}

// FullVariant returns the name of the option set, even if it is the usual one, and the changes from it.
func FullVariant(say wording.Words, about *games.About, o games.Options) string {
	words := Changes(say, about, o)
	if set := about.SetOf(o); set != "" {
		words = append([]string{say.T(set)}, words...)
	}
	if len(words) == 0 {
		return say.T("standard")
	}
	return strings.Join(words, " ")
}

// Changes returns the size of the board, if that is an option, and all options that differ from their defaults.
func Changes(say wording.Words, about *games.About, o games.Options) []string {
	return changes(say, about, o, games.Option.Words)
}

// FormChanges is Changes with the names of the options in forms.
func FormChanges(say wording.Words, about *games.About, o games.Options) []string {
	return changes(say, about, o, func(opt games.Option) string { return opt.Label })
}

func changes(say wording.Words, about *games.About, o games.Options, name func(games.Option) string) (words []string) {
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
		words = append(words, say.T(name(opt))+" "+OptionValue(say, opt, v))
	}
	return words
}

// OptionValue returns the value of an option in words: yes and no for a switch, off for a rule that 0 switches off.
func OptionValue(say wording.Words, o games.Option, v int) string {
	switch {
	case o.IsSwitch() && v == 1:
		return say.T("yes")
	case o.IsSwitch() && v == 0:
		return say.T("no")
	case v == 0 && o.Zero:
		// Translators: a rule of the game that is switched off.
		return say.T("off")
	}
	return strconv.Itoa(v)
}

// Occupant returns the name of a seat's occupant. Computer players and computer accounts are marked.
func Occupant(e *screen.Env, o storage.Occupant) string {
	if o.Kind == storage.Free {
		return "?"
	}
	return e.Say.Occupant(o)
}

// OccupantIn is Occupant in a number of cells: a name that is too long is cut, and its mark stays.
func OccupantIn(e *screen.Env, o storage.Occupant, cells int) string {
	if over := text.Width(Occupant(e, o)) - cells; over > 0 {
		o.Name = text.Cut(text.Clean(o.Name), max(text.Width(text.Clean(o.Name))-over, 1))
	}
	return text.Cut(Occupant(e, o), cells)
}

// WithRating returns an occupant's name and rating.
func WithRating(e *screen.Env, o storage.Occupant, s lobby.Strength) string {
	name := Occupant(e, o)
	if s.Known {
		name += " " + Rated(s.Rating, s.Provisional)
	}
	return name
}

// Rated returns a rating as a whole number, with a question mark while it is provisional.
func Rated(rating float64, provisional bool) string {
	s := strconv.FormatFloat(rating, 'f', 0, 64)
	if provisional {
		s += "?"
	}
	return s
}

// Casual returns the word for a rated or a casual match.
func Casual(say wording.Words, rated bool) string {
	if rated {
		return say.T("rated")
	}
	return say.T("casual")
}

// WithClock puts the clock of a match, if it has one, in front of words about it.
func WithClock(e *screen.Env, c lobby.ClockSetting, words string) string {
	if clock := e.Say.ShortClock(c); clock != "" {
		return clock + " " + words
	}
	return words
}

// ClockCells returns the width of a column for a short clock, 0 for none.
func ClockCells(clock string) int {
	if clock == "" {
		return 0
	}
	return text.Width(clock) + 1
}

// A Pair is the two players of a match.
type Pair struct {
	rated string    // with their ratings
	plain string    // without
	names [2]string // each alone
}

const betweenPair = " - "

// PairOf returns the players of a match that is being played.
func PairOf(e *screen.Env, g lists.Running) Pair {
	a, b := g.Seats[0], g.Seats[1]
	return newPair([2]string{Occupant(e, a), Occupant(e, b)}, [2]string{WithRating(e, a, g.Strength[0]), WithRating(e, b, g.Strength[1])})
}

func newPair(names, rated [2]string) Pair {
	return Pair{rated[0] + betweenPair + rated[1], names[0] + betweenPair + names[1], names}
}

// Width returns the number of cells of the pair with both ratings.
func (p Pair) Width() int { return text.Width(p.rated) }

// In fits the pair into the given number of cells: with ratings, only the names, or the names cut.
func (p Pair) In(cells int) string {
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

// GameNames returns the short names of the games that can be played.
func GameNames(e *screen.Env) []string {
	names := make([]string, 0, 6)
	for _, g := range e.Lobby.Games() {
		names = append(names, ShortName(e.Say, g))
	}
	return names
}

// Names returns the names of the players, by side. Where both are the same, each has the name of the side behind it.
func Names(e *screen.Env, g games.Game, seats [2]storage.Occupant) [2]string {
	names := [2]string{Occupant(e, seats[0]), Occupant(e, seats[1])}
	if names[0] == names[1] {
		for side := range names {
			names[side] += " (" + SideName(e, g.About(), side) + ")"
		}
	}
	return names
}

// boardMarks write X and O, as games name their sides and draw them in their rules, the way that boards show them outside ASCII.
var boardMarks = strings.NewReplacer("X", "●", "O", "○")

// Marked replaces X and O in words by the signs of the theme's boards.
func Marked(e *screen.Env, words string) string {
	if e.Theme.ASCII {
		return words
	}
	return boardMarks.Replace(words)
}

// SideName returns the name of a side at the board.
func SideName(e *screen.Env, about *games.About, side int) string {
	switch name := about.Sides[side]; name {
	case "X", "O":
		return Marked(e, name)
	default:
		return e.Say.T(name)
	}
}

// Rules returns the rules of a game for a Prose.
func Rules(e *screen.Env, about *games.About) string {
	lines := strings.Split(e.Say.HowTo(about), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, " ") && about.Sides[games.First] == "X" { // a drawing
			lines[i] = Marked(e, line)
		}
	}
	return e.Say.T(about.Sentence) + "\n\n" + strings.Join(lines, "\n")
}

// Strengths returns the ratings of the players in words. At the end of a rated match they are the ratings before and after it. "" is none.
func Strengths(e *screen.Env, v *lobby.View) [2]string {
	var words [2]string
	arrow := " → "
	if e.Theme.ASCII {
		arrow = " -> "
	}
	for side, s := range v.Strength {
		switch {
		case v.Ratings != nil:
			words[side] = ratingOf(v.Ratings[side].Before) + arrow + ratingOf(v.Ratings[side].After)
		case s.Known:
			words[side] = Rated(s.Rating, s.Provisional)
		}
	}
	return words
}

// PracticeChange says what a match against a computer player has made of a practice rating.
func PracticeChange(e *screen.Env, p learning.PracticePoint) string {
	if e.Theme.ASCII {
		return e.Say.PracticeChange(p, "->")
	}
	return e.Say.PracticeChange(p, "→")
}

// ratingOf returns a stored rating in words. A player without matches has the initial rating.
func ratingOf(r results.Rating) string {
	g := rating.Glicko{Rating: r.Rating, Deviation: r.Deviation}
	if r.At.IsZero() {
		g = rating.Newcomer()
	}
	return Rated(g.Rating, g.Provisional() || !r.HasOpponents())
}

// Ending tells who has won and why, or what has become of a challenge.
func Ending(e *screen.Env, v *lobby.View, names [2]string) string {
	if v.Over && v.Started.IsZero() && v.Reserved.Kind != storage.Free {
		_, mine := v.Side(e.Who)
		if words := e.Say.Unanswered(v, mine); words != "" {
			return words
		}
	}
	return e.Say.Ending(v.Game.About(), v.Options, v.Result, v.Reason, names[0], names[1]) + "."
}

// Title returns a game, its variant unless it is the standard one, and the match. A narrow window has room for only the game and the match.
// The match is named by its code if the viewer knows that, else by its id.
func Title(e *screen.Env, v *lobby.View, narrow bool) string {
	say, dot := e.Say, e.Theme.Dot
	about, named := v.Game.About(), cmp.Or(v.Code, string(v.ID))
	if narrow {
		return ShortName(say, v.Game) + dot + named
	}
	words := []string{gameTitle(say, about, v.Options), say.T("match %s", named), Casual(say, v.Rated)}
	if clock := say.ShortClock(v.Clock.Setting); clock != "" {
		words = append(words, clock)
	}
	return strings.Join(words, dot)
}

// StudyTitle is Title for a study of the session's player.
func StudyTitle(e *screen.Env, v *lobby.View, narrow bool) string {
	if narrow {
		return ShortName(e.Say, v.Game) + e.Theme.Dot + string(v.ID)
	}
	return gameTitle(e.Say, v.Game.About(), v.Options) + e.Theme.Dot + e.Say.T("study %s", v.ID)
}

// gameTitle returns the name of a game, and its variant unless it is the standard one.
func gameTitle(say wording.Words, about *games.About, o games.Options) string {
	title := say.Spell(about.Name)
	if kind := variant(say, about, o); kind != say.T("standard") {
		title += " " + kind
	}
	return title
}
