package lobby

import (
	"slices"

	"ludoteca/games"
	"ludoteca/storage"
)

// bot returns a level as it sits in a seat.
func (l *Lobby) bot(id string) storage.Occupant {
	v, _ := l.level(id)
	return storage.Occupant{Kind: storage.Bot, ID: v.ID, Name: v.Name}
}

// Games returns the games of the club in the order in which they are shown.
func (l *Lobby) Games() []games.Game { return l.games }

// Game finds a game by id or alias, in any letter case; ErrNoSuchGame.
func (l *Lobby) Game(name string) (games.Game, error) {
	g, ok := games.Find(l.games, name)
	if !ok {
		return nil, ErrNoSuchGame
	}
	return g, nil
}

// Levels returns the computer players, weakest first.
func (l *Lobby) Levels() []Level { return l.levels }

func (l *Lobby) level(id string) (Level, bool) {
	for _, v := range l.levels {
		if v.ID == id {
			return v, true
		}
	}
	return Level{}, false
}

// strongest returns the strongest computer player that searches, or else the strongest.
func (l *Lobby) strongest() (Level, bool) {
	if len(l.levels) == 0 {
		return Level{}, false
	}
	for _, v := range slices.Backward(l.levels) {
		if v.Think != nil {
			return v, true
		}
	}
	return l.levels[len(l.levels)-1], true
}
