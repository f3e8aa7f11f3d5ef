package flugelrad

import "ludoteca/games"

// Position is an immutable position of Flügelrad. Besides games.Position it has what is needed to draw it.
type Position struct {
	games.Snapshot
	s *State // the same state
}

var (
	_ games.Position = (*Position)(nil)
	_ games.Greedy   = (*Position)(nil)
)

// Freeze returns the present position without a copy.
func (s *State) Freeze() games.Position {
	s.past = nil
	return &Position{games.SnapshotOf(s), s}
}

// Options returns the complete options.
func (p *Position) Options() games.Options { return p.s.rules.options }

// balls returns the balls of both sides.
func (s *State) balls() [2]grid {
	return [2]grid{s.sides[games.First].balls, s.sides[games.Second].balls}
}

// At returns whose ball is on a point from 1 to Points, and whether there is one.
func (p *Position) At(point int) (side games.Side, held bool) {
	bit := table.bit[point]
	balls := p.s.balls()
	if balls[games.Second]&bit != 0 {
		side = games.Second
	}
	return side, (balls[games.First]|balls[games.Second])&bit != 0
}

// Turns is the number of turns played.
func (p *Position) Turns() int { return int(p.s.turns) }

// Limit is the number of turns after which the game is drawn, 0 if there is no limit.
func (p *Position) Limit() int { return p.s.rules.moveLimit }

// Needed is the number of balls that must be linked, 4 to 7.
func (p *Position) Needed() int { return p.s.rules.connect }

// Repeated is how many times this position has come up with the same player to move, at least 1. It counts only where
// Allowed is not 0.
func (p *Position) Repeated() int { return max(p.s.seen.Times(), 1) }

// Allowed is how many times a position must come up for a draw, 0 if that is no draw.
func (p *Position) Allowed() int { return p.s.rules.repetition }

// A Bar says why a wheel may not be turned at all.
type Bar uint8

// The bars, from none.
const (
	Free       Bar = iota
	JustTurned     // it was turned on the turn before
	NoBalls        // it is empty
	SameBalls      // it is full of balls of one side
)

// Barred says why no turn of a wheel from 0 to 6 is legal, or Free if some are. The end of the game is no bar.
func (p *Position) Barred(wheel int) Bar { return p.s.barred(wheel) }

func (s *State) barred(wheel int) Bar {
	points := table.wheel(wheel)
	switch x, o := s.sides[games.First].balls&points, s.sides[games.Second].balls&points; {
	case s.unlocked().of(wheel) == 0:
		return JustTurned
	case x|o == 0:
		return NoBalls
	case x == points || o == points:
		return SameBalls
	default:
		return Free
	}
}

// Preview returns the board text as it would be after a turn of a wheel from 0 to 6 by any number of steps, negative
// ones clockwise, whether the turn is legal or not.
func (p *Position) Preview(wheel, steps int) string {
	balls := p.s.balls()
	for side := range balls {
		balls[side] = table.turn(balls[side], wheel, (steps%6+6)%6)
	}
	return textOf(balls)
}

// Linked returns the points on which side has a ball that is linked to another one of the same side, in order.
func (p *Position) Linked(side games.Side) []int {
	balls := p.s.sides[side].balls
	return points(balls & table.near(balls))
}

// Largest returns the size of the largest group of a side, or the length of its longest chain if the options ask for
// a chain: 1 to 9.
func (p *Position) Largest(side games.Side) int {
	n := 0
	for balls := p.s.sides[side].balls; balls != 0; {
		group := table.group(balls, balls&-balls)
		balls &^= group
		for size := count(group); size > n; size-- {
			if !p.s.rules.chain || chainIn(group, size) != 0 {
				n = size
			}
		}
	}
	return n
}

// Winning returns the points of the group that has won the game, in order, or of a chain of as many balls as needed
// if the options ask for a chain. There are none if no side has won.
func (p *Position) Winning() []int {
	if r := p.s.Result(); r.Over && !r.Draw {
		return points(p.s.rules.winning(p.s.sides[r.Winner].balls, everywhere))
	}
	return nil
}

// points returns the numbers of the points in g, in order.
func points(g grid) []int {
	var list []int
	for point, bit := range table.bit {
		if g&bit != 0 {
			list = append(list, point)
		}
	}
	return list
}
