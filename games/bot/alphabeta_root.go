package bot

import (
	"slices"

	"ludoteca/games"
)

// A rootMove is a move of the position that the search is about.
type rootMove struct {
	code  games.Code
	bonus int // what the player likes about it beyond its value
	guess int // what it seemed worth at first sight
}

// think looks for the best move, one ply deeper each time until the nodes are spent, ctx has ended, or the game is
// decided. Each move gets a bonus of up to spread, by chance: this is how a player chooses among moves that seem nearly
// as good as each other, and a weak one errs.
//
// However few the nodes, each move is looked at once, so that no win in one is missed.
func (a *alphaBeta) think(spread, maxDepth int, r *games.Random) verdict {
	roots := a.glance(spread, r)
	best := verdict{code: roots[0].code, value: roots[0].guess, depth: 1, line: []games.Code{roots[0].code}}
	if best.value == victory-1 {
		best.proven = true
		best.nodes = a.nodes
		return best
	}
	for depth := 1; depth <= maxDepth && !a.stopped; depth++ {
		a.unseen = a.rest
		a.iterate(roots, depth, &best)
		if a.stopped {
			break
		}
		best.proven = a.unseen == none
		if best.proven || victory-max(best.value, -best.value) <= depth || len(roots) == 1 {
			break // deeper is no better
		}
	}
	best.nodes = a.nodes
	return best
}

// glance returns the moves of the root, those that seem best first, in a random order where they seem equal.
func (a *alphaBeta) glance(spread int, r *games.Random) []rootMove {
	moves := a.advised(a.pos.Moves(nil))
	roots := make([]rootMove, len(moves))
	for i, m := range moves {
		j := r.N(i + 1)
		roots[i] = roots[j]
		roots[j] = rootMove{code: m.Code}
	}
	for i := range roots {
		m := &roots[i]
		m.bonus = r.N(spread + 1)
		a.pos.Play(m.code)
		a.nodes++
		if over, outcome := a.pos.Over(); over {
			m.guess = -a.end(outcome, 1)
		} else {
			m.guess = -a.pos.Evaluate()
		}
		a.pos.Undo()
	}
	slices.SortStableFunc(roots, func(x, y rootMove) int { return y.guess - x.guess })
	return roots
}

// iterate searches all moves of the root to a depth and puts the best first. If it is stopped on the way, the best so
// far counts, for the first of them was the best of the depth before.
func (a *alphaBeta) iterate(roots []rootMove, depth int, best *verdict) {
	top := -infinite
	for i := range roots {
		m := roots[i]
		v := a.tryRoot(m, i, depth, max(top-m.bonus, -infinite))
		if a.stopped {
			return
		}
		liked := v
		if v > -decided && v < decided {
			liked += m.bonus
		}
		if liked <= top {
			continue
		}
		top = liked
		*best = verdict{code: m.code, value: v, depth: depth, line: append(best.line[:0], m.code)}
		best.line = append(best.line, a.line[1][:a.lengths[1]]...)
		copy(roots[1:i+1], roots[:i])
		roots[0] = m
	}
}

// tryRoot returns the value of the i-th move, or a bound that is not above alpha.
func (a *alphaBeta) tryRoot(m rootMove, i, depth, alpha int) int {
	a.path[1] = m.code
	a.pos.Play(m.code)
	defer a.pos.Undo()
	if i > 0 {
		v := -a.value(depth-1, -alpha-1, -alpha, 1, true)
		if v <= alpha || a.stopped {
			return v
		}
	}
	return -a.value(depth-1, -infinite, -alpha, 1, true)
}
