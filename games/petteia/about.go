// Package petteia is the game Petteia: 8 rows, 12 columns, two rows of men that move like rooks and capture by closing
// in on an enemy from two sides. RULES.md is the rule sheet; "the section ..." in comments is one of its sections.
package petteia

import (
	_ "embed" // the rules for people
	"maps"
	"strings"

	"ludoteca/games"
)

// The keys of the options.
const (
	keyToWin      = "captures_to_win"
	keySafeEntry  = "safe_entry"
	keyRepetition = "repetition"
	keyQuietLimit = "quiet_limit"
)

// game implements games.Game.
type game struct{}

// New returns the game.
func New() games.Game { return game{} }

// About describes the game.
func (game) About() *games.About { return about }

// New returns the start position: X on row 1, O on row 8.
func (g game) New(o games.Options) (games.Position, error) {
	if len(o) != len(about.Options) {
		return nil, games.BadOption("%d options are given; Petteia has %d", len(o), len(about.Options))
	}
	complete, err := games.Complete(g, o)
	if err != nil {
		return nil, err
	}
	s := &State{rules: rulesOf(complete)}
	for col := range Cols {
		s.men[games.First] = s.men[games.First].with(only(CellAt(col, 0)))
		s.men[games.Second] = s.men[games.Second].with(only(CellAt(col, Rows-1)))
	}
	s.checkEnd()
	return s.Freeze(), nil
}

// rulesOf looks up complete options.
func rulesOf(o games.Options) *rules {
	return &rules{
		toWin:      o[keyToWin],
		safeEntry:  o[keySafeEntry] == 1,
		repetition: o[keyRepetition],
		quietLimit: o[keyQuietLimit],
		options:    maps.Clone(o),
	}
}

// Check allows all combinations.
func (game) Check(games.Options) error { return nil }

// Longest counts stretches of play: each ends with a capture or with the game, after quiet_limit plies at the most.
//
// How many stretches? Without ending the game, both sides can capture captures_to_win - 1 men each, and then comes one
// more stretch. If it takes all 12 men to win, one side can't have captured 11 when the other captures its 11th: it
// takes two men to capture, so one of the two sides would have had to be down to one man before its last capture.
//
// If the limit is even, a full stretch ends with a turn of the player who did not begin it, so all captures after full
// stretches are made by the same player. For the other one to capture as well, one stretch must be a ply
// shorter. Not so without safe entry, where a player's own move can be the enemy's capture.
func (game) Longest(o games.Options) (plies int, bounded bool) {
	limit, toWin := o[keyQuietLimit], o[keyToWin]
	if limit == 0 {
		return 0, o[keyRepetition] > 0
	}
	stretches := min(2*toWin-1, 2*maxMen-2)
	plies = stretches * limit
	if o[keySafeEntry] == 1 && limit%2 == 0 && toWin > 1 {
		plies--
	}
	return plies, true
}

// howTo is the rules for people.
//
//go:embed rules.txt
var howTo string

var about = &games.About{
	ID:       "petteia",
	Name:     "Petteia",
	Sentence: "Men that move like rooks close in on each other from two sides; seven captures win.",
	Brief: [3]string{
		"Move a man like a chess rook. Trap an",
		"enemy between two of yours, in a row",
		"or a column. Capture seven to win.",
	},
	HowTo:   strings.TrimSuffix(howTo, "\n"),
	Options: options,
	Sets: []games.OptionSet{
		{Name: games.Decisive, Options: games.Options{keyToWin: 5, keyQuietLimit: 300}},
	},
	Sides: [2]string{"X", "O"},
	Reasons: map[string]string{
		reasons[byCaptures]:   "{captures_to_win|capture|captures}",
		reasons[byNoMoves]:    "no move is left",
		reasons[byRepetition]: "the same position came up too often",
		reasons[byNoProgress]: "{quiet_limit|turn|turns} without a capture",
	},
}

var options = []games.Option{
	{
		Key: keyToWin, Min: 1, Max: 12, Default: 7,
		Label: "Captures to win", Help: "The first to capture this many men wins.",
	},
	{
		Key: keySafeEntry, Min: 0, Max: 1, Default: 1,
		Label: "Safe between enemies", Help: "A man that moves between two enemies is not captured.",
	},
	{
		Key: keyRepetition, Min: 2, Max: 5, Zero: true, Default: 3,
		Label: "Draw by repetition", Help: "Draw when a position occurs this often (2-5; 0 = off).",
	},
	{
		Key: keyQuietLimit, Min: 0, Max: 1000, Default: 100,
		Label: "Draw without captures", Help: "Turns in a row without a capture (0 = off).",
	},
}
