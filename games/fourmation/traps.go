package fourmation

import (
	"cmp"
	"slices"

	"ludoteca/games"
)

// How the chances of safe moves are guessed.
const (
	trapGames = 128  // random games after each reply
	trapClose = 0.03 // chances so near to the best are as good
)

// tempting returns the moves after which the chances to win are best; moves must all be safe. Against perfect play it makes no
// difference, but few opponents play perfectly. It looks at nodes positions at most.
func (a *advisor) tempting(moves []int, nodes int) []int {
	if len(moves) < 2 {
		return moves
	}
	r := games.NewRandom(mix(a.own, a.other, a.reach, 0))
	end := min(a.nodes+nodes, a.most)
	chances := make([]float64, len(moves))
	for i, c := range moves {
		chances[i] = a.chance(c, (end-a.nodes)/(len(moves)-i), r)
	}
	best := slices.MaxFunc(chances, cmp.Compare[float64])
	var good []int
	for i, c := range moves {
		if chances[i] >= best-trapClose {
			good = append(good, c)
		}
	}
	return good
}

// chance estimates how likely a move wins against an opponent that chooses any reply that doesn't lose at once. Some of the
// replies lose by force; the others are followed by random games.
func (a *advisor) chance(c, nodes int, r *games.Random) float64 {
	own := a.own | 1<<c
	replies := a.around[c] &^ (own | a.other)
	if replies == 0 {
		return 0
	}
	share := nodes / replies.count()
	sum, all := 0.0, 0
	for left := replies; left != 0; left &= left - 1 {
		reply := left.first()
		other := a.other | 1<<reply
		reach := a.around[reply] &^ (own | other)
		if a.completing(own)&reach != 0 {
			continue
		}
		all++
		a.limit = a.nodes + share/2
		if a.attack(own, other, reach, true) == succeeds {
			sum++
			continue
		}
		won, played := 0, 0
		a.limit = a.nodes + share/2
		for ; played < trapGames && a.nodes+a.all.count() <= a.limit && !a.spent(); played++ {
			if a.playout(own, other, reach, r) {
				won++
			}
		}
		sum += float64(won) / float64(max(played, 1))
	}
	return sum / float64(max(all, 1))
}

// playout plays a random game in which no side overlooks a line that can be closed at once, and reports whether the side to move
// wins it. That side doesn't go into a dead end if it can help it. The game is no longer than the board has cells.
func (a *advisor) playout(own, other, reach cells, r *games.Random) bool {
	for mine := true; ; mine = !mine {
		a.nodes++
		if a.completing(own)&reach != 0 {
			return mine
		}
		empty := a.all &^ (own | other)
		moves := reach &^ near(a.completing(other)&empty)
		if on := moves & near(empty); mine && on != 0 {
			moves = on
		}
		if moves == 0 {
			return !mine // whatever is played, the other closes a line
		}
		for n := r.N(moves.count()); n > 0; n-- {
			moves &= moves - 1
		}
		c := moves.first()
		own, other = other, own|1<<c
		if reach = a.around[c] &^ (own | other); reach == 0 {
			return false
		}
	}
}
