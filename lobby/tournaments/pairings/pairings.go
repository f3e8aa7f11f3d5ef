// Package pairings decides who plays whom in each kind of event, and how the entrants are ranked.
//
// It is a set of functions of their arguments: it has no clock, no random source but the one it is given and no goroutine, and the same
// arguments give the same answer. Numbers of entrants and their results may come from anywhere: what doesn't fit together is refused with
// ErrEntrants.
//
//   - Swiss pairs a round by FIDE's Dutch system.
//   - RoundRobin reads a round from the Berger tables.
//   - A Bracket is a knockout.
//   - Arena pairs the players who wait, and is called again whenever others do.
//   - Exhibition pairs one player with many.
//
// A medley is an arena, a Swiss or a round robin in which each round has another game: it is paired and ranked as that.
package pairings

import (
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
)

// What an event may hold. A longer list of entrants or rounds is refused.
const (
	MaxEntrants = 512
	MaxRounds   = 128
)

// Points of a match, in halves.
const (
	Win  = 2
	Draw = 1
	Loss = 0
)

// ErrEntrants means that entrants and their rounds don't fit together. Errors that wrap it name the reason.
var ErrEntrants = errors.New("the entrants don't fit together")

// ErrUnpairable means that no pairing of the round keeps the rules: too many of the entrants have met.
var ErrUnpairable = errors.New("no pairing of this round keeps the rules")

// An Entrant is what pairing knows of a player in an event.
type Entrant struct {
	Number int     // the starting rank, from 1, the strongest first; unique
	Rounds []Round // the rounds so far, in order, with those before a late entry
	Absent bool    // the entrant takes no part in the next round
}

// A Round is what an entrant did in one round. The zero value is an absence.
type Round struct {
	Opponent int        // the opponent's Number; 0: a bye or an absence
	Side     games.Side // meaningless without an opponent
	Points   int        // Win, Draw or Loss; a bye gives Win, and an absence may give Draw
	Forfeit  bool       // decided without a match: it counts for points, but not for sides or for having met
}

// played reports whether the entrant played a match in the round.
func (r Round) played() bool { return r.Opponent != 0 && !r.Forfeit }

// A Pair is two entrants who are to play, by their numbers. Second 0 is a bye for First.
type Pair struct{ First, Second int }

// points returns all points of e.
func (e Entrant) points() int {
	sum := 0
	for _, r := range e.Rounds {
		sum += r.Points
	}
	return sum
}

// check refuses entrants that aren't unique, and rounds in which the two sides of a match contradict each other. together is for events in
// rounds: all entrants have as many of them, and a match is in the same round of both.
func check(entrants []Entrant, together bool) error {
	if len(entrants) > MaxEntrants {
		return fmt.Errorf("%w: %d of them, where %d may be", ErrEntrants, len(entrants), MaxEntrants)
	}
	index := make(map[int]int, len(entrants))
	for i, e := range entrants {
		if e.Number < 1 {
			return fmt.Errorf("%w: number %d", ErrEntrants, e.Number)
		}
		if _, twice := index[e.Number]; twice {
			return fmt.Errorf("%w: number %d twice", ErrEntrants, e.Number)
		}
		index[e.Number] = i
	}
	for _, e := range entrants {
		if together && len(e.Rounds) > MaxRounds {
			return fmt.Errorf("%w: %d rounds, where %d may be", ErrEntrants, len(e.Rounds), MaxRounds)
		}
		if together && len(e.Rounds) != len(entrants[0].Rounds) {
			return fmt.Errorf("%w: number %d has %d rounds, and number %d has %d", ErrEntrants,
				e.Number, len(e.Rounds), entrants[0].Number, len(entrants[0].Rounds))
		}
		for i, r := range e.Rounds {
			if r.Points < Loss || r.Points > Win {
				return fmt.Errorf("%w: %d points of number %d in round %d", ErrEntrants, r.Points, e.Number, i+1)
			}
			if r.Opponent == 0 {
				continue
			}
			at, ok := index[r.Opponent]
			if !ok || r.Opponent == e.Number {
				return fmt.Errorf("%w: number %d plays number %d in round %d", ErrEntrants, e.Number, r.Opponent, i+1)
			}
			if r.Side > games.Second {
				return fmt.Errorf("%w: side %d of number %d in round %d", ErrEntrants, r.Side, e.Number, i+1)
			}
			if !together {
				continue
			}
			o := entrants[at].Rounds
			if i >= len(o) || o[i].Opponent != e.Number || o[i].Side == r.Side || o[i].Forfeit != r.Forfeit {
				return fmt.Errorf("%w: numbers %d and %d contradict each other in round %d", ErrEntrants, e.Number, r.Opponent, i+1)
			}
			if sum := o[i].Points + r.Points; sum > Win || !r.Forfeit && sum < Win {
				return fmt.Errorf("%w: numbers %d and %d share %d points in round %d", ErrEntrants, e.Number, r.Opponent, sum, i+1)
			}
		}
	}
	return nil
}

// Exhibition pairs the player with number one with each of the others. The one has side.
func Exhibition(one int, others []int, side games.Side) []Pair {
	pairs := make([]Pair, len(others))
	for i, other := range others {
		pairs[i] = pairOf(one, other, side)
	}
	return pairs
}

// pairOf returns the pair of a and b in which a has side.
func pairOf(a, b int, side games.Side) Pair {
	if side == games.Second {
		return Pair{b, a}
	}
	return Pair{a, b}
}

// byNumber returns the entrants ordered by their numbers.
func byNumber(entrants []Entrant) []Entrant {
	return slices.SortedFunc(slices.Values(entrants), func(a, b Entrant) int { return a.Number - b.Number })
}
