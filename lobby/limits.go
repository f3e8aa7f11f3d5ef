package lobby

import (
	"cmp"
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
	WrongCodes     int           // attempts.MaxWrongCodes
	WrongCodeEvery time.Duration // attempts.WrongCodeEvery

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

// SetLimits changes the limits while the club runs, for everything that comes after. AwayGuest, MatchBurst, MatchEvery, Aborts and AbortEvery
// stay as they were at the start.
func (l *Lobby) SetLimits(now Limits) { l.base.limits.Set(now.OrDefault()) }

// maxGuessers is how many people, and as many blocks of addresses of each size, with wrong codes are remembered.
const maxGuessers = 10_000

// wrongCodes returns the attempts that people have to give codes.
func wrongCodes(by attempts.Limiter, b Bounds) attempts.Attempts {
	return by.Attempts("code", cmp.Or(b.WrongCodeEvery, attempts.WrongCodeEvery), cmp.Or(b.WrongCodes, attempts.MaxWrongCodes), maxGuessers)
}
