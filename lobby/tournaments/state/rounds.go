package state

import (
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/tournaments/pairings"
	"ludoteca/storage/tournaments"
)

// A Pairing is a pair of a tournament. It is never changed: another one takes its place when there is a result.
type Pairing struct {
	tournaments.Pair
	Round  int
	At     time.Time // of the pairing
	Ended  time.Time // of the result; zero while the match goes on
	Result string    // first, second or draw; "" while the match goes on, for a bye, and for a void match
	Reason string    // of the result
}

// Bye reports whether the pairing is a bye.
func (p *Pairing) Bye() bool { return p.Second == 0 }

// Decided reports whether nothing is to be played any more.
func (p *Pairing) Decided() bool { return p.Match == "" || !p.Ended.IsZero() }

// Side returns the side of an entrant in the pairing.
func (p *Pairing) Side(number int) games.Side {
	if p.First == number {
		return games.First
	}
	return games.Second
}

// Opponent returns the number of the opponent of an entrant; 0: a bye.
func (p *Pairing) Opponent(number int) int { return p.First + p.Second - number }

// points returns what a decided pairing is worth for an entrant, and whether it was decided without a match.
func (p *Pairing) points(number int) (points int, forfeit bool) {
	forfeit = p.Match == "" && p.Pair.Result != "draw" || p.Reason == tournaments.Unbegun || p.Reason == tournaments.Missing
	switch p.Result {
	case "first", "second":
		if p.Result == p.Side(number).String() {
			return pairings.Win, forfeit
		}
		return pairings.Loss, forfeit
	}
	if p.Bye() {
		return pairings.Win, false
	}
	return pairings.Draw, forfeit
}

// GameIn returns what is played in the pairing, in a tournament with some settings.
func (p *Pairing) GameIn(set *tournaments.Settings) tournaments.Game { return set.Games[p.Game] }

// ClockIn returns the clock of the pairing, in a tournament with some settings.
func (p *Pairing) ClockIn(set *tournaments.Settings) string {
	if p.Clock != "" {
		return p.Clock
	}
	return set.Clock
}

// A Round is a round of a tournament. An arena and a simultaneous exhibition have one.
type Round struct {
	Number   int
	At       time.Time
	Pairings []*Pairing
	DoneAt   time.Time // when its last match was decided; zero while one goes on
}

// goesOn reports whether one of the pairings whose matches go on is in a round.
func goesOn(open []*Pairing, round int) bool {
	return slices.ContainsFunc(open, func(p *Pairing) bool { return p.Round == round })
}
