package pairings

import (
	"cmp"
	"slices"

	"ludoteca/games"
)

// Swiss pairs the next round of a Swiss. rounds is how many rounds the event has in all. initial is the side that the strongest entrant has
// in the first round, drawn by lot.
func Swiss(entrants []Entrant, rounds int, initial games.Side) ([]Pair, error) {
	if err := check(entrants, true); err != nil {
		return nil, err
	}
	present := slices.DeleteFunc(byNumber(entrants), func(e Entrant) bool { return e.Absent })
	slices.SortStableFunc(present, func(a, b Entrant) int { return cmp.Compare(b.points(), a.points()) })
	steps := 1 << 20
	var pairs []Pair
	var pair func(rest []Entrant) bool
	pair = func(rest []Entrant) bool {
		if len(rest) == 0 {
			return true
		}
		if steps--; steps < 0 {
			return false
		}
		for i := 1; i < len(rest); i++ {
			if !slices.ContainsFunc(rest[0].Rounds, func(r Round) bool { return r.played() && r.Opponent == rest[i].Number }) {
				pairs = append(pairs, Pair{rest[0].Number, rest[i].Number})
				if pair(slices.Delete(slices.Clone(rest[1:]), i-1, i)) {
					return true
				}
				pairs = pairs[:len(pairs)-1]
			}
		}
		if len(rest) == 1 && !slices.ContainsFunc(rest[0].Rounds, func(r Round) bool { return !r.played() && r.Points == Win }) {
			pairs = append(pairs, Pair{rest[0].Number, 0})
			return true
		}
		return false
	}
	if !pair(present) {
		return nil, ErrUnpairable
	}
	return pairs, nil
}
