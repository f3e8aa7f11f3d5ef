package petteia

import (
	_ "embed"

	"ludoteca/games"
)

// ratings are those of the computer players. `ludoteca rate` measures and writes them.
//
//go:embed ratings.txt
var ratings string

var profile = games.Profile{
	Contempt:   25, // equal players draw too readily
	Repeats:    true,
	NoisyPlies: games.UsualNoisyPlies,
	Presets:    games.UsualPresets(2_000, 8_000, 40_000),
	Scale:      115, // 15851 positions, 0.792 bits
	RateNodes:  400_000,
	Ratings:    games.MustParseRatings(ratings),
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
