package live

import (
	"slices"

	"ludoteca/games"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/thinking"
)

// A Catalogue is the games and the computer players of a club. It is never changed.
type Catalogue struct {
	Games  []games.Game     // in the order in which they are shown
	Levels []thinking.Level // computer players of all games, weakest first; there may be none
}

// Game returns the game with an id or alias, in any letter case. The error is refusal.ErrNoSuchGame.
func (c *Catalogue) Game(name string) (games.Game, error) {
	g, ok := games.Find(c.Games, name)
	if !ok {
		return nil, refusal.ErrNoSuchGame
	}
	return g, nil
}

// Level returns the computer player with an id as it plays the game with an id.
func (c *Catalogue) Level(game, id string) (level thinking.Level, ok bool) {
	i := slices.IndexFunc(c.Levels, func(v thinking.Level) bool { return v.ID == id })
	if i < 0 {
		return thinking.Level{}, false
	}
	return c.Levels[i].In(game)
}

// Strongest returns the strongest computer player of a game that searches, or the strongest of all if none does. It gives the hints.
func (c *Catalogue) Strongest(game string) (level thinking.Level, ok bool) {
	levels := thinking.LevelsOf(c.Levels, game)
	if len(levels) == 0 {
		return thinking.Level{}, false
	}
	for _, v := range slices.Backward(levels) {
		if v.Think != nil {
			return v, true
		}
	}
	return levels[len(levels)-1], true
}
