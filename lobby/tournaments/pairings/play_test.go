package pairings

import (
	"math/rand/v2"

	"ludoteca/games"
)

// A chance returns the points of a match of a and b, and whether it was decided without being played.
type chance func(a, b int, rng *rand.Rand) (points [2]int, forfeit bool)

// likely lets the stronger one win more often, draws a fifth of the matches and decides one in fifty without a match.
func likely(a, b int, rng *rand.Rand) ([2]int, bool) {
	if rng.IntN(50) == 0 {
		return [][2]int{{Win, Loss}, {Loss, Win}, {Loss, Loss}}[rng.IntN(3)], true
	}
	if rng.IntN(5) == 0 {
		return [2]int{Draw, Draw}, false
	}
	if rng.IntN(a+b) < b {
		return [2]int{Win, Loss}, false
	}
	return [2]int{Loss, Win}, false
}

// play adds the results of a round to all entrants. Those without a pair have no points, or half a point now and then.
func play(entrants []Entrant, pairs []Pair, rng *rand.Rand, result chance) {
	next := make(map[int]Round)
	for _, p := range pairs {
		if p.Second == 0 {
			next[p.First] = Round{Points: Win}
			continue
		}
		points, forfeit := result(p.First, p.Second, rng)
		next[p.First] = Round{p.Second, games.First, points[0], forfeit}
		next[p.Second] = Round{p.First, games.Second, points[1], forfeit}
	}
	for i := range entrants {
		r, paired := next[entrants[i].Number]
		if !paired && rng.IntN(3) == 0 {
			r.Points = Draw
		}
		entrants[i].Rounds = append(entrants[i].Rounds, r)
	}
}
