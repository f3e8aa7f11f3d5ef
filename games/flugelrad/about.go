package flugelrad

import (
	_ "embed"

	"ludoteca/games"
)

// The keys of the options.
const (
	optConnect    = "connect"
	optChain      = "chain"
	optFreshWheel = "fresh_wheel"
	optRepetition = "repetition"
	optMoveLimit  = "move_limit"
)

const (
	ballsEach = 9
	startText = "XO...OXOX..X..XO...OXO..OXOXOX"
)

type game struct{}

// New returns the game of Flügelrad.
func New() games.Game { return game{} }

// About describes the game.
func (game) About() *games.About { return &about }

// Check accepts everything: all combinations of options are allowed.
func (game) Check(games.Options) error { return nil }

// Longest returns the limit of turns if there is one. A repetition alone ends every game as well, but at no useful
// number of turns.
func (game) Longest(o games.Options) (plies int, bounded bool) {
	if limit := o[optMoveLimit]; limit > 0 {
		return limit, true
	}
	return 0, o[optRepetition] > 0
}

// New returns the position in which a game begins.
func (g game) New(o games.Options) (games.Position, error) {
	o, err := games.Complete(g, o)
	if err != nil {
		return nil, err
	}
	balls, err := parseBalls(startText)
	if err != nil {
		return nil, err
	}
	s := &State{present: present{last: noWheel}, rules: newRules(o)}
	s.setUp(balls)
	return s.Freeze(), nil
}

// The rules for people in other languages.
var (
	//go:embed rules.pt.txt
	howToPortuguese string

	//go:embed rules.de.txt
	howToGerman string
)

var about = games.About{
	ID:       "flugelrad",
	Aliases:  []string{"flügelrad"},
	Name:     "Flügelrad",
	Sentence: "Turn one of seven wheels with everything on it, and be the first to have six balls linked.",
	Brief: [3]string{
		"Turn a wheel 1 to 5 steps to the left,",
		"but not the one turned just now.",
		"Six of your balls linked together win.",
	},
	HowTo: `# The aim
Have six of your nine balls linked: each joined by a line on the board
to another one of the six. The shape does not matter.

# The board
Thirty points in seven wheels of six. Wheels share points with their
neighbours, so a turn of one changes what is in the others. Balls only
travel with the wheels; none is ever added or taken off.

# A turn
Choose a wheel, 0 to 6, and turn it by 1 to 5 steps. A step is a sixth
of a full turn, counter-clockwise, and everything in the wheel goes
along with it. It does not matter whose balls they are.

- The wheel your opponent has turned just now is locked for one turn.
- A turn must change something: a wheel without balls can't be turned,
  and neither can a pattern be turned into itself.

# The end
After a turn, six linked balls win, no matter who turned the wheel:
if your turn links six of your opponent's, your opponent wins. If it
links six of both, you win. The same position with the same player to
move for the third time is a draw, and so is a game of 200 turns.

# Other ways to play
You can agree on 4, 5 or 7 balls instead of six; ask for a chain, where
the balls follow one another like beads on a string; unlock the wheel
turned last; and change both limits or switch them off.

# How to write a turn
The wheel, a colon, the steps: 3:2 turns wheel 3 by two steps. Five
steps to the left are one to the right.`,
	HowToIn: map[string]string{"pt": howToPortuguese, "de": howToGerman},
	Options: []games.Option{
		{
			Key: optConnect, Min: 4, Max: 7, Default: 6,
			Label: "Balls to link", Help: "How many must be linked to win.",
		},
		{
			Key: optChain, Min: 0, Max: 1, Default: 0,
			Label: "Chain only", Help: "They must follow one another, without branches.",
		},
		{
			Key: optFreshWheel, Min: 0, Max: 1, Default: 1,
			Label: "Turned wheel locked", Help: "The wheel turned just now may not be turned.",
		},
		{
			Key: optRepetition, Min: 2, Max: 5, Zero: true, Default: 3,
			Label: "Draw by repetition", Help: "Draw when a position occurs this often (2-5; 0 = off).",
		},
		{
			Key: optMoveLimit, Min: 0, Max: 1000, Default: 200,
			Label: "Draw after turns", Help: "Turns of both players together (0 = no limit).",
		},
	},
	Sides: [2]string{"X", "O"},
	Reasons: map[string]string{
		reasons[byConnection]: "{connect} balls linked",
		reasons[byRepetition]: "the same position came up too often",
		reasons[byMoveLimit]:  "{move_limit} turns played",
	},
}
