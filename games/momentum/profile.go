package momentum

import (
	_ "embed"

	"ludoteca/games"
)

// ratings are the ratings of the computer players. `ludoteca rate` measures and writes them.
//
//go:embed ratings.txt
var ratings string

var profile = games.Profile{
	// Marbles that are pushed off come back, so there is no end of pushing.
	NoisyPlies: 3,
	Presets:    games.UsualPresets(weak, games.Expert(4_000), games.Champion(24_000)),
	Length:     37,
	Scale:      90, // 0.886 bits on 7429 positions of 400 games; 36, which the tables were trained with, has 0.982
	RateNodes:  300_000,
	Ratings:    games.MustParseRatings(ratings),
}

// plans are what beginners make too little or too much of: as the first side they place marbles where they are soon pushed
// off, as the second side they keep away from the rim at any price.
var plans = [2][]games.Weight{
	games.First:  {{Name: "rim", Value: -40}, {Name: "second ring", Value: -10}, {Name: "third ring", Value: 0}},
	games.Second: {{Name: "rim", Value: -100}, {Name: "second ring", Value: -50}},
}

// weak are the levels that see little.
var weak = []games.Preset{
	{Level: "beginner", Nodes: 4_000, Spread: 40, Depth: 2, Overlooks: 58, Plans: plans},
	{Level: "pupil", Nodes: 4_000, Spread: 25, Depth: 2, Overlooks: 20, Plans: plans},
	{Level: "improver", Nodes: 15_000, Spread: 18, Depth: 3, Overlooks: 8, Plans: plans},
	{Level: "club", Nodes: 30_000, Spread: 10, Depth: 5, Overlooks: 2, Plans: plans},
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
