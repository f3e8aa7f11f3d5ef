package bot

import "ludoteca/games"

// An oversight is a position to search in which some of the moves after the root move are not seen, as happens to a person
// who looks at a part of the board only. The same moves stay unseen, wherever they come up, for as long as the player
// thinks about its move, and the further ahead they lie the more of them. The moves at the root are all there unless the player
// misses some, so that no win in one is missed.
type oversight struct {
	games.Search
	seed  uint64 // which moves are not seen
	root  int    // percent of the moves at the root that are not seen
	share int    // percent of the moves one ply ahead that are not seen; two plies ahead it is twice as many, and so on
	ply   int    // how far ahead of the root the position is
}

// mostOverlooked is the percentage of the moves that are unseen far ahead, at most.
const mostOverlooked = 80

// Play makes a move.
func (o *oversight) Play(c games.Code) {
	o.ply++
	o.Search.Play(c)
}

// Pass gives the turn away, if the game lets it.
func (o *oversight) Pass() bool {
	passed := o.Search.Pass()
	if passed {
		o.ply++
	}
	return passed
}

// Undo takes the last move back.
func (o *oversight) Undo() {
	o.ply--
	o.Search.Undo()
}

// Moves appends the moves that are seen: at least one, unless the game is over.
func (o *oversight) Moves(dst []games.Ranked) []games.Ranked {
	return o.seen(o.Search.Moves(dst), len(dst), true)
}

// Noisy appends the noisy moves that are seen: at least one if one of them has to be made.
func (o *oversight) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	moves, must = o.Search.Noisy(dst)
	return o.seen(moves, len(dst), must), must
}

// seen takes those moves from a place of the list on out of it that are not seen. With some it leaves the first one if it
// would leave none.
func (o *oversight) seen(moves []games.Ranked, from int, some bool) []games.Ranked {
	percent := min(o.share*o.ply, mostOverlooked)
	if o.ply == 0 {
		percent = o.root
	}
	kept := from
	for _, m := range moves[from:] {
		if o.attention(m.Code) >= percent {
			moves[kept] = m
			kept++
		}
	}
	if kept == from && some {
		kept = min(from+1, len(moves))
	}
	return moves[:kept]
}

// attention returns a number from 0 to 99 for a move: the larger, the further ahead it is seen.
func (o *oversight) attention(c games.Code) int {
	return games.NewRandom(o.seed ^ uint64(c)*historyMul).N(100)
}
