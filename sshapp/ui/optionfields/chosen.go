package optionfields

import (
	"maps"

	"ludoteca/games"
)

// Chosen maps the ids of games in which an option was chosen to all options of the game. The zero value is empty; a change makes another map.
type Chosen map[string]games.Options

// Of returns the options of a game as they were chosen, or else the usual ones.
func (c Chosen) Of(about *games.About) games.Options {
	if o, ok := c[about.ID]; ok {
		return o
	}
	o := make(games.Options)
	for _, option := range about.Options {
		o[option.Key] = option.Default
	}
	return o
}

// With returns what was chosen with other options of a game.
func (c Chosen) With(about *games.About, o games.Options) Chosen {
	all := maps.Clone(c)
	if all == nil {
		all = make(Chosen)
	}
	all[about.ID] = o
	return all
}

// Changed returns options with another value of one of them.
func Changed(o games.Options, key string, v int) games.Options {
	o = maps.Clone(o)
	o[key] = v
	return o
}
