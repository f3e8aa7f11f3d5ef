package lobby

import (
	"time"

	"ludoteca/lobby/attempts"
	"ludoteca/lobby/limits"
)

// Limits bound what people can make the club do and keep; package limits has them.
type Limits = limits.Limits

// DefaultLimits returns the limits of a club on one small machine.
func DefaultLimits() Limits { return limits.Default() }

// Bounds are for tests, which make small what no operator needs to change. A zero field stands for the constant that it names.
type Bounds struct {
	Plies       int           // match.MaxPlies
	Takebacks   int           // match.MaxTakebacks
	Idle        time.Duration // live.IdleTime
	PrivateWait time.Duration // live.PrivateWait

	Here   int // lists.MaxHere
	Listed int // lists.MaxListed

	Leaderboard int           // standings.MaxLines
	BoardAge    time.Duration // standings.BoardAge
	History     int           // standings.MaxHistory

	CachedPlies int // matches.CachedPlies
	Analyses    int // analyses.MaxQueue
}

// SetLimits changes the limits while the club runs, for everything that comes after. Plies, AwayOffer, AwayGuest, PrivateWait,
// Unwatched, Idle, Analyses, MatchBurst, MatchEvery, Aborts and AbortEvery, and limits that no flag sets, stay as they were at the start.
func (l *Lobby) SetLimits(now Limits) {
	now = now.OrDefault()
	before := l.inForce.Set(now)
	if before.WrongGuesses != now.WrongGuesses || before.GuessEvery != now.GuessEvery {
		l.guesses.Set(newGuesses(l.limiter, now))
	}
}

// maxGuessers is how many people, and as many blocks of addresses of each size, with wrong guesses are remembered.
const maxGuessers = 10_000

func newGuesses(by attempts.Limiter, l Limits) attempts.Attempts {
	return by.Attempts("code", l.GuessEvery, l.WrongGuesses, maxGuessers)
}
