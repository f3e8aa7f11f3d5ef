package bot

import "ludoteca/games"

// The order of moves: the one from the table, those that the game finds notable, those that have refuted another line at
// the same ply, the one that has refuted the move before elsewhere, and the others by how often they have been good.
const (
	tableRank  = 1 << 30
	notable    = 100 // the game's own ranks from here on are never reduced
	killerRank = notable - 1
	quiet      = killerRank*maxHistory - 2 // below are moves of which only the history is known
	maxHistory = 1 << 13
	historyMul = 0x9e3779b1

	historyBits = 12
)

// rank adds what the search knows about the moves to what the game thinks of them. The ranks of the game are spread out
// to leave room for the history between them.
func (a *alphaBeta) rank(moves []games.Ranked, ply int, first games.Code) {
	side, answer := a.pos.Turn(), noMove
	if last := a.path[ply]; last != noMove {
		answer = a.answers[side][slot(last)]
	}
	for i := range moves {
		m := &moves[i]
		switch {
		case m.Code == first:
			m.Rank = tableRank
		case m.Rank >= notable:
			m.Rank *= maxHistory
		case m.Code == a.killers[ply][0]:
			m.Rank = killerRank * maxHistory
		case m.Code == a.killers[ply][1]:
			m.Rank = killerRank*maxHistory - 1
		case m.Code == answer:
			m.Rank = killerRank*maxHistory - 2
		default:
			m.Rank = m.Rank*16 + a.history[side][slot(m.Code)]
		}
	}
}

// pick puts the best of the moves from the i-th on in the i-th place and returns it.
func pick(moves []games.Ranked, i int) games.Ranked {
	best := i
	for j := i + 1; j < len(moves); j++ {
		if moves[j].Rank > moves[best].Rank {
			best = j
		}
	}
	moves[i], moves[best] = moves[best], moves[i]
	return moves[i]
}

func slot(c games.Code) uint32 { return uint32(c) * historyMul >> (32 - historyBits) }

// reward notes that the last of the moves was good enough and those tried before it were not.
func (a *alphaBeta) reward(tried []games.Ranked, depth, ply int) {
	last := tried[len(tried)-1]
	if k := &a.killers[ply]; k[0] != last.Code {
		k[1], k[0] = k[0], last.Code
	}
	side := a.pos.Turn()
	if before := a.path[ply]; before != noMove {
		a.answers[side][slot(before)] = last.Code
	}
	bonus := int32(min(depth*depth*8, maxHistory/8))
	for _, m := range tried[:len(tried)-1] {
		a.learn(side, m.Code, -bonus)
	}
	a.learn(side, last.Code, bonus)
}

// learn moves the history of a move towards the bonus, the less the nearer it is to its end already.
func (a *alphaBeta) learn(side games.Side, c games.Code, bonus int32) {
	h := &a.history[side][slot(c)]
	*h += bonus - *h*max(bonus, -bonus)/maxHistory
}
