package petteia

import (
	_ "embed"

	"ludoteca/games"
)

// ratings are the ratings of the computer players. `ludoteca rate` measures and writes them.
//
//go:embed ratings.txt
var ratings string

var profile = games.Profile{
	Contempt:   25, // equal players draw too readily
	Repeats:    true,
	NoisyPlies: games.UsualNoisyPlies,
	Presets:    games.UsualPresets(weak, games.Expert(4_000), games.Champion(20_000)),
	Length:     180,
	Scale:      115, // 15851 positions, 0.792 bits
	RateNodes:  200_000,
	Ratings:    games.MustParseRatings(ratings),
}

// plans are what beginners overrate: as the first side the men that they might capture, as the second side the men that they
// might lose.
var plans = [2][]games.Weight{
	games.First:  {{Name: "own captures", Value: 25}, {Name: "enemy captures", Value: -15}},
	games.Second: {{Name: "own captures", Value: 5}, {Name: "enemy captures", Value: -40}},
}

// weak are the levels that see little.
var weak = []games.Preset{
	{Level: "novice", Nodes: 4_000, Spread: 110, Depth: 1, Overlooks: 80, Plans: plans},
	{Level: "learner", Nodes: 4_000, Spread: 40, Depth: 2, Overlooks: 34, Plans: plans},
	{Level: "pupil", Nodes: 4_000, Spread: 20, Depth: 2, Overlooks: 18, Plans: plans},
	{Level: "improver", Nodes: 6_000, Spread: 15, Depth: 4, Overlooks: 9, Plans: plans},
	{Level: "regular", Nodes: 10_000, Spread: 12, Depth: 4, Overlooks: 5, Plans: plans},
	{Level: "club", Nodes: 20_000, Spread: 10, Depth: 4, Overlooks: 2, Plans: plans},
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
