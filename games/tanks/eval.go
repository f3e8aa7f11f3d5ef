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
	for _, c := range p.s.Moves(nil) {
		v := p.s.after(c)
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
	next := *s
	next.Play(c)
	return next.value(s.turn)
}

// value returns what the position is worth to a side: the sum of worth * 2^distance over his tanks, less that over the
// enemy's. On the largest board a tank counts up to 150 * 2^26, so that even a sum of 64 is far below 2^63.
func (s *State) value(side games.Side) int64 {
	return s.strength(side) - s.strength(side.Other())
}

func (s *State) strength(side games.Side) int64 {
	a := &s.armies[side%2]
	var sum int64
	for _, t := range a.list[:a.tanks()] {
		distance := t.cell().row() + 1
		if side == games.Second {
			distance = int(s.size) - t.cell().row()
		}
		sum += worth[t.kind()] << distance
	}
	return sum
}
