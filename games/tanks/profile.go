package tanks

import (
	_ "embed"

	"ludoteca/games"
)

// ratings are the ratings of the computer players. `ludoteca rate` measures and writes them.
//
//go:embed ratings.txt
var ratings string

var profile = games.Profile{
	Repeats:    true,
	NoisyPlies: games.UsualNoisyPlies,
	Presets:    games.UsualPresets(weak, games.Expert(3_000), games.Champion(12_000), elite),
	Length:     63,
	Scale:      150, // 0.851 and 0.833 bits on positions of 200 games each; 259, which the tables were trained with, has 0.858 and 0.837
	RateNodes:  100_000,
	Ratings:    games.MustParseRatings(ratings),
}

// plans are what beginners make too much of: as the first side of how far their tanks have come, as the second side of how
// many they have.
var plans = [2][]games.Weight{
	games.First:  {{Name: "row", Value: 60}, {Name: "1 row left", Value: 100}},
	games.Second: {{Name: "row", Value: 20}, {Name: "2 rows left", Value: 100}, {Name: "home row", Value: 0}},
}

// elite stands between Champion and Master, which are far apart: the game is decided by looking far.
var elite = games.Preset{Level: "elite", Nodes: 45_000, Spread: 3}

// weak are the levels that see little.
var weak = []games.Preset{
	{Level: "beginner", Nodes: 4_000, Spread: 40, Depth: 2, Overlooks: 45, Plans: plans},
	{Level: "learner", Nodes: 8_000, Spread: 20, Depth: 3, Overlooks: 17, Plans: plans},
	{Level: "pupil", Nodes: 8_000, Spread: 20, Depth: 3, Overlooks: 5, Plans: plans},
	{Level: "improver", Nodes: 15_000, Spread: 15, Depth: 4, Overlooks: 3, Plans: plans},
	{Level: "club", Nodes: 40_000, Spread: 10, Depth: 5, Overlooks: 1, Plans: plans},
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
