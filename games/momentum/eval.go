package momentum

import (
	"slices"

	"ludoteca/games"
)

// The weights of the greedy level, in its own unit.
const (
	marbleWeight = 4  // a marble on the board
	rimWeight    = 1  // a marble on the rim, which any drop in line with it pushes off
	threatWeight = 30 // an enemy who has one marble left when it is his turn
)

// Uniform returns the moves of the random player. The report's player never plays swap.
func (p *Position) Uniform() []games.Move {
	moves := p.Legal()
	if p.s.canSwap() {
		moves = slices.DeleteFunc(moves, func(m games.Move) bool { return m == swapText })
	}
	return moves
}

// Greedy returns the best moves of the second level, which looks one move ahead. The report has no such level; this is
// ours. If moves win at once, it is those. Otherwise it is the moves with the best balance after them: own marbles
// less enemy marbles on the board, each of them worth a little less on the rim, and much worse if it leaves the enemy
// one marble from his goal with a free choice, because nearly any drop then wins. (If the mover is as near to it
// himself, the enemy must push him off instead.)
func (p *Position) Greedy() []games.Move {
	codes := p.s.Moves(nil)
	next := State{}
	best := 0
	var moves []games.Move
	for i, c := range codes {
		next = p.s
		next.Play(c)
		if v := next.balance(p.s.turn); i == 0 || v >= best {
			if v > best {
				moves = moves[:0]
			}
			best = v
			moves = append(moves, p.s.Move(c))
		}
	}
	slices.Sort(moves)
	return moves
}

// won is more than any balance.
const won = 1000

// balance is what a position is worth to side, who has just moved.
func (s *State) balance(side games.Side) int {
	if s.result.Over && !s.result.Draw {
		if s.result.Winner == side {
			return won
		}
		return -won
	}
	v := marbleWeight * (s.placed[side] - s.placed[side.Other()])
	v -= rimWeight * (s.onRim(side) - s.onRim(side.Other()))
	near := s.rules.each - 1
	if s.placed[side.Other()] == near && s.placed[side] != near {
		v -= threatWeight
	}
	return v
}

// onRim returns how many marbles of side are where a push can take them off.
func (s *State) onRim(side games.Side) int {
	rim := s.rules.rim
	for i := range rim {
		rim[i] &= s.word(side, i)
	}
	return rim.count()
}
