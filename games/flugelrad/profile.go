package flugelrad

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
	Presets:    games.UsualPresets(1_000, 5_000, 20_000),
	Scale:      152, // 10303 positions, 0.994 bits
	RateNodes:  200_000,
	Ratings:    games.MustParseRatings(ratings),
}

// Profile says how computer players search the game.
func (game) Profile() *games.Profile { return &profile }
