package tanks

import (
	"slices"

	"ludoteca/games"
)

// worth is what a tank of each kind counts on the row before its own home row.
var worth = [Medium + 1]int64{Heavy: 150, Destroyer: 125, Medium: 100}

// Greedy returns the moves among which level 2 of the report chooses: those after which the position is worth most to
// the player who makes them. Nothing else counts, not even that a move wins.
func (p *Position) Greedy() []games.Move {
	var best []games.Move
	var bestValue int64
	s := p.s.clone()
	for _, c := range s.Moves(nil) {
		v := s.after(c)
		if best == nil || v > bestValue {
			best, bestValue = best[:0], v
		}
		if v == bestValue {
			best = append(best, p.s.Move(c))
		}
	}
	slices.Sort(best)
	return best
}

// after returns what the position after a legal move is worth to the player who makes it.
func (s *State) after(c games.Code) int64 {
	s.Play(c)
	defer s.Undo()
	return s.value(s.turn.Other())
}

// value returns what the position is worth to a side: the sum of worth * 2^distance over its tanks, less that over the
// enemy's. On the largest board a tank counts up to 150 * 2^26, so that even a sum of 64 is far below 2^63.
func (s *State) value(side games.Side) int64 {
	return s.strength(side) - s.strength(side.Other())
}

func (s *State) strength(side games.Side) int64 {
	var sum int64
	for _, t := range s.armies[side%2].list() {
		distance := t.cell().row() + 1
		if side == games.Second {
			distance = int(s.size) - t.cell().row()
		}
		sum += worth[t.kind()] << distance
	}
	return sum
}

// The weights of the evaluation: their places in ownWeights.
const (
	kindWeights    = 0                             // by kind
	advanceWeights = kindWeights + int(Medium) + 1 // by the rows that are left to the far row, from 1 on
	rowWeight      = advanceWeights + advances     // for each row behind a tank, in quarters
	turnWeight     = rowWeight + 1                 // to be the one to move
	runnerWeight   = turnWeight + 1                // the side to move has to stop a tank before the far row
	homeWeight     = runnerWeight + 1              // a tank on its home row
	edgeWeight     = homeWeight + 1                // a tank in the first or the last column
	weightCount    = edgeWeight + 1
)

// advances is for how many rows before the far row a tank there gains anything by having come so near.
const advances = 6

// ownWeights are in hundredths of a medium tank in the middle of the board; every tank counts for how far it has come.
var ownWeights = [weightCount]games.Weight{
	kindWeights + int(Heavy):     {Name: "heavy", Value: 293},
	kindWeights + int(Destroyer): {Name: "destroyer", Value: 80},
	kindWeights + int(Medium):    {Name: "medium", Value: 62},
	advanceWeights:               {Name: "1 row left", Value: 230},
	advanceWeights + 1:           {Name: "2 rows left", Value: 155},
	advanceWeights + 2:           {Name: "3 rows left", Value: -4},
	advanceWeights + 3:           {Name: "4 rows left", Value: -21},
	advanceWeights + 4:           {Name: "5 rows left", Value: -22},
	advanceWeights + 5:           {Name: "6 rows left", Value: -23},
	rowWeight:                    {Name: "row", Value: 31},
	turnWeight:                   {Name: "turn", Value: 33},
	runnerWeight:                 {Name: "enemy before the far row", Value: -450},
	homeWeight:                   {Name: "home row", Value: -28},
	edgeWeight:                   {Name: "edge", Value: -3},
}

// Weights returns the weights of the evaluation.
func (s *State) Weights() []games.Weight { return slices.Clone(ownWeights[:]) }

// Search returns the position to search.
func (s *State) Search() games.Search { return s.SearchLearned(builtIn) }

// setWeights works out from values what a tank counts by its kind and its cell.
func (n *Search) setWeights(values []int) {
	n.turnValue, n.runnerValue = values[turnWeight], values[runnerWeight]
	for side := range n.worths {
		for kind := range n.worths[side] {
			n.kinds[kind] = int32(values[kindWeights+kind])
			for row := range int(n.size) {
				for col := range int(n.size) {
					n.worths[side][kind][at(col, row)] = int32(n.worth(games.Side(side), kind, col, row, values))
				}
			}
		}
	}
}

func (n *Search) worth(side games.Side, kind, col, row int, values []int) int {
	done, last := row, int(n.size)-1
	if side == games.Second {
		done = last - row
	}
	v := values[kindWeights+kind] + values[rowWeight]*done/4
	if left := last - done; left > 0 && left <= advances {
		v += values[advanceWeights+left-1]
	}
	if done == 0 {
		v += values[homeWeight]
	}
	if col == 0 || col == last {
		v += values[edgeWeight]
	}
	return v
}

// Evaluate says what the position is worth to the side to move.
func (n *Search) Evaluate() int {
	v := n.byHand()
	if n.tables != nil {
		v += n.lookUp()
	}
	return games.Clamp(v)
}

// byHand is the evaluation by weights.
func (n *Search) byHand() int {
	me, enemy := n.turn&1, n.turn.Other()&1
	v := int(n.score.worths[me]-n.score.worths[enemy]) + n.turnValue
	if n.score.runners[enemy] > 0 {
		v += n.runnerValue
	}
	return v
}
