package flugelrad

import "iter"

// The board. Points are numbered 1 to Points and wheels 0 to Wheels-1, as in the rule sheet.
const (
	Points = 30
	Wheels = 7
)

// wheelPoints are the points of each wheel clockwise, beginning at the upper left. What is on one of them goes to the
// one before it with each step.
var wheelPoints = [Wheels][6]int{
	{1, 2, 3, 4, 5, 6},
	{7, 8, 9, 10, 11, 3},
	{12, 5, 13, 14, 15, 16},
	{4, 11, 17, 18, 19, 13},
	{10, 20, 21, 22, 23, 17},
	{14, 19, 24, 25, 26, 27},
	{18, 23, 28, 29, 30, 24},
}

// pointPlaces are the row and column of each point in the layout table of the rule sheet.
var pointPlaces = [Points + 1][2]int{
	1: {0, 3}, 2: {0, 5}, 7: {0, 7}, 8: {0, 9},
	6: {1, 2}, 3: {1, 6}, 9: {1, 10},
	12: {2, 1}, 5: {2, 3}, 4: {2, 5}, 11: {2, 7}, 10: {2, 9}, 20: {2, 11},
	16: {3, 0}, 13: {3, 4}, 17: {3, 8}, 21: {3, 12},
	15: {4, 1}, 14: {4, 3}, 19: {4, 5}, 18: {4, 7}, 23: {4, 9}, 22: {4, 11},
	27: {5, 2}, 24: {5, 6}, 28: {5, 10},
	26: {6, 3}, 25: {6, 5}, 30: {6, 7}, 29: {6, 9},
}

// wheelPlaces are the row and column of the centre of each wheel.
var wheelPlaces = [Wheels][2]int{{1, 4}, {1, 8}, {3, 2}, {3, 6}, {3, 10}, {5, 4}, {5, 8}}

// WheelPoints returns the points of a wheel clockwise, beginning at the upper left.
func WheelPoints(wheel int) [6]int { return wheelPoints[wheel] }

// PointPlace returns where a point is drawn: row 0 to 6 from the top, column 0 to 12 from the left. Columns are half
// as wide as the way from a point to the next one in its row.
func PointPlace(point int) (row, col int) { return pointPlaces[point][0], pointPlaces[point][1] }

// WheelPlace returns where the centre of a wheel is drawn, counted like PointPlace.
func WheelPlace(wheel int) (row, col int) { return wheelPlaces[wheel][0], wheelPlaces[wheel][1] }

// Links yields the 42 pairs of linked points, wheel by wheel.
func Links() iter.Seq2[int, int] {
	return func(yield func(p, q int) bool) {
		for _, ring := range wheelPoints {
			for i, p := range ring {
				if !yield(p, ring[(i+1)%6]) {
					return
				}
			}
		}
	}
}

// A grid is a set of points, one bit each, so placed that all wheels have the same shape and all links one of three
// directions. The layout table is sheared until its sloping columns stand upright, eight bits to a row:
//
//	row, column of the table -> bit 8*row + (row+column-1)/2
//
//	. 1 2 7 8 . . .        a link is a step of 1, 8 or 9;
//	. 6 w 3 w 9 . .        the wheel around bit w is the bits w-9, w-8, w+1, w+9, w+8, w-1, clockwise;
//	. c 5 4 b a k .        six pairs that are neighbours here are no links, so each direction has a mask
//	. g w d w h w l
//	. . f e j i n m        (a = 10, b = 11, and so on to n = 23)
//	. . . r w o w s        (o = 24, r = 27, s = 28)
//	. . . . q p u t        (p = 25, q = 26, t = 29, u = 30)
type grid uint64

// everywhere has all points, and bits that are none.
const everywhere = ^grid(0)

// ringSteps are the bits of a wheel clockwise, counted from the first.
var ringSteps = [6]int{0, 1, 10, 18, 17, 8}

