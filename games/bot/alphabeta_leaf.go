package bot

import "ludoteca/games"

// leaf returns the value of a position at the end of a line, after the captures and the like that are still to come.
// The side to move may leave it at the evaluation, unless the game says that it must choose. The table is not asked: to
// look there takes as long as it saves.
func (a *alphaBeta) leaf(alpha, beta, ply, noisy int) int {
	if a.spent() {
		return 0
	}
	a.unseen = unseen
	if a.exact || ply >= maxPly-1 || noisy >= a.noisy {
		return a.pos.Evaluate()
	}
	base := len(a.moves)
	moves, must := a.pos.Noisy(a.moves)
	a.moves = moves
	v := a.bestNoisy(moves[base:], must, alpha, beta, ply, noisy)
	a.moves = a.moves[:base]
	return v
}

// bestNoisy returns the value of the best of the noisy moves, or of leaving it at the evaluation if they needn't be made.
func (a *alphaBeta) bestNoisy(moves []games.Ranked, must bool, alpha, beta, ply, noisy int) int {
	best := -infinite
	if !must {
		best = a.pos.Evaluate()
		if best >= beta {
			return best
		}
		alpha = max(alpha, best)
	}
	for i := range moves {
		v := a.tryNoisy(pick(moves, i).Code, alpha, beta, ply, noisy)
		if a.stopped {
			return 0
		}
		best = max(best, v)
		if alpha = max(alpha, v); alpha >= beta {
			break
		}
	}
	return best
}

// tryNoisy returns the value of a noisy move.
func (a *alphaBeta) tryNoisy(c games.Code, alpha, beta, ply, noisy int) (v int) {
	a.pos.Play(c)
	if over, outcome := a.pos.Over(); over {
		a.spent()
		v = -a.end(outcome, ply+1)
	} else {
		v = -a.leaf(-beta, -alpha, ply+1, noisy+1)
	}
	a.pos.Undo()
	return v
}
