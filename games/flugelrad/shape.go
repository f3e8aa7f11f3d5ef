package flugelrad

import (
	"math/bits"

	"ludoteca/games"
)

// A shape is the balls of one side and what the search has to know about them.
type shape struct {
	balls  grid
	groups [mostGroups]grid // those of two balls and more; 0 where there are no more
	count  int              // of groups
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
	i, most := 0, 0
	for ; linked != 0; i++ {
		group, size := linked, count(linked)
		if size > 3 { // three or less that are linked at all are one group
			group = table.group(linked, linked&-linked)
			size = count(group)
		}
		linked &^= group
		s.groups[i&(mostGroups-1)] = group
		worth += n.groupWorth[size]
		most = max(most, size)
	}
	s.count, s.worth = i, worth
	s.won = most >= n.rules.connect && (!n.rules.chain || n.rules.winning(balls, everywhere) != 0)
}

// A stepSet is a set of numbers of steps, 1 to 5: one bit each, from bit 0 on.
type stepSet uint8

// A turnSet is a set of turns: one bit each, in the place of its code.
type turnSet uint64

// first returns the code of the first turn of a set.
func (t turnSet) first() games.Code { return games.Code(bits.TrailingZeros64(uint64(t))) }

// of returns the turns of a wheel, as numbers of steps.
func (t turnSet) of(wheel int) stepSet {
	return stepSet(t>>(wheel*stepsOfWheel)) & (1<<stepsOfWheel - 1)
}

// wins returns those of some turns that make a winning group of the side's balls.
func (r *rules) wins(s *shape, turns turnSet) (wins turnSet) {
	for may := r.mayWin(s, turns) & turns; may != 0; may &= may - 1 {
		wheel, steps := decode(may.first())
		if r.winning(table.turn(s.balls, wheel, steps), table.wheel(wheel)) != 0 {
			wins |= may & -may
		}
	}
	return wins
}

// mayWin returns the turns that may make a winning group; no other one does. It takes all that is linked to
// holes of the wheel from outside for one group.
func (r *rules) mayWin(s *shape, turns turnSet) (may turnSet) {
	balls, groups := s.balls, s.groups[:s.count]
	for wheel := range Wheels {
		if turns.of(wheel) == 0 {
			continue
		}
		shift := table.shift[wheel] & 63
		holes := ring << shift
		tips := balls & table.tips[wheel]
		hang := tips | balls&holes
		for _, group := range groups {
			_, touches := bits.Sub64(0, uint64(group&tips), 0)
			hang |= group & -grid(touches)
		}
		if count(hang) < r.connect {
			continue
		}
		need := max(r.connect-count(hang&^holes), 1)
		steps := table.joins[need][table.linked[wheel][gatherTips(balls, shift)]][gatherRing(balls>>shift&ring)]
		may |= turnSet(steps) << (wheel * stepsOfWheel)
	}
	return may
}

// allTurnSet has all turns.
const (
	wheelTurns = 1<<stepsOfWheel - 1
	everyTurn  = 1<<allTurns - 1
)
