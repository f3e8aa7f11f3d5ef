package bot

import "math"

// What is left out, for it seldom matters. All of it happens only where the question is whether a position is worth beta
// or not, and where neither side has a forced win in sight; so wins and losses are never made up.
const (
	hopelessDepth  = 3  // up to so many plies before the end of a line a position may be given up
	hopelessMargin = 80 // for each of them: by how much the evaluation has to be off

	lateDepth  = 3 // up to so many plies before the end late moves are left out
	lateAlways = 6 // that many moves are tried at least
	lateShare  = 3 // and so many for each 40 moves there are, at depth 1; the square of the depth multiplies it

	unknownDepth = 4 // from so many plies on a position that the table has no move for is looked at less deeply
)

// hopeless says whether the side that has just moved may as well give the position up: few plies before the end of a
// line the evaluation is so far above beta that nothing will bring it down.
func (a *alphaBeta) hopeless(static, depth, beta int) (value int, enough bool) {
	if depth > hopelessDepth || static-hopelessMargin*depth < beta {
		return 0, false
	}
	a.unseen = unseen
	return static, true
}

// late returns how many of the moves are tried at a depth at least; the quiet ones after them are left out.
func late(depth, moves int) int {
	if depth > lateDepth {
		return moves
	}
	return lateAlways + lateShare*depth*depth*moves/40
}

// reductions says by how many plies the i-th move of a position is looked at less deeply, by depth and i: late moves of a
// good order seldom turn out to be the best.
var reductions = func() (table [64][64]int8) {
	for depth := 1; depth < 64; depth++ {
		for i := 1; i < 64; i++ {
			table[depth][i] = int8(0.4 + math.Log(float64(depth))*math.Log(float64(i))/2.4)
		}
	}
	return table
}()

func reduction(depth, i int) int {
	return min(int(reductions[min(depth, 63)][min(i, 63)]), depth-2)
}
