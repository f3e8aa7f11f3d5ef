package flugelrad

import "math/bits"

// How many links there are after each turn of a wheel. A turn carries balls along the ring, so it leaves all links within
// the wheel as they are, and of course those between points outside. What it changes is the links out of the wheel. They
// lead to its six tips, each of which is linked to two holes side by side, but for some on the rim:
//
//	    t0
//	t5  0  1  t1
//	  5      2
//	t4  4  3  t2
//	    t3
//
// With k steps the ball in hole i+k comes to hole i. So the links out are a cyclic correlation of the balls in the holes
// with the numbers of balls that each hole is linked to outside, which is one product of two polynomials: in each of
// them every hole has linkBits bits, enough for 12 links and the sum below.
const (
	linkBits  = 6
	linkLanes = (1<<(6*linkBits) - 1) / (1<<linkBits - 1) // 1 for each number of steps
	evenLinks = 16                                        // added to differences, so that they stay above 0
	manyLinks = 1 << (linkBits - 1)                       // above all sums
)

// tipRing are the tips around a wheel, whose first bit is tipShift.
const (
	tipRing     grid = 1<<0 | 1<<10 | 1<<27 | 1<<34 | 1<<24 | 1<<7
	tipShift         = 8
	gatherTip        = 1<<0 | 1<<11 | 1<<29 | 1<<37
	gatherTipAt      = 34
)

// gatherTips brings the balls on the tips of a wheel together into six bits.
func gatherTips(balls grid, shift uint8) uint64 {
	tips := bits.RotateLeft64(uint64(balls), tipShift-int(shift)) & uint64(tipRing)
	return tips * gatherTip >> gatherTipAt & (1<<6 - 1)
}

// linksOut returns how many links out of a wheel there are after each turn of it: after 1 step in the lowest linkBits bits, and
// so on to 6 steps, which is none. What is above has no meaning.
func (t *tables) linksOut(balls grid, wheel int) uint64 {
	shift := t.shift[wheel] & 63
	p := t.holes[gatherRing(balls>>shift&ring)] * t.outside[wheel][gatherTips(balls, shift)]
	return p + p>>(6*linkBits)
}

// same returns the turns of a wheel that change nothing about these balls.
func (t *tables) same(balls grid, wheel int) stepSet {
	return t.still[gatherRing(balls>>(t.shift[wheel]&63)&ring)]
}

// addLinks fills the tables about links out of wheels, and about turns that change nothing.
func (t *tables) addLinks() {
	for pattern := range 1 << 6 {
		var holes grid
		var sum uint64
		for i := range 6 {
			holes |= grid(pattern>>i&1) << ringSteps[i]
			sum |= uint64(pattern>>i&1) << (i * linkBits)
		}
		at := gatherRing(holes)
		t.holes[at] = sum
		for steps := 1; steps <= stepsOfWheel; steps++ {
			if t.turned[steps][at] == holes {
				t.still[at] |= 1 << (steps - 1)
			}
		}
	}
	t.addJoins()
	steps := [6]int{0, 7, 10, 24, 27, 34}
	for wheel := range Wheels {
		shift := t.shift[wheel]
		t.tips[wheel] = t.near(t.wheel(wheel)) &^ t.wheel(wheel)
		for pattern := range 1 << 6 {
			var tips grid
			for i, at := range steps {
				tips |= grid(pattern>>i&1) << at
			}
			tips = grid(bits.RotateLeft64(uint64(tips), int(shift)-tipShift))
			var sum uint64
			for i, at := range ringSteps {
				if t.near(1<<at<<shift)&tips&t.tips[wheel] != 0 {
					t.linked[wheel][gatherTips(tips, shift)] |= 1 << i
				}
				sum += uint64(count(t.near(1<<at<<shift)&tips&t.tips[wheel])) << ((5 - i) * linkBits)
			}
			t.outside[wheel][gatherTips(tips, shift)] = sum
		}
	}
}

const maxJoin = 7

// joined returns how many of the balls in a wheel hang on something outside that is linked to some holes.
func joined(holes, balls int) (n int) {
	joined := balls & holes
	for range 6 {
		joined |= balls & (joined<<1 | joined>>5 | joined>>1 | joined<<5)
	}
	return bits.OnesCount8(uint8(joined))
}

func (t *tables) addJoins() {
	for holes := range 1 << 6 {
		for balls := range 1 << 6 {
			var in grid
			for i := range 6 {
				in |= grid(balls>>i&1) << ringSteps[i]
			}
			for steps := 1; steps <= stepsOfWheel; steps++ {
				turned := (balls>>steps | balls<<(6-steps)) & (1<<6 - 1)
				for need := range joined(holes, turned) + 1 {
					t.joins[need][holes][gatherRing(in)] |= 1 << (steps - 1)
				}
			}
		}
	}
}
