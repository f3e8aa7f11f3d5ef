package lobby

import (
	"ludoteca/games"
)

// Games returns the games of the club in the order in which they are shown.
func (l *Lobby) Games() []games.Game { return l.base.catalogue.Games }

// Game finds a game by id or alias, in any letter case; ErrNoSuchGame.
func (l *Lobby) Game(name string) (games.Game, error) { return l.base.catalogue.Game(name) }

// Levels returns the computer players, weakest first.
func (l *Lobby) Levels() []Level { return l.base.catalogue.Levels }
