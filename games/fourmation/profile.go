package fourmation

import (
	_ "embed"

	"ludoteca/games"
)

// ratings are those of the computer players. `ludoteca rate` measures and writes them.
//
//go:embed ratings.txt
var ratings string

var profile = games.Profile{
	Contempt:   8, // equal players draw too readily
	NoisyPlies: games.UsualNoisyPlies,
	ProofShare: 8,
	Presets: [...]games.Preset{
		{Nodes: 4_000, Spread: 3, Depth: 5, Overlooks: 2},
		{Nodes: 40_000, Spread: 3, Depth: 10, Overlooks: 1},
		{Nodes: 40_000, Spread: 3},
		{Nodes: 400_000, Spread: 2},
		{Nodes: games.TopNodes, Spread: 2},
	},
	Length:    23,
	Scale:     60, // 1097 positions, 0.981 bits
	RateNodes: 1_000_000,
	Ratings:   games.MustParseRatings(ratings),
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
