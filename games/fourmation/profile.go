package fourmation

import (
	_ "embed"

	"ludoteca/games"
)

// ratings are the ratings of the computer players. `ludoteca rate` measures and writes them.
//
//go:embed ratings.txt
var ratings string

var profile = games.Profile{
	Set:        games.Decisive, // players that look far draw on the board of 7x7
	Contempt:   8,              // equal players draw too readily
	NoisyPlies: games.UsualNoisyPlies,
	ProofShare: 8,
	Presets: games.UsualPresets([]games.Preset{
		{Level: "learner", Nodes: 4_000, Spread: 6, Depth: 3, Overlooks: 10},
		{Level: "pupil", Nodes: 4_000, Spread: 3, Depth: 5, Overlooks: 2},
		{Level: "club", Nodes: 40_000, Spread: 3, Depth: 10, Overlooks: 1},
	}, games.Preset{Level: "expert", Nodes: 5_000, Spread: 3}, games.Preset{Level: "champion", Nodes: 60_000, Spread: 2}),
	Length:    66,
	Scale:     40, // 0.938 bits on 693 positions of 36 games; 60 has 0.950, 21 the fewest with 0.926
	RateNodes: 300_000,
	Ratings:   games.MustParseRatings(ratings),
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
