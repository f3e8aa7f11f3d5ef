package flugelrad

import (
	"math/bits"

	"ludoteca/games"
)

// Which turns win. A turn wins if the balls that it carries join enough of those outside its wheel, and with tables most
// turns need not be tried to see that they can't: all that touches the wheel from outside, whether it is linked there
// or not, is counted as one group, and the table joins says after which turns enough balls in the wheel touch the holes
// that are linked to it.

// wins returns the given turns that make a winning group of a side's balls.
func (r *rules) wins(s *shape, of turnSet) turnSet {
	may, wins := r.mayWin(s, of)
	for may &^= wins; may != 0; may &= may - 1 {
		if c := may.first(); r.makes(s, c) {
			wins |= only(c)
		}
	}
	return wins
}

// firstWin returns the first of some turns that makes a winning group.
func (r *rules) firstWin(s *shape, of turnSet) (c games.Code, ok bool) {
	may, sure := r.mayWin(s, of)
	for ; may != 0; may &= may - 1 {
		if c := may.first(); sure&only(c) != 0 || r.makes(s, c) {
			return c, true
		}
	}
	return 0, false
}

// makes reports whether a turn makes a winning group.
func (r *rules) makes(s *shape, c games.Code) bool {
	wheel, steps := decode(c)
	return r.winning(table.turn(s.balls, wheel, steps), table.wheel(wheel)) != 0
}

// mayWin returns the given turns that may make a winning group, and among them the turns that certainly do, as far as a quick
// test can tell: what touches the wheel with one ball is linked. The other turns don't win. Neither side may have won yet.
func (r *rules) mayWin(s *shape, of turnSet) (may, sure turnSet) {
	full := s.linkedIfFull()
	for wheel := range Wheels {
		if count(full[wheel]) < r.connect || of.of(wheel) == 0 {
			continue
		}
		shift := table.shift[wheel] & 63
		lack := max(r.connect-count(full[wheel]&^(ring<<shift)), 1)
		linked := table.linked[wheel][gatherTips(s.balls, shift)]
		turns := table.joins[lack][linked][gatherRing(s.balls>>shift&ring)].turns(wheel)
		may |= turns
		if tips := s.balls & table.tips[wheel]; tips&(tips-1) == 0 && !r.chain {
			sure |= turns
		}
	}
	return may & of, sure & of
}

// linkedIfFull returns for each wheel the balls that would be linked if all its holes were full.
func (s *shape) linkedIfFull() (full [Wheels]grid) {
	t, groups := table, s.groups[:s.count]
	for wheel := range full {
		tips := s.balls & t.tips[wheel]
		all := s.balls & t.star[wheel]
		for _, group := range groups {
			// The borrow of 0 - x is 1 if x is not 0: a branch would be foretold wrongly too often.
			_, touches := bits.Sub64(0, uint64(group&tips), 0)
			all |= group & -grid(touches)
		}
		full[wheel] = all
	}
	return full
}

// maxLack is how many balls may be missing outside a wheel: all of the longest connection.
const maxLack = 7

// addJoins fills the table joins.
func (t *tables) addJoins() {
	for linked := range 1 << 6 {
		for balls := range 1 << 6 {
			at := gatherRing(holesOf(balls))
			for steps := 1; steps <= stepsOfWheel; steps++ {
				turned := (balls>>steps | balls<<(6-steps)) & (1<<6 - 1)
				for lack := range heldBy(linked, turned) + 1 {
					t.joins[lack][linked][at] |= 1 << (steps - 1)
				}
			}
		}
	}
}

// heldBy returns how many of the balls in a wheel are linked with one in a linked hole. Holes are bits, clockwise.
func heldBy(linked, balls int) int {
	held := balls & linked
	for range 5 {
		held |= balls & (held<<1 | held>>5 | held>>1 | held<<5)
	}
	return bits.OnesCount(uint(held))
}
