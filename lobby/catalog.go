package lobby

import (
	"ludoteca/games"
	"ludoteca/lobby/thinking"
)

// Games returns the games of the club in the order in which they are shown.
func (l *Lobby) Games() []games.Game { return l.base.catalogue.Games }

// Game finds a game by id or alias, in any letter case; ErrNoSuchGame.
func (l *Lobby) Game(name string) (games.Game, error) { return l.base.catalogue.Game(name) }

// Levels returns the computer players of all games, weakest first. LevelsOf picks the levels of one game.
func (l *Lobby) Levels() []Level { return l.base.catalogue.Levels }

// LevelsOf returns the levels of the game with an id, in the same order.
func LevelsOf(levels []Level, game string) []Level { return thinking.LevelsOf(levels, game) }