const (
	ring       grid = 1<<0 | 1<<1 | 1<<10 | 1<<18 | 1<<17 | 1<<8
	centre          = 9 // the centre of a wheel, counted from its first bit
	gather          = 1<<0 | 1<<6 | 1<<12
	gathered        = 7 // bits of a gathered wheel; one of them is always 0
	gatheredAt      = 12
)

// gatherRing brings the six bits of a wheel, and nothing else in balls, together into a small number. The product adds
// up three copies of the ring, no two of which have a bit in the same place.
func gatherRing(balls grid) uint64 { return uint64(balls) * gather >> gatheredAt & (1<<gathered - 1) }

// tables are what follows from the tables above.
type tables struct {
	bit       [Points + 1]grid       // by point
	point     [64]uint8              // by number of the bit, 0 where there is none
	shift     [Wheels]uint8          // the first bit of each wheel
	turned    [6][1 << gathered]grid // by steps and gathered wheel: the wheel afterwards, its first bit 0
	east      grid                   // points linked to the one 1 bit higher
	southWest grid                   // 8 bits higher
	southEast grid                   // 9 bits higher
	rim       grid                   // points in one wheel only

	holes   [1 << gathered]uint64                       // by gathered wheel: the lanes of links.go, the first hole in the lowest
	still   [1 << gathered]stepSet                      // by gathered wheel: the turns that leave it as it is
	tips    [Wheels]grid                                // the points outside that are linked to points of the wheel
	star    [Wheels]grid                                // tips and the points of the wheel
	outside [Wheels][1 << 6]uint64                      // by gathered tips: how many balls each hole is linked to, the first in the sixth lane
	linked  [Wheels][1 << 6]uint8                       // by gathered tips: the holes that are linked to any, a bit each
	joins   [maxLack + 1][1 << 6][1 << gathered]stepSet // by lack, linked holes and gathered wheel, as wins.go says
}

var table = newTables()

func newTables() *tables {
	t := new(tables)
	for p := 1; p <= Points; p++ {
		n := bitNumber(PointPlace(p))
		t.bit[p], t.point[n] = 1<<n, uint8(p)
	}
	for w := range Wheels {
		t.shift[w] = uint8(bitNumber(WheelPlace(w)) - centre)
		t.rim ^= t.wheel(w) // inner points are in two
	}
	for p, q := range Links() {
		low, high := min(t.bit[p], t.bit[q]), max(t.bit[p], t.bit[q])
		switch high {
		case low << 1:
			t.east |= low
		case low << 8:
			t.southWest |= low
		case low << 9:
			t.southEast |= low
		}
	}
	for steps := range t.turned {
		for pattern := range 1 << 6 {
			t.turned[steps][gatherRing(holesOf(pattern))] = holesOf(pattern>>steps | pattern<<(6-steps))
		}
	}
	t.addHoles()
	t.addTips()
	t.addJoins()
	return t
}

// holesOf returns the points of a ring whose bits are set in pattern, the first point in bit 0.
func holesOf(pattern int) (holes grid) {
	for i, step := range ringSteps {
		holes |= grid(pattern>>i&1) << step
	}
	return holes
}

func bitNumber(row, col int) int { return 8*row + (row+col-1)/2 }

// wheel returns the points of a wheel.
func (t *tables) wheel(w int) grid { return ring << t.shift[w] }

// turn returns what becomes of balls when wheel w is turned: the ring is cut out, turned by table and put back.
func (t *tables) turn(balls grid, w, steps int) grid {
	shift := t.shift[w] & 63
	before := balls >> shift & ring
	return balls ^ (before^t.turned[steps][gatherRing(before)])<<shift
}

// near returns all points linked to points of g.
func (t *tables) near(g grid) grid {
	return g&t.east<<1 | g>>1&t.east | g&t.southWest<<8 | g>>8&t.southWest | g&t.southEast<<9 | g>>9&t.southEast
}

// group returns the balls that are linked with those in seed, which must be some of balls.
func (t *tables) group(balls, seed grid) grid {
	for {
		grown := seed | t.near(seed)&balls
		if seed = grown | t.near(grown)&balls; seed == grown {
			return seed
		}
	}
}
