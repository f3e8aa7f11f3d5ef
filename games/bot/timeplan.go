package bot

import (
	"math"
	"time"

	"ludoteca/games"
)

// A Clock is what a player has left for a game, at the beginning of its turn. The zero value is no clock.
type Clock struct {
	End       time.Time     // when the player has to have moved
	Increment time.Duration // that it gets after each of its moves
	Ply       int           // moves that both sides have made so far
}

// The numbers of plans. Of what is left a player spends as much on this move as on each of those still to come, and may take
// longer where the best move is in doubt.
const (
	lagReserve = 25 * time.Millisecond // is left for the way of a move from the player to the clock
	fewMoves   = 10                    // the least number of moves that a player expects to make still, however long the game has lasted
	mostTimes  = 3                     // the longest that a move may take, as a multiple of the target
	spentShare = 2                     // and never more than 1/spentShare of what is left
)

// Plan returns how long a player should think about a move that it begins now, on average and at most, in games that last length
// plies on average. Both are 0 if the time is up. Increments count for three quarters, so that a player who has little left saves
// some. The longest is less than what is left, so no game is lost on time by thinking, however many moves it has.
func (c Clock) Plan(now time.Time, length int) (target, most time.Duration) {
	left := max(c.End.Sub(now), 0)
	spare := left - min(lagReserve, left/spentShare)
	moves := max((length-c.Ply+1)/2, fewMoves)
	target = min(spare/time.Duration(moves)+c.Increment*3/4, spare/spentShare)
	return target, min(target*mostTimes, spare/spentShare)
}

// The signs by which a search under a clock knows that it has thought enough.
const (
	sureDepths = 4  // a move is sure if it has been the best at sureDepths depths,
	sureShare  = 10 // the search has taken 1/sureShare of the target,
	sureLess   = 2  // and no other move comes near it when searched sureLess plies less deeply

	calm      = 0.7 // what a move that has been the best for long needs of the target
	uneasy    = 0.8 // what a change of the best move adds to that; half as much a depth later, and so on
	alarmed   = 1.4 // and a factor for a value that has dropped
	dropShare = 4   // by 1/dropShare of the game's scale

	leastGrowth, mostGrowth = 1.5, 8 // how many times longer each depth takes than the one before, within reason
)

// A timePlan is when a search under a clock has thought enough. It is asked after each depth.
type timePlan struct {
	begun        time.Time
	target, most time.Duration
	scale        int // of the game's values: how far ahead a side must be to expect 73 % of the points

	depthBegun   time.Time // when the present depth was begun
	took, before time.Duration
	move         games.Code // the best of the depth before
	value        int
	stable       int     // at how many depths in a row it has been the best
	unrest       float64 // of the best move: 1 for a change, and half as much with each depth
	dropped      bool    // the value has, at the last depth
}

// finished notes that a depth has been searched, with this as the best move.
func (t *timePlan) finished(best *searchResult, now time.Time) {
	t.before, t.took = t.took, now.Sub(t.depthBegun)
	t.depthBegun = now
	first := t.stable == 0
	t.dropped = !first && best.value < t.value-t.scale/dropShare
	t.unrest /= 2
	if first || best.code != t.move {
		t.stable = 0
		if !first {
			t.unrest++
		}
	}
	t.stable++
	t.move, t.value = best.code, best.value
}

// enough reports whether to play the move that was found rather than to search one ply deeper: the time that suits the position is over, or would
// be before half of the next depth is done.
func (t *timePlan) enough() bool {
	used := t.depthBegun.Sub(t.begun)
	next := time.Duration(float64(t.took) * t.growth())
	return used+next/2 > t.wanted() || used+next > t.most
}

// wanted returns how long to think about the move, by what is known of it.
func (t *timePlan) wanted() time.Duration {
	factor := calm + uneasy*t.unrest
	if t.dropped {
		factor *= alarmed
	}
	return min(time.Duration(float64(t.target)*factor), t.most)
}

// growth returns how many times as long as the last depth the next one will probably take.
func (t *timePlan) growth() float64 {
	if t.before <= 0 {
		return leastGrowth
	}
	return math.Min(math.Max(float64(t.took)/float64(t.before), leastGrowth), mostGrowth)
}

// maybeSure reports whether it is worth asking if the best move is better than all others by far.
func (t *timePlan) maybeSure() bool {
	return t.stable >= sureDepths && t.depthBegun.Sub(t.begun) >= t.target/sureShare
}
