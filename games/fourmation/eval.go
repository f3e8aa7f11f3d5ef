package fourmation

import (
	"slices"

	"ludoteca/games"
)

// Greedy returns the one move that level 2 of the report plays: a move of the highest value, among these one in the
// rightmost column, and in that column the lowest.
func (p *Position) Greedy() []games.Move {
	s := p.s.clone()
	codes := s.Moves(nil)
	if len(codes) == 0 {
		return nil
	}
	best, bestValue := cell(codes[0]), s.value(cell(codes[0]))
	for _, code := range codes[1:] {
		c := cell(code)
		// Moves comes row by row from the bottom, so the first of equals in a column is its lowest.
		if v := s.value(c); v > bestValue || v == bestValue && c.col() > best.col() {
			best, bestValue = c, v
		}
	}
	return []games.Move{games.Move(best.String())}
}

// value returns what the position after a legal move on c is worth to the player who makes it: the three cases under
// "The report's computer players", level 2.
func (s *State) value(c cell) int {
	mover := s.turn
	s.Play(games.Code(c))
	defer s.Undo()
	if s.Reason == byLine {
		cols, rows := int(s.cols), int(s.rows)
		return 1 + cols*(cols+1) + rows*(rows+1)
	}
	for _, reply := range s.Moves(nil) {
		s.Play(reply)
		lost := s.Reason == byLine
		s.Undo()
		if lost {
			return -1
		}
	}
	sum := 0
	for _, k := range s.runs(c, mover) {
		sum += k * (k + 1) / 2
	}
	return sum
}

// The weights of the evaluation by hand: their places in ownWeights. A window is as many cells in a line as it takes to win; it is
// open to a side while the other one has no piece in it.
const (
	onePiece  = iota // in a window that is open to their side
	twoPieces        // and so on
	threePieces
	morePieces
	turnWeight // to be the one to move
	weightCount
)

var ownWeights = [weightCount]games.Weight{
	onePiece:    {Name: "one piece", Value: 1},
	twoPieces:   {Name: "two pieces", Value: 4},
	threePieces: {Name: "three pieces", Value: 16},
	morePieces:  {Name: "more pieces", Value: 64},
	turnWeight:  {Name: "turn", Value: 6},
}

// Weights returns the weights of the evaluation by hand.
func (s *State) Weights() []games.Weight { return slices.Clone(ownWeights[:]) }

// findWindows finds all windows of the board and works out what they count.
func (n *Search) findWindows(weights []int) {
	n.turnValue = weights[turnWeight]
	for k := 1; k <= int(n.win); k++ {
		n.values[k] = weights[min(onePiece+k-1, morePieces)]
	}
	windows, win := uint16(0), int(n.win)
	for row := range int(n.rows) {
		for col := range int(n.cols) {
			for _, step := range steps {
				if !n.contains(col+step.col*(win-1), row+step.row*(win-1)) {
					continue
				}
				for i := range win {
					c := at(col+step.col*i, row+step.row*i)
					n.windows[c] = append(n.windows[c], windows)
				}
				windows++
			}
		}
	}
	for side := range n.counts {
		n.counts[side] = make([]uint8, windows)
	}
}

// count adds a piece to all windows that its cell is in, or takes it out of them.
func (n *Search) count(c cell, side games.Side, by int) {
	own, other := n.counts[side], n.counts[side.Other()]
	sum, lost := 0, 0
	for _, w := range n.windows[c] {
		before, after := own[w], own[w]+uint8(by)
		own[w] = after
		switch k := other[w]; {
		case k == 0:
			sum += n.values[after] - n.values[before]
		case before == 0:
			lost -= n.values[k]
		case after == 0:
			lost += n.values[k]
		}
	}
	n.sums[side] += sum
	n.sums[side.Other()] += lost
	n.hash ^= n.keys[side][c]
}

// byHand says what the position is worth to the side to move, by the weights.
func (n *Search) byHand() int { return n.sums[n.turn] - n.sums[n.turn.Other()] + n.turnValue }

// Evaluate says what the position is worth to the side to move.
func (n *Search) Evaluate() int {
	v := n.byHand()
	if n.tables != nil {
		v += n.lookUp()
	}
	return games.Clamp(v)
}
