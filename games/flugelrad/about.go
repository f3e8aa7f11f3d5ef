package flugelrad

import (
	_ "embed" // the rules for people
	"strings"

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

// howTo is the rules for people.
//
//go:embed rules.txt
var howTo string

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
	HowTo: strings.TrimSuffix(howTo, "\n"),
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
			Label: "Turned wheel locked", Help: "The wheel turned just now can't be turned again at once.",
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
	Sets:  []games.OptionSet{{Name: games.Decisive, Options: games.Options{optConnect: 5, optChain: 1}}},
	Sides: [2]string{"X", "O"},
	Reasons: map[string]string{
		reasons[byConnection]: "{connect} balls linked",
		reasons[byRepetition]: "the same position came up too often",
		reasons[byMoveLimit]:  "{move_limit|turn|turns} played",
	},
}
