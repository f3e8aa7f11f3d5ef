package tanks

import (
	_ "embed"

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

// The rules for people in other languages.
var (
	//go:embed rules.pt.txt
	howToPortuguese string

	//go:embed rules.de.txt
	howToGerman string
)

var about = games.About{
	ID:       "tanks",
	Name:     "Breakthrough Tanks",
	Sentence: "Two tank armies that only ever go forward: break through to the far row, or leave no enemy tank standing.",
	Brief: [3]string{
		"Go one cell forward, also diagonally;",
		"T and D can hit two cells away.",
		"Reach the far row, or take them all.",
	},
	HowTo: `# The aim
Bring one of your tanks to the far row, the home row of the enemy. Or
destroy all its tanks.

# A turn
Move one tank one cell forward, straight ahead or diagonally, to an
empty cell. Every kind moves alike, and none ever goes sideways or back.

Or capture: your tank goes where an enemy tank stands, and that one
leaves the game. What it can hit depends on its kind, and this is what
newcomers get wrong:

    x . x . x     . . x . .     . . . . .
    . x x x .     . . x . .     . x x x .
    . . T . .     . . D . .     . . M . .
    heavy         destroyer     medium

- The medium M hits the three cells right in front of it.
- The heavy T hits these too, and two cells away in the same three
  directions.
- The destroyer D hits only straight ahead, one or two cells away. It
  can move diagonally, but not capture there.

A shot over two cells is not stopped by what stands between, friend or
foe. Two cells are for captures only: nobody moves that far to an empty
cell. You need not capture, and you may not pass.

The first player sits at the bottom, with capital letters, and goes up.
The second sits at the top, with small letters, and goes down.

# The end
A tank on the far row wins at once, whether it moved there or captured
there. So does the capture of the last enemy tank. There are no draws,
and there is always a move.

# How to write a move
Both cells, with - for a move and x for a capture: e2-e3, e4xg6. While
playing you can leave the mark out: e2e3. Row 1 is at the bottom.`,
	HowToIn: map[string]string{"pt": howToPortuguese, "de": howToGerman},
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
