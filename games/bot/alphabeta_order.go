package bot

import (
	"math"

	"ludoteca/games"
)

// The order of moves: the one from the table, those that the game finds notable, those that have refuted another line at
// the same ply, and the others by how often they have been good anywhere.
const (
	tableRank  = 1 << 30
	notable    = 100 // the game's own ranks from here on are never reduced
	killerRank = notable - 1
	quiet      = killerRank*maxHistory - 1 // below are moves of which only the history is known
	maxHistory = 1 << 13
	historyMul = 0x9e3779b1

	historyBits = 12
)

// rank adds what the search knows about the moves to what the game thinks of them. The ranks of the game are spread out
// to leave room for the history between them.
func (a *alphaBeta) rank(moves []games.Ranked, ply int, first games.Code, hasFirst bool) {
	side := a.pos.Turn()
	for i := range moves {
		m := &moves[i]
		switch {
		case hasFirst && m.Code == first:
			m.Rank = tableRank
		case m.Rank >= notable:
			m.Rank *= maxHistory
		case m.Code == a.killers[ply][0]:
			m.Rank = killerRank * maxHistory
		case m.Code == a.killers[ply][1]:
			m.Rank = killerRank*maxHistory - 1
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
