// Package limits defines the limits on what users can make a club do, and holds the limits in force. Every service may read them.
package limits

import (
	"sync/atomic"
	"time"
)

// Limits bounds what users can make the club do and store. A zero field stands for its value in Default.
type Limits struct {
	OpenOffers      int // untaken offers of one person at a time
	NewUnfinished   int // unfinished matches of one player with a new account, offers included
	Unfinished      int // the same for an account of a month with 20 finished matches; see seats.Service
	GuestUnfinished int // the same for a guest
	Challenges      int // untaken challenges by one person; a guest may have one
	ChallengesTo    int // untaken challenges to one person
	Exhibitions     int // unfinished matches between two computer players, per person who opened them
	Matches         int // unfinished matches in the whole club
	LivePlies       int // moves of all unfinished matches in memory together, about

	Engines           int // programs of computer accounts that play at a time, on one node
	EnginesPerAddress int // the same of one address; more for wider blocks of addresses
	EngineMatches     int // matches that one of them plays at a time

	AwayGuest  time.Duration // how long a guest may be gone before leaving a match
	EvictAfter time.Duration // how long a match between two people must be without events before a full club may end it to make room

	// EvictAloneAfter is EvictAfter for a match in which one person is alone: an offer, or one with a computer player or at one
	// keyboard. They go first.
	EvictAloneAfter time.Duration

	// KeepCasual is how long the records of matches of guests, and of matches against computer players that don't search, are
	// kept; below 0: for ever.
	KeepCasual time.Duration

	MatchBurst int           // matches that one person may open, and resign, in a row; an address may open four times as many
	MatchEvery time.Duration // interval after which they may open, or resign, one more

	Aborts     int           // matches with other people that one person may call off in a row before waiting for the next
	AbortEvery time.Duration // interval after which they may call off one more

}

// Default returns the limits of a club on one small machine.
func Default() Limits {
	return Limits{
		OpenOffers:        20,
		NewUnfinished:     10,
		Unfinished:        100,
		GuestUnfinished:   10,
		Challenges:        5,
		ChallengesTo:      10,
		Exhibitions:       2,
		Matches:           20_000,
		LivePlies:         2_000_000,
		Engines:           64,
		EnginesPerAddress: 8,
		EngineMatches:     8,
		AwayGuest:         5 * time.Minute,
		EvictAfter:        3 * 24 * time.Hour,
		EvictAloneAfter:   5 * time.Minute,
		KeepCasual:        365 * 24 * time.Hour,
		MatchBurst:        60,
		MatchEvery:        20 * time.Second,
		Aborts:            3,
		AbortEvery:        10 * time.Minute,
	}
}

// OrDefault returns l with the defaults in place of zero fields.
func (l Limits) OrDefault() Limits {
	d := Default()
	setDefault(&l.OpenOffers, d.OpenOffers)
	setDefault(&l.NewUnfinished, d.NewUnfinished)
	setDefault(&l.Unfinished, d.Unfinished)
	setDefault(&l.GuestUnfinished, d.GuestUnfinished)
	setDefault(&l.Challenges, d.Challenges)
	setDefault(&l.ChallengesTo, d.ChallengesTo)
	setDefault(&l.Exhibitions, d.Exhibitions)
	setDefault(&l.Matches, d.Matches)
	setDefault(&l.LivePlies, d.LivePlies)
	setDefault(&l.Engines, d.Engines)
	setDefault(&l.EnginesPerAddress, d.EnginesPerAddress)
	setDefault(&l.EngineMatches, d.EngineMatches)
	setDefault(&l.AwayGuest, d.AwayGuest)
	setDefault(&l.EvictAfter, d.EvictAfter)
	setDefault(&l.EvictAloneAfter, d.EvictAloneAfter)
	setDefault(&l.KeepCasual, d.KeepCasual)
	setDefault(&l.MatchBurst, d.MatchBurst)
	setDefault(&l.MatchEvery, d.MatchEvery)
	setDefault(&l.Aborts, d.Aborts)
	setDefault(&l.AbortEvery, d.AbortEvery)
	return l
}

func setDefault[T int | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// InForce holds the limits that are in force while a club runs. Any goroutine may use it.
type InForce struct {
	now atomic.Pointer[Limits]
}

// NewInForce returns an InForce with its first limits.
func NewInForce(l Limits) *InForce {
	f := new(InForce)
	f.now.Store(&l)
	return f
}

// Now returns the limits that are in force. The caller must not change them.
func (f *InForce) Now() *Limits { return f.now.Load() }

// Set replaces the limits and returns the ones before.
func (f *InForce) Set(l Limits) (before Limits) { return *f.now.Swap(&l) }
