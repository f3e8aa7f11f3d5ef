package fourmation

import (
	_ "embed"

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

// The rules for people in other languages.
var (
	//go:embed rules.pt.txt
	howToPortuguese string

	//go:embed rules.de.txt
	howToGerman string
)

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
	HowTo: `# The aim
Be the first with a line of four of your own pieces: in a row, in a
column or on a diagonal, without a gap. You can agree on another number
than four before the game. A longer line wins as well.

# A turn
Put one of your pieces on an empty cell that touches the piece your
opponent has just placed, along a side or at a corner. That leaves you
eight cells at most, and your own pieces play no part in it.

    . * * * .
    . * O * .     O has just played here: X must answer on one
    . * * X .     of the cells with a star
    . . . . .

The first piece of the game may go anywhere. Pieces never move, nobody
runs out of them, and nobody may pass.

# The end
A full line through the piece just placed wins at once.

If no cell around the piece just placed is empty, the next player cannot
move and the game is a draw, even on a nearly empty board. A line that
is closed by the very same piece still wins.

# A hint
Where you place a piece decides where your opponent may go. A cell that
is good for you may be a gift: look first at what your opponent can
reach from there, then at what you can reach afterwards.

# How to write a move
The cell, column first: d4. Row 1 is at the bottom.`,
	HowToIn: map[string]string{"pt": howToPortuguese, "de": howToGerman},
	Options: []games.Option{
		{
			Key: optCols, Min: 3, Max: maxSide, Default: 7,
			Label: "Columns", Help: "How many cells the board is wide.",
		},
		{
			Key: optRows, Min: 3, Max: maxSide, Default: 7,
			Label: "Rows", Help: "How many cells the board is high.",
		},
		{
			Key: optWin, Min: 3, Max: maxSide, Default: 4,
			Label: "Pieces in a line to win", Help: "At most the longer side; with 3 the first player can win.",
		},
	},
	Sides: [2]string{"X", "O"},
	Reasons: map[string]string{
		reasons[byLine]:    "{win_length} in a line",
		reasons[byNoMoves]: "no empty cell next to the last piece",
	},
}
