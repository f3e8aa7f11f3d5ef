package tanks

import (
	_ "embed"

	"ludoteca/games"
)

// ratings are those of the computer players. `ludoteca rate` measures and writes them.
//
//go:embed ratings.txt
var ratings string

var profile = games.Profile{
	Repeats:    true,
	NoisyPlies: games.UsualNoisyPlies,
	Presets:    games.UsualPresets(2_000, 10_000, 60_000),
	Scale:      259, // 4868 positions, 0.952 bits
	RateNodes:  300_000,
	Ratings:    games.MustParseRatings(ratings),
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
