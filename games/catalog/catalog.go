// Package catalog is the one list of all games.
package catalog

import (
	"slices"

	"ludoteca/games"
	"ludoteca/games/flugelrad"
	"ludoteca/games/fourmation"
	"ludoteca/games/momentum"
	"ludoteca/games/petteia"
	"ludoteca/games/tanks"
)

// all is the list, in the order in which they are shown. A new game is one more line.
var all = []games.Game{
	momentum.New(),
	petteia.New(),
	fourmation.New(),
	flugelrad.New(),
	tanks.New(),
}

// All returns the games in the order in which they are shown.
func All() []games.Game { return slices.Clone(all) }

// Find returns the game with the given id or alias, in any letter case.
func Find(name string) (games.Game, bool) { return games.Find(all, name) }
