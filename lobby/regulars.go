package lobby

import (
	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// IsPlaying reports whether somebody sits in a match that goes on with another person, or whose clock runs.
func (l *Lobby) IsPlaying(u User) bool {
	for _, s := range l.registry.Of(u.Key()) {
		first, second := s.Seats[games.First], s.Seats[games.Second]
		alone := first.Kind == storage.Bot || second.Kind == storage.Bot || match.KeyOf(first) == match.KeyOf(second)
		sits := match.KeyOf(first) == u.Key() || match.KeyOf(second) == u.Key()
		if sits && !s.Started.IsZero() && (!alone || s.Ticks()) {
			return true
		}
	}
	return false
}
