package fourmation

import (
	_ "embed" // the rules for people
	"strings"

	"ludoteca/games"
)

// The keys of the options.
const (
	optCols = "cols"
	optRows = "rows"
	optWin  = "win_length"
)

type game struct{}

// New returns the game of 4Mation.
func New() games.Game { return game{} }

// About describes the game.
func (game) About() *games.About { return &about }

// Check refuses a line that is longer than the board. Options.
func (game) Check(o games.Options) error {
	if longer := max(o[optCols], o[optRows]); o[optWin] > longer {
		return games.BadOption("%s is %d, but the longer side of the board has only %d cells", optWin, o[optWin], longer)
	}
	return nil
}

// Longest returns the number of cells: every move fills one.
func (game) Longest(o games.Options) (plies int, bounded bool) { return o[optCols] * o[optRows], true }

// New returns the position in which a game begins.
func (g game) New(o games.Options) (games.Position, error) {
	o, err := games.Complete(g, o)
	if err != nil {
		return nil, err
	}
	return start(o[optCols], o[optRows], o[optWin]).Freeze(), nil
}

// howTo is the rules for people.
//
//go:embed rules.txt
var howTo string

var about = games.About{
	ID:       "fourmation",
	Aliases:  []string{"4mation"},
	Name:     "4Mation",
	Sentence: "Line up four of your pieces, but always right beside the piece your opponent has just placed.",
	Brief: [3]string{
		"Place a piece that touches the one",
		"your opponent has just placed.",
		"A full line of your pieces wins.",
	},
	HowTo: strings.TrimSuffix(howTo, "\n"),
	Options: []games.Option{
		{
			Key: optCols, Min: 3, Max: maxSide, Default: 7,
			Label: "Columns", Help: "Width of the board, in cells.",
		},
		{
			Key: optRows, Min: 3, Max: maxSide, Default: 7,
			Label: "Rows", Help: "Height of the board, in cells.",
		},
		{
			Key: optWin, Min: 3, Max: maxSide, Default: 4,
			Label: "Pieces in a line to win", Help: "At most the longer side; with 3 the first player can win.",
		},
	},
	Sets:  []games.OptionSet{{Name: games.Decisive, Options: games.Options{optCols: 10, optRows: 16}}},
	Sides: [2]string{"X", "O"},
	Reasons: map[string]string{
		reasons[byLine]:    "{win_length} in a line",
		reasons[byNoMoves]: "no empty cell next to the last piece",
	},
}
