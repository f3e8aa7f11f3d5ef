package flugelrad

import "math/bits"

// How many links there are after each turn of a wheel. A turn carries balls along the ring, so it leaves all links within
// the wheel as they are, and those between points outside anyway. What it changes is the links out of the wheel. They lead
// to its six tips, each of which is linked to the two holes beside it, but for some on the rim:
//
//	    t0
//	t5  0  1  t1
//	  5      2
//	t4  4  3  t2
//	    t3
//
// With k steps the ball in hole i+k comes to hole i. So the numbers of links out are a cyclic correlation of the balls in
// the holes, 0 or 1, with the balls that each hole is linked to outside, 0 to 2. That is one product of two polynomials,
// written as numbers with a lane of linkBits bits for each power: the holes in one go up, in the other down, so that what
// belongs to k steps meets in the lanes k-1 and k+5, which are then added up.
const (
	linkBits  = 6
	linkLanes = (1<<(6*linkBits) - 1) / (1<<linkBits - 1) // 1 in each of the six lanes
	evenLinks = 16                                        // added to differences, so that they stay above 0
	manyLinks = 1 << (linkBits - 1)                       // more than comes up, sums and differences
)

// The tips of a wheel are these bits, counted from tipShift bits before its first one. Where they are off the board or not
// linked to the wheel, the tables say so.
const (
	tipRing     grid = 1<<0 | 1<<10 | 1<<27 | 1<<34 | 1<<24 | 1<<7
	tipShift         = 8
	gatherTip        = 1<<0 | 1<<11 | 1<<29 | 1<<37
	gatherTipAt      = 34
)

// tipSteps are the bits of tipRing.
var tipSteps = [6]int{0, 10, 27, 34, 24, 7}

// gatherTips brings the balls on the tips of the wheel with this first bit together into six bits, like gatherRing.
func gatherTips(balls grid, shift uint8) uint64 {
	tips := bits.RotateLeft64(uint64(balls), tipShift-int(shift)) & uint64(tipRing)
	return tips * gatherTip >> gatherTipAt & (1<<6 - 1)
}

// linksAfter returns how many links more than its enemy a side has after each turn of a wheel: rest and what is in the lane
// of the turn, which is the lowest one for one step.
func linksAfter(own, enemy *shape, wheel int) (lanes uint64, rest int) {
	lanes = evenLinks*linkLanes + table.linksOut(own.balls, wheel) - table.linksOut(enemy.balls, wheel)
	now := laneOf(lanes >> (stepsOfWheel * linkBits))
	return lanes, int(own.links) - int(enemy.links) - now
}

// laneOf returns what is in the lowest lane.
func laneOf(lanes uint64) int { return int(lanes % (1 << linkBits)) }

// anyFrom reports whether the lane of any of the five turns holds least or more. least is 0 to manyLinks.
func anyFrom(lanes uint64, least int) bool {
	const turns = linkLanes >> linkBits
	return (lanes+uint64(manyLinks-least)*turns)&(manyLinks*turns) != 0
}

// linksOut returns how many links out of a wheel there are after each turn of it, in the lane of the turn; in the sixth lane
// there are those before. What is above them has no meaning.
func (t *tables) linksOut(balls grid, wheel int) uint64 {
	shift := t.shift[wheel] & 63
	product := t.holes[gatherRing(balls>>shift&ring)] * t.outside[wheel][gatherTips(balls, shift)]
	return product + product>>(6*linkBits)
}

// addHoles fills the tables that go by the holes of a wheel.
func (t *tables) addHoles() {
	for pattern := range 1 << 6 {
		holes := holesOf(pattern)
		at := gatherRing(holes)
		for i := range 6 {
			t.holes[at] |= uint64(pattern>>i&1) << (i * linkBits)
		}
		for steps := 1; steps <= stepsOfWheel; steps++ {
			if t.turned[steps][at] == holes {
				t.still[at] |= 1 << (steps - 1)
			}
		}
	}
}

// addTips fills the tables that go by the tips of a wheel.
func (t *tables) addTips() {
	for wheel := range Wheels {
		shift := t.shift[wheel]
		t.tips[wheel] = t.near(t.wheel(wheel)) &^ t.wheel(wheel)
		t.star[wheel] = t.tips[wheel] | t.wheel(wheel)
		for pattern := range 1 << 6 {
			var tips uint64
			for i, step := range tipSteps {
				tips |= uint64(pattern>>i&1) << step
			}
			balls := grid(bits.RotateLeft64(tips, int(shift)-tipShift)) & t.tips[wheel]
			at := gatherTips(grid(bits.RotateLeft64(tips, int(shift)-tipShift)), shift)
			for i, step := range ringSteps {
				links := count(t.near(1<<step<<shift) & balls)
				t.outside[wheel][at] |= uint64(links) << ((5 - i) * linkBits)
				if links > 0 {
					t.linked[wheel][at] |= 1 << i
				}
			}
		}
	}
}
