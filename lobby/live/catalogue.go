package live

import (
	"slices"

	"ludoteca/games"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/thinking"
)

// A Catalogue is what a club has to play, and against which computer players. It is never changed.
type Catalogue struct {
	Games  []games.Game     // in the order in which they are shown
	Levels []thinking.Level // computer players, weakest first; there may be none
}

// Game finds a game by id or alias, in any letter case; refusal.ErrNoSuchGame.
func (c *Catalogue) Game(name string) (games.Game, error) {
	g, ok := games.Find(c.Games, name)
	if !ok {
		return nil, refusal.ErrNoSuchGame
	}
	return g, nil
}

// Level finds a computer player by id.
func (c *Catalogue) Level(id string) (level thinking.Level, ok bool) {
	i := slices.IndexFunc(c.Levels, func(v thinking.Level) bool { return v.ID == id })
	if i < 0 {
		return thinking.Level{}, false
	}
	return c.Levels[i], true
}

// Strongest returns the strongest computer player that searches, or else the strongest. It gives the hints.
func (c *Catalogue) Strongest() (level thinking.Level, ok bool) {
	if len(c.Levels) == 0 {
		return thinking.Level{}, false
	}
	for _, v := range slices.Backward(c.Levels) {
		if v.Think != nil {
			return v, true
		}
	}
	return c.Levels[len(c.Levels)-1], true
}
