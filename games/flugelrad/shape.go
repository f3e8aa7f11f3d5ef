package flugelrad

import "math/bits"

// A shape is the balls of one side and what the search has to know about them.
type shape struct {
	balls  grid
	groups [mostGroups]grid // those of two balls and more; 0 where there are no more
	links  int              // between two balls
	worth  int              // to the side
	won    bool
}

// mostGroups is how many groups of two balls and more a side can have.
const mostGroups = ballsEach / 2

// look makes s the shape of balls.
func (n *Search) look(s *shape, balls grid) {
	east := balls & (balls >> 1) & table.east
	southWest := balls & (balls >> 8) & table.southWest
	southEast := balls & (balls >> 9) & table.southEast
	linked := east | east<<1 | southWest | southWest<<8 | southEast | southEast<<9
	s.balls = balls
	s.links = count(east) + count(southWest) + count(southEast)
	worth := n.linkWorth*s.links + n.rimWorth*count(balls&table.rim) + n.midWorth*count(balls&table.wheel(midWheel))
	most := 0
	for i := range s.groups {
		group, size := linked, count(linked)
		if size > 3 { // three or less that are linked at all are one group
			group = table.group(linked, linked&-linked)
			size = count(group)
		}
		linked &^= group
		s.groups[i] = group
		worth += n.groupWorth[size]
		most = max(most, size)
	}
	s.worth = worth
	s.won = most >= n.rules.connect && (!n.rules.chain || n.rules.winning(balls, everywhere) != 0)
}

// A stepSet is a set of numbers of steps, 1 to 5: one bit each.
type stepSet uint8

// first returns the lowest of a set.
func (s stepSet) first() int { return bits.TrailingZeros8(uint8(s)) }

// wins returns the turns of a wheel that make a winning group of the side's balls.
func (r *rules) wins(s *shape, wheel int) (wins stepSet) {
	if !r.mayWin(s, wheel) {
		return 0
	}
	for steps := 1; steps <= stepsOfWheel; steps++ {
		if r.winning(table.turn(s.balls, wheel, steps), table.wheel(wheel)) != 0 {
			wins |= 1 << steps
		}
	}
	return wins
}

// mayWin says whether a turn of a wheel can make a winning group; where it says no, none of its turns does. It
// counts the balls that would hang together if all holes of the wheel were full.
func (r *rules) mayWin(s *shape, wheel int) bool {
	tips := s.balls & table.tips[wheel]
	hang := tips | s.balls&table.wheel(wheel)
	for _, g := range s.groups {
		if g&tips != 0 {
			hang |= g
		}
	}
	return count(hang) >= r.connect
}
