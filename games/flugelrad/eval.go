package flugelrad

import (
	"slices"

	"ludoteca/games"
)

// Greedy returns the one move of the report's greedy player: the first in the order of the list of moves after which
// most of its balls are linked to each other. If no turn links any, that is the first legal one. It does not look for a
// win, nor at the opponent.
func (p *Position) Greedy() []games.Move {
	var best games.Code
	most := -1
	for _, c := range p.s.Moves(nil) {
		wheel, steps := decode(c)
		balls := table.turn(p.s.sides[p.s.turn].balls, wheel, steps)
		if n := count(balls & table.near(balls)); n > most {
			best, most = c, n
		}
	}
	if most < 0 {
		return nil
	}
	return []games.Move{p.s.Move(best)}
}

// The weights of the evaluation: their places in ownWeights.
const (
	turnWeight   = iota // to be the one to turn
	linkWeight          // a link between two balls of a side
	rimWeight           // a ball on the rim, where the enemy has one wheel only to take it away with
	midWeight           // a ball in the wheel in the middle
	groupWeights        // a group of balls, by how many it lacks to win, from 1 on
	lacks        = 5
	weightCount  = groupWeights + lacks
)

// ownWeights are points; what they come to only has to be compared.
var ownWeights = [weightCount]games.Weight{
	turnWeight:       {Name: "turn", Value: 22},
	linkWeight:       {Name: "link", Value: 8},
	rimWeight:        {Name: "rim", Value: 4},
	midWeight:        {Name: "middle wheel", Value: 2},
	groupWeights:     {Name: "group of 1 too few", Value: 82},
	groupWeights + 1: {Name: "group of 2 too few", Value: 54},
	groupWeights + 2: {Name: "group of 3 too few", Value: 34},
	groupWeights + 3: {Name: "group of 4 too few", Value: 19},
	groupWeights + 4: {Name: "group of 5 too few", Value: 8},
}

// Weights returns the weights of the evaluation.
func (s *State) Weights() []games.Weight { return slices.Clone(ownWeights[:]) }

// Search returns the position to search, with the learned evaluation. It is better than the weights under all options: at least 70 %
// of the points at the same number of positions with fresh_wheel=1 and connect up to 6, 54 % with connect=7, and without
// fresh_wheel all games are drawn.
func (s *State) Search() games.Search { return s.SearchLearned(builtIn) }

// Evaluate says what the position is worth to the side to move.
func (n *Search) Evaluate() int {
	if n.tables != nil {
		return n.lookUp()
	}
	return n.turnWorth + n.worth(&n.sides[n.turn]) - n.worth(&n.sides[n.turn.Other()])
}

// worth is what the balls of a side count.
func (n *Search) worth(s *shape) int {
	v := n.linkWorth*int(s.links) + n.rimWorth*count(s.balls&table.rim) + n.midWorth*count(s.balls&table.wheel(midWheel))
	for _, group := range s.groups[:s.count] {
		v += n.groupWorth[count(group)]
	}
	return v
}

// setWeights sets the weights of the evaluation to values.
func (n *Search) setWeights(values []int) {
	var w [weightCount]int
	copy(w[:], values)
	n.turnWorth, n.linkWorth, n.rimWorth, n.midWorth = w[turnWeight], w[linkWeight], w[rimWeight], w[midWeight]
	for size := range n.groupWorth {
		if lack := max(n.rules.connect-size-1, 0); size > 1 && lack < lacks {
			n.groupWorth[size] = w[groupWeights+lack]
		}
	}
}

// midWheel is the wheel that touches all others.
const midWheel = 3
