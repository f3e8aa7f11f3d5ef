package momentum

import (
	"slices"

	"ludoteca/games"
)

// The weights of the greedy level, in its own unit.
const (
	greedyMarble = 4  // a marble on the board
	greedyRim    = 1  // a marble on the rim, which any drop in line with it pushes off
	greedyThreat = 30 // an enemy that has one marble left when it is its turn
)

// Uniform returns the moves of the random player. The report's player never plays swap.
func (p *Position) Uniform() []games.Move {
	moves := p.Legal()
	if p.CanSwap() {
		moves = slices.DeleteFunc(moves, func(m games.Move) bool { return m == swapText })
	}
	return moves
}

// Greedy returns the best moves of the second level, which looks one move ahead. The report has no such level; this is
// ours. If moves win at once, it is those. Otherwise it is the moves with the best balance after them: own marbles
// less enemy marbles on the board, each of them worth a little less on the rim, and much worse if it leaves the enemy
// one marble from its goal with a free choice, because nearly any drop then wins. (If the mover is as near to its own,
// the enemy must push a marble off instead.)
func (p *Position) Greedy() []games.Move {
	s, best, side := p.s.Clone().(core), 0, p.Turn()
	var moves []games.Move
	for i, c := range s.Moves(nil) {
		s.Play(c)
		v := balance(s, side)
		s.Undo()
		if i == 0 || v > best {
			best, moves = v, moves[:0]
		}
		if v == best {
			moves = append(moves, s.Move(c))
		}
	}
	slices.Sort(moves)
	return moves
}

// won is more than any balance.
const won = 1000

// balance is what a position is worth to side, who has just moved.
func balance(s core, side games.Side) int {
	if worth := s.Result().For(side); worth != 0 {
		return worth * won
	}
	placed, near := s.stand().placed, s.set().each-1
	v := greedyMarble * (placed[side] - placed[side.Other()])
	v -= greedyRim * (s.onRim(side) - s.onRim(side.Other()))
	if placed[side.Other()] == near && placed[side] != near {
		v -= greedyThreat
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

// The weights of the evaluation: their places in ownWeights.
const (
	marbleWeight   = iota
	turnWeight     // to be the one to move
	oneLeftWeight  // nothing keeps the side to move from placing its last marble, unless it pushes off one of its own
	noAnswerWeight // the enemy has one marble left and none of its marbles can be pushed off
	ringWeights    // for a marble on the rim, and on the rings inside it: there it can be pushed off, or soon
	weightCount    = ringWeights + rings
)

// rings is how many rings count anything.
const rings = 3

// ownWeights are in hundredths of a marble. They are hard to improve: to change the rim by a tenth, the turn by a third, or
// to count the drops that push something off, loses more than it wins.
var ownWeights = [weightCount]games.Weight{
	marbleWeight:    {Name: "marble", Value: 100},
	turnWeight:      {Name: "turn", Value: 70},
	oneLeftWeight:   {Name: "one left", Value: 1500},
	noAnswerWeight:  {Name: "no answer", Value: -900},
	ringWeights:     {Name: "rim", Value: -65},
	ringWeights + 1: {Name: "second ring", Value: -35},
	ringWeights + 2: {Name: "third ring", Value: -15},
}

// Weights returns the weights of the evaluation.
func (s *State) Weights() []games.Weight { return slices.Clone(ownWeights[:]) }

// Search returns the position to search, with the learned evaluation on boards of 7 by 7. At the same number of positions, 2,000 a
// move, it makes 81 % of the points against the weights alone.
func (s *State) Search() games.Search { return s.SearchLearned(builtIn) }

// Evaluate says what the position is worth to the side to move.
func (n *Search) Evaluate() int {
	if n.tables != nil {
		return games.Clamp(n.byHand() + n.lookUp())
	}
	return n.byHand()
}

// byHand is the evaluation by the weights.
func (n *Search) byHand() int {
	w := &n.weights
	me, enemy, near := n.turn, n.turn.Other(), n.rules.each-1
	v := w[turnWeight] + n.worth(me) - n.worth(enemy)
	switch {
	case n.placed[enemy] == near:
		if drops := n.forced(); drops.n == 0 && n.placed[me] != near {
			v += w[noAnswerWeight]
		} else if drops.n == 0 {
			v += w[oneLeftWeight]
		}
	case n.placed[me] == near:
		v += w[oneLeftWeight]
	}
	return v
}

// worth is what the marbles of a side count.
func (n *Search) worth(side games.Side) int {
	v := n.weights[marbleWeight] * n.placed[side]
	for i := range n.rings {
		ring := n.rings[i]
		for k := range ring {
			ring[k] &= n.word(side, k)
		}
		v += n.weights[ringWeights+i] * ring.count()
	}
	return v
}
