package momentum

import (
	_ "embed"

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
	return (&State{rules: newRules(o)}).Freeze(), nil
}

// The rules for people in other languages.
var (
	//go:embed rules.pt.txt
	howToPortuguese string

	//go:embed rules.de.txt
	howToGerman string
)

var about = games.About{
	ID:       "momentum",
	Name:     "Momentum",
	Sentence: "Drop marbles that knock their neighbours away, and be the first to have all of yours on the board.",
	Brief: [3]string{
		"Drop a marble: the last marble of each",
		"line touching it moves one cell out.",
		"All your marbles on the board wins.",
	},
	HowTo: `# The aim
Be the first to have all of your marbles (eight, unless you agreed on
another number) on the board at the end of your own turn.

# A turn
Drop one marble from your hand on any empty cell. That is the whole
turn, but every drop has momentum: in each of the eight directions the
marbles that stand in an unbroken line right beside it feel the knock,
and the last marble of the line moves one cell further away.

- It does not matter whose marbles they are. Yours move as well.
- Only the last marble of a line moves; the others stay where they are.
- A marble that moves knocks nothing itself.
- A marble knocked over the rim goes back to its owner's hand and can
  be dropped again.

    . X O X . .   a drop at the left:   O X O . X .

# Swap
The first marble of the game is easily too good. So the second player
may, on the first turn only, play "swap": a marble of the second player
takes its place, and the first player gets the first one back.

# One marble left
If your opponent has only one marble left in hand, the next drop wins.
You must then knock one of your opponent's marbles off the board if any
drop can do it. If none can, you may drop anywhere, and hope.

# The end
All your marbles on the board, counted after all the knocks: you win.
A last marble that knocks another of your own off does not win yet.
After 60 moves, 30 each, the side with more marbles on the board wins.
The same number on both sides is a draw.

# How to write a move
The cell, column first: d4. Or the word swap.`,
	HowToIn: map[string]string{"pt": howToPortuguese, "de": howToGerman},
	Options: []games.Option{
		{
			Key: optSize, Min: 7, Max: 13, Default: 7,
			Label: "Board size", Help: "Cells along each side of the square board.",
		},
		{
			Key: optMarbles, Min: 6, Max: 12, Default: 8,
			Label: "Marbles each", Help: "How many each has to place; 12 suit a 9x9 board.",
		},
	},
	Sides: [2]string{"X", "O"},
	Reasons: map[string]string{
		reasons[byAllPlaced]: "all marbles on the board",
		reasons[byMoveLimit]: "60 moves made and the marbles counted",
	},
}
