package tanks

import (
	_ "embed" // the rules for people
	"strings"

	"ludoteca/games"
)

const optSize = "size"

type game struct{}

// New returns the game of Breakthrough Tanks.
func New() games.Game { return game{} }

// About describes the game.
func (game) About() *games.About { return &about }

// Check accepts everything: there is one option only.
func (game) Check(games.Options) error { return nil }

// Longest follows from the rows that all tanks together can advance. A game always ends.
func (game) Longest(o games.Options) (plies int, bounded bool) {
	return 2*o[optSize]*(2*o[optSize]-5) + 1, true
}

// New returns the position in which a game begins.
func (g game) New(o games.Options) (games.Position, error) {
	o, err := games.Complete(g, o)
	if err != nil {
		return nil, err
	}
	return start(o[optSize]).Freeze(), nil
}

// howTo is the rules for people.
//
//go:embed rules.txt
var howTo string

var about = games.About{
	ID:       "tanks",
	Name:     "Breakthrough Tanks",
	Sentence: "Two tank armies that only ever go forward: break through to the far row, or leave no enemy tank standing.",
	Brief: [3]string{
		"Go one cell forward, also diagonally;",
		"T and D can hit two cells away.",
		"Reach the far row, or take them all.",
	},
	HowTo: strings.TrimSuffix(howTo, "\n"),
	Options: []games.Option{
		{
			Key: optSize, Min: 6, Max: maxSize, Step: 2, Default: 8,
			Label: "Board size", Help: "Cells along each side; larger boards take much longer.",
		},
	},
	Sides: [2]string{"Bottom", "Top"},
	Reasons: map[string]string{
		reasons[byBreakthrough]: "a tank on the far row",
		reasons[byNoPieces]:     "all enemy tanks destroyed",
	},
}
