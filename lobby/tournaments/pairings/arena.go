package pairings

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ludoteca/games"
)

// Rematch is how long two players wait who have just played each other, before they play again because no other pair is left.
const Rematch = 5 * time.Second

// A Waiting is a player of an arena who waits for a match.
type Waiting struct {
	Number   int
	Score    int           // points in the arena
	Rating   float64       // compares players with the same score
	Waited   time.Duration // since the last match or the entry
	Last     int           // the opponent of the last match; 0: none yet
	Balance  int           // matches as First less matches as Second
	Side     games.Side    // the side in the last match
	Computer bool          // plays no other computer player
}

// A Source gives random numbers from 0 to n-1. A *rand.Rand is one.
type Source interface{ IntN(n int) int }

// Arena pairs players who wait. The one who has waited longest comes first and gets the opponent with the nearest score, then rating.
// Two computer players don't play each other, and nobody gets the opponent of their last match, or one whose last opponent they were; only if nobody
// could be paired so, those who have waited for Rematch may play again. Apart from that nobody waits whom another could play. Ties and sides that
// nothing else decides are drawn from source. The one who has had the first side less often gets it.
func Arena(waiting []Waiting, source Source) ([]Pair, error) {
	if len(waiting) > MaxEntrants {
		return nil, fmt.Errorf("%w: %d of them, where %d may be", ErrEntrants, len(waiting), MaxEntrants)
	}
	seen := make(map[int]bool, len(waiting))
	for _, w := range waiting {
		if w.Number < 1 || seen[w.Number] || w.Rating != w.Rating {
			return nil, fmt.Errorf("%w: number %d", ErrEntrants, w.Number)
		}
		seen[w.Number] = true
	}
	queue := slices.Clone(waiting)
	slices.SortFunc(queue, func(a, b Waiting) int { return cmp.Compare(a.Number, b.Number) }) // so that the draw decides, not the caller's order
	for i := len(queue) - 1; i > 0; i-- {
		j := source.IntN(i + 1)
		queue[i], queue[j] = queue[j], queue[i]
	}
	slices.SortStableFunc(queue, func(a, b Waiting) int { return cmp.Compare(b.Waited, a.Waited) })
	pairs := match(queue, func(a, b Waiting) bool { return !repeats(a, b) && !computers(a, b) })
	if len(pairs) == 0 {
		pairs = match(queue, func(a, b Waiting) bool { return min(a.Waited, b.Waited) >= Rematch && !computers(a, b) })
	}
	seats := make([]Pair, len(pairs))
	for i, p := range pairs {
		seats[i] = seat(p[0], p[1], source)
	}
	return seats, nil
}

// match pairs a queue of players, from the first to the last, with those that fit.
func match(queue []Waiting, fit func(a, b Waiting) bool) [][2]Waiting {
	queue = slices.Clone(queue)
	var pairs [][2]Waiting
	var left []Waiting
	for len(queue) > 0 {
		w := queue[0]
		queue = queue[1:]
		best := -1
		for i, o := range queue {
			if fit(w, o) && (best < 0 || nearer(w, o, queue[best])) {
				best = i
			}
		}
		if best < 0 {
			left = append(left, w)
			continue
		}
		pairs = append(pairs, [2]Waiting{w, queue[best]})
		queue = slices.Delete(queue, best, best+1)
	}
	return exchange(pairs, left, fit)
}

// repeats reports whether a match of a and b would be the second in a row for one of them.
func repeats(a, b Waiting) bool { return a.Last == b.Number || b.Last == a.Number }

// computers reports whether both a and b are computer players.
func computers(a, b Waiting) bool { return a.Computer && b.Computer }

// nearer reports whether a suits w better than b.
func nearer(w, a, b Waiting) bool {
	return cmp.Or(cmp.Compare(apart(w.Score, a.Score), apart(w.Score, b.Score)),
		cmp.Compare(apart(w.Rating, a.Rating), apart(w.Rating, b.Rating))) < 0
}

// apart returns the distance of a and b.
func apart[T int | float64](a, b T) T { return max(a, b) - min(a, b) }

// exchange pairs the players who are left, two at a time, by breaking up a pair: each of the two left plays one of it.
func exchange(pairs [][2]Waiting, left []Waiting, fit func(a, b Waiting) bool) [][2]Waiting {
	for len(left) > 1 {
		a := left[0]
		left = left[1:]
		at, other, swapped := -1, -1, false
		for i := range pairs {
			for j, b := range left {
				p := pairs[i]
				if fit(a, p[0]) && fit(b, p[1]) {
					at, other, swapped = i, j, false
				} else if fit(a, p[1]) && fit(b, p[0]) {
					at, other, swapped = i, j, true
				}
			}
		}
		if at < 0 {
			continue
		}
		b, p := left[other], pairs[at]
		left = slices.Delete(left, other, other+1)
		if swapped {
			p[0], p[1] = p[1], p[0]
		}
		pairs[at] = [2]Waiting{a, p[0]}
		pairs = append(pairs, [2]Waiting{b, p[1]})
	}
	return pairs
}

// seat decides the sides of a and b: who has been First less often, then who was Second last, then the draw.
func seat(a, b Waiting, source Source) Pair {
	first := cmp.Compare(a.Balance, b.Balance)
	if first == 0 && a.Last != 0 && b.Last != 0 {
		first = cmp.Compare(b.Side, a.Side)
	}
	if first == 0 {
		first = 1 - 2*source.IntN(2)
	}
	if first < 0 {
		return Pair{a.Number, b.Number}
	}
	return Pair{b.Number, a.Number}
}
