package momentum

import (
	_ "embed" // the rules for people
	"strings"

	"ludoteca/games"
)

// The keys of the options.
const (
	optSize    = "size"
	optMarbles = "marbles"
)

type game struct{}

// New returns the game of Momentum.
func New() games.Game { return game{} }

// About describes the game.
func (game) About() *games.About { return &about }

// Check accepts everything: all sizes go with all numbers of marbles.
func (game) Check(games.Options) error { return nil }

// Longest returns the fixed limit of moves.
func (game) Longest(games.Options) (plies int, bounded bool) { return Limit, true }

// New returns the position in which a game begins.
func (g game) New(o games.Options) (games.Position, error) {
	o, err := games.Complete(g, o)
	if err != nil {
		return nil, err
	}
	return blank(o).Freeze(), nil
}

// howTo is the rules for people.
//
//go:embed rules.txt
var howTo string

var about = games.About{
	ID:       "momentum",
	Name:     "Momentum",
	Sentence: "Drop marbles that knock their neighbours away, and be the first to have all of yours on the board.",
	Brief: [3]string{
		"Drop a marble: the last marble of each",
		"line touching it moves one cell out.",
		"Get all your marbles on the board.",
	},
	HowTo: strings.TrimSuffix(howTo, "\n"),
	Options: []games.Option{
		{
			Key: optSize, Min: 7, Max: maxSize, Default: 7,
			Label: "Board size", Help: "Cells along each side of the square board.",
		},
		{
			Key: optMarbles, Min: 6, Max: 26, Default: 8,
			Label: "Marbles each", Help: "How many each player has to drop; 12 suit a 9x9 board.",
		},
	},
	Sides: [2]string{"X", "O"},
	Reasons: map[string]string{
		reasons[byAllPlaced]: "all marbles on the board",
		reasons[byMoveLimit]: "60 moves made and the marbles counted",
	},
}
