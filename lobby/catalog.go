package lobby

import (
	"ludoteca/games"
	"ludoteca/storage"
)

// bot returns a level as it sits in a seat.
func (l *Lobby) bot(id string) storage.Occupant {
	v, _ := l.catalogue.Level(id)
	return storage.Occupant{Kind: storage.Bot, ID: v.ID, Name: v.Name}
}

// Games returns the games of the club in the order in which they are shown.
func (l *Lobby) Games() []games.Game { return l.catalogue.Games }

// Game finds a game by id or alias, in any letter case; ErrNoSuchGame.
func (l *Lobby) Game(name string) (games.Game, error) { return l.catalogue.Game(name) }

// Levels returns the computer players, weakest first.
func (l *Lobby) Levels() []Level { return l.catalogue.Levels }
