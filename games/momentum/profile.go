package momentum

import (
	_ "embed"

	"ludoteca/games"
)

// ratings are those of the computer players. `ludoteca rate` measures and writes them.
//
//go:embed ratings.txt
var ratings string

var profile = games.Profile{
	// Marbles that are pushed off come back, so there is no end of pushing.
	NoisyPlies: 3,
	Presets:    games.UsualPresets(2_000, 10_000, 60_000),
	Scale:      36, // 2124 positions, 0.550 bits
	RateNodes:  1_000_000,
	Ratings:    games.MustParseRatings(ratings),
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
