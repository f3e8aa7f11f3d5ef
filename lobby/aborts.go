package lobby

import (
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// A player who calls off a match with another person that has started, or lets the time for the first move pass, costs that person time.
// Nobody is kept from doing so, but a player who does it often has to wait before the next match with people: see Limits.Aborts. Accounts count
// by themselves, and guests by their blocks of addresses, for a guest is somebody else after connecting again. The counts are in memory
// alone: a restart forgives.

// newAborts returns the throttle that counts matches called off.
func newAborts(l Limits) *origin.Throttle {
	return origin.NewThrottle(l.AbortEvery, l.Aborts, maxThrottled)
}

// aborter returns the person and the blocks of addresses against which a match counts that somebody calls off.
func (l *Lobby) aborter(who storage.Occupant) origin.Origin {
	if who.Kind == storage.Guest {
		return origin.Origin{Addr: l.origins.of(who).Addr}
	}
	return origin.Origin{Person: personOf(who)}
}

// countAbort counts a match that is over against a person who called it off.
func (l *Lobby) countAbort(v *View) {
	first, second := v.Seats[games.First], v.Seats[games.Second]
	switch {
	case v.Started.IsZero() || v.Result != "" || v.EndedBy == storage.Nobody:
	case v.HasBot() || match.KeyOf(first) == match.KeyOf(second):
	default:
		l.aborts.Take(time.Now(), l.aborter(v.Seats[v.EndedBy.Side()]))
	}
}

// mayMeet says whether a user may begin a match with people. The error is an *AbortsError.
func (l *Lobby) mayMeet(u User) error {
	from, now := l.aborter(u.Occupant()), time.Now()
	wait, ok := l.aborts.Take(now, from)
	if !ok {
		return &AbortsError{wait}
	}
	l.aborts.Return(now, from)
	return nil
}
