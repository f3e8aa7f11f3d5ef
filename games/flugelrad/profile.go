package flugelrad

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
	Presets:    games.UsualPresets(weak, games.Expert(500), contender, games.Champion(2_000)),
	Length:     140,
	Scale:      39, // 0.880 bits on 33,858 positions of 600 games; 152 has 0.940
	RateNodes:  30_000,
	Ratings:    games.MustParseRatings(ratings),
}

// plans are what beginners make too much of: as the first side of balls that touch each other, as the second side of balls
// in the middle.
var plans = [2][]games.Weight{
	games.First:  {{Name: "link", Value: 16}, {Name: "rim", Value: 0}, {Name: "middle wheel", Value: 0}},
	games.Second: {{Name: "link", Value: 4}, {Name: "rim", Value: -4}, {Name: "middle wheel", Value: 20}},
}

// contender stands between Expert and Champion, which are far apart.
var contender = games.Preset{Level: "contender", Nodes: 800, Spread: 5}

// weak are the levels that see little.
var weak = []games.Preset{
	{Level: "newcomer", Nodes: 4_000, Spread: 100, Depth: 1, Overlooks: 80, Misses: 89, Plans: plans},
	{Level: "novice", Nodes: 4_000, Spread: 40, Depth: 2, Overlooks: 60, Misses: 81, Plans: plans},
	{Level: "beginner", Nodes: 4_000, Spread: 40, Depth: 2, Overlooks: 60, Misses: 66, Plans: plans},
	{Level: "learner", Nodes: 4_000, Spread: 20, Depth: 2, Overlooks: 36, Misses: 51, Plans: plans},
	{Level: "pupil", Nodes: 4_000, Spread: 20, Depth: 2, Overlooks: 28, Plans: plans},
	{Level: "improver", Nodes: 10_000, Spread: 15, Depth: 3, Overlooks: 17, Plans: plans},
	{Level: "club", Nodes: 20_000, Spread: 10, Depth: 4, Overlooks: 6, Plans: plans},
	{Level: "advanced", Nodes: 60_000, Spread: 8, Depth: 6, Overlooks: 6, Plans: plans},
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
