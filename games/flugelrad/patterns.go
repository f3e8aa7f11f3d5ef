package flugelrad

import (
	_ "embed"
	"slices"

	"ludoteca/games"
)

// The learned evaluation. A pattern is two wheels that touch, 11 points, each of which is empty, the mover's or the enemy's:
// one of 3^11 arrangements. Every outer wheel makes a pattern with the middle one, and one with each of its two
// neighbours. The board looks the same after each of its twelve symmetries (six rotations, each with its mirror image, where
// turns run the other way round), so the six patterns of a kind share one table, and an arrangement shares its
// weight with its mirror image.
//
// A position is the sum of its twelve patterns and of what the wheel is that may not be turned. In training the single wheels
// have weights of their own, so that what is learned about a wheel serves all patterns with it; they are folded into the
// tables of the patterns.
const (
	holes        = 6
	wheelStates  = 729    // 3^6
	patternSize  = 11     // points
	patternCount = 177147 // 3^11, arrangements of a pattern

	spokes  = 0                         // where the table of the patterns with the middle wheel begins
	rims    = spokes + patternCount     // of the patterns of two neighbours on the outside
	locks   = rims + patternCount       // of the outer wheel that may not be turned
	midLock = locks + wheelStates       // of the middle one
	turnAt  = midLock + wheelStates     // the worth of having the turn
	entries = turnAt + 1                // of all tables
	outers  = entries                   // of the training alone: where the weights of single outer wheels begin
	middles = outers + wheelStates      // of the middle wheel
	weights = middles + wheelStates     // of all that is trained
	most    = 2*(Wheels-1) + Wheels + 2 // features of a position
)

// builtIn are the tables that the game is played with. `ludoteca train flugelrad` made them.
var builtIn = games.MustDecodeTables("flugelrad", entries, tablesFile)

//go:embed tables.bin
var tablesFile []byte

// A pattern is two wheels that touch.
type pattern struct {
	wheels [2]int
	points [patternSize]int // that the digits of an arrangement stand for, the lowest first
	table  int              // where its table begins

	// places has, for each of the two and each gathered wheel, the sum of 3^i over the digits i whose points have a ball. A
	// point that both wheels have counts with the first.
	places [2][1 << gathered]int32
}

// patterns are the patterns of the board: first each outer wheel with the middle one, then each pair of outer neighbours.
var patterns = newPatterns()

func newPatterns() (all []pattern) {
	// Wheels 0 and 1 are neighbours, and the other pairs are their images under the rotations.
	spoke := pointsOf(0, midWheel)
	rim := pointsOf(0, 1)
	for _, kind := range []struct {
		points [patternSize]int
		wheels [2]int
		table  int
	}{{spoke, [2]int{0, midWheel}, spokes}, {rim, [2]int{0, 1}, rims}} {
		for _, turn := range symmetries()[:6] {
			p := pattern{table: kind.table}
			for i, point := range kind.points {
				p.points[i] = turn[point]
			}
			for i, wheel := range kind.wheels {
				p.wheels[i] = imageOfWheel(turn, wheel)
			}
			p.fillPlaces()
			all = append(all, p)
		}
	}
	return all
}

// pointsOf returns the points of two wheels that touch: all points of the first, then the others of the second.
func pointsOf(first, second int) (points [patternSize]int) {
	n := copy(points[:], wheelPoints[first][:])
	for _, p := range wheelPoints[second] {
		if !slices.Contains(wheelPoints[first][:], p) {
			points[n] = p
			n++
		}
	}
	return points
}

// fillPlaces fills the field places.
func (p *pattern) fillPlaces() {
	taken := map[int]bool{}
	for i, wheel := range p.wheels {
		var worth [holes]int32
		for hole, point := range wheelPoints[wheel] {
			if !taken[point] {
				worth[hole] = power(slices.Index(p.points[:], point))
				taken[point] = true
			}
		}
		p.places[i] = byGathered(worth)
	}
}

// power returns 3^n.
func power(n int) int32 {
	v := int32(1)
	for range n {
		v *= 3
	}
	return v
}

// byGathered returns for each gathered wheel the sum of the numbers of the holes that have a ball.
func byGathered(worth [holes]int32) (sums [1 << gathered]int32) {
	for balls := range 1 << holes {
		at := gatherRing(holesOf(balls))
		for hole, w := range worth {
			sums[at] += int32(balls>>hole&1) * w
		}
	}
	return sums
}

// wheelDigits has for each wheel and each gathered wheel the sum of 3^i over the holes i that have a ball. A hole of an outer
// wheel has the number of the hole of wheel 0 that the rotation brings there.
var wheelDigits = newWheelDigits()

func newWheelDigits() (all [Wheels][1 << gathered]int32) {
	all[midWheel] = byGathered([holes]int32{1, 3, 9, 27, 81, 243})
	for _, turn := range symmetries()[:6] {
		wheel := imageOfWheel(turn, 0)
		var worth [holes]int32
		for i, point := range wheelPoints[0] {
			worth[slices.Index(wheelPoints[wheel][:], turn[point])] = power(i)
		}
		all[wheel] = byGathered(worth)
	}
	return all
}

// symmetries returns the twelve ways to put the board on itself, as the image of each point: the rotations first, then
// their mirror images.
func symmetries() [][Points + 1]int {
	all := make([][Points + 1]int, 12)
	type axial struct{ q, r int } // coordinates along two of the three directions, from the middle
	at, pointAt := map[int]axial{}, map[axial]int{}
	midRow, midCol := WheelPlace(midWheel)
	for p := 1; p <= Points; p++ {
		row, col := PointPlace(p)
		a := axial{(col - midCol - row + midRow) / 2, row - midRow}
		at[p], pointAt[a] = a, p
	}
	for i := range all {
		for p, a := range at {
			if i >= 6 {
				a = axial{a.r, a.q}
			}
			for range i % 6 {
				a = axial{-a.r, a.q + a.r}
			}
			all[i][p] = pointAt[a]
		}
	}
	return all
}

// imageOfWheel returns where a symmetry puts a wheel.
func imageOfWheel(symmetry [Points + 1]int, wheel int) int {
	var want grid
	for _, p := range wheelPoints[wheel] {
		want |= table.bit[symmetry[p]]
	}
	for w := range Wheels {
		if table.wheel(w) == want {
			return w
		}
	}
	panic("flugelrad: a symmetry that breaks a wheel")
}

// A view is the gathered wheels of the side to move and of its enemy.
type view struct{ own, enemy [Wheels]uint8 }

func (n *Search) view() (v view) {
	own, enemy := n.sides[n.turn].balls, n.sides[n.turn.Other()].balls
	for wheel := range Wheels {
		shift := table.shift[wheel] & 63
		v.own[wheel] = uint8(gatherRing(own >> shift & ring))
		v.enemy[wheel] = uint8(gatherRing(enemy >> shift & ring))
	}
	return v
}

// arrangement returns the number of the arrangement of a pattern.
func (v *view) arrangement(p *pattern) int32 {
	a, b := p.wheels[0], p.wheels[1]
	first, second := &p.places[0], &p.places[1]
	return first[v.own[a]&(1<<gathered-1)] + second[v.own[b]&(1<<gathered-1)] +
		2*(first[v.enemy[a]&(1<<gathered-1)]+second[v.enemy[b]&(1<<gathered-1)])
}

// wheel returns the number of what is in a wheel.
func (v *view) wheel(wheel int) int32 {
	return wheelDigits[wheel][v.own[wheel]&(1<<gathered-1)] + 2*wheelDigits[wheel][v.enemy[wheel]&(1<<gathered-1)]
}

// The numbers of several arrangements are worked out at once: a word has a lane of laneBits for each of three patterns, and what a
// wheel adds to each of them comes from a table of such words. An outer wheel is in three patterns, the middle one in six.
const (
	laneBits = 18 // 3^11 < 2^18
	laneMask = 1<<laneBits - 1
)

// lanes are those tables, by gathered wheel. The wheels outside are in the order of their patterns with the middle one.
type lanes struct {
	wheels [Wheels - 1]int                   // which wheel it is
	outer  [Wheels - 1][1 << gathered]uint64 // the lanes: its spoke, the rim whose first wheel it is, the one whose second
	second [Wheels - 1]int                   // of the rim whose first wheel it is: the place of the second one
	middle [2][1 << gathered]uint64          // the lanes: the first three spokes, and the others
}

var lanesOf = newLanes(patterns)

func newLanes(patterns []pattern) *lanes {
	l := new(lanes)
	inner, outer := patterns[:Wheels-1], patterns[Wheels-1:]
	for i := range inner {
		l.wheels[i] = inner[i].wheels[0]
	}
	for i := range inner {
		l.second[i] = slices.Index(l.wheels[:], outer[i].wheels[1])
		for at := range 1 << gathered {
			l.outer[i][at] += uint64(inner[i].places[0][at]) + uint64(outer[i].places[0][at])<<laneBits
			l.outer[l.second[i]][at] += uint64(outer[i].places[1][at]) << (2 * laneBits)
			l.middle[i/3][at] += uint64(inner[i].places[1][at]) << (i % 3 * laneBits)
		}
	}
	return l
}

// lookUp returns what the tables say about the position.
func (n *Search) lookUp() int {
	v, t, l := n.view(), n.tables[:entries], lanesOf
	var outer [Wheels - 1]uint64
	for i, wheel := range l.wheels {
		outer[i] = l.outer[i][v.own[wheel]&(1<<gathered-1)] + 2*l.outer[i][v.enemy[wheel]&(1<<gathered-1)]
	}
	own, enemy := v.own[midWheel]&(1<<gathered-1), v.enemy[midWheel]&(1<<gathered-1)
	middle := [2]uint64{l.middle[0][own] + 2*l.middle[0][enemy], l.middle[1][own] + 2*l.middle[1][enemy]}
	sum := int(t[turnAt])
	for i, word := range outer {
		spoke := word&laneMask + middle[i/3]>>(i%3*laneBits)&laneMask
		rim := word>>laneBits&laneMask + outer[l.second[i]]>>(2*laneBits)
		sum += int(t[spokes+spoke]) + int(t[rims+rim])
	}
	if lock := n.lockedTable(); lock >= 0 {
		sum += int(t[lock+int(v.wheel(int(n.last)))])
	}
	return games.Clamp(sum)
}

// lockedTable returns where the table for the wheel begins that may not be turned; -1 if all may.
func (n *Search) lockedTable() int {
	switch {
	case !n.rules.freshWheel || n.last == noWheel:
		return -1
	case n.last == midWheel:
		return midLock
	default:
		return locks
	}
}

// Base returns 0: everything is learned.
func (n *Search) Base() int { return 0 }

// Features appends the features of the position.
func (n *Search) Features(dst []games.Feature) []games.Feature {
	v := n.view()
	dst = append(dst, games.Feature{Weight: turnAt, Times: 1})
	add := func(first int, index int32) {
		dst = append(dst, games.Feature{Weight: int32(first) + index, Times: 1})
	}
	for i := range patterns {
		add(patterns[i].table, v.arrangement(&patterns[i]))
	}
	for wheel := range Wheels {
		if wheel == midWheel {
			add(middles, v.wheel(wheel))
		} else {
			add(outers, v.wheel(wheel))
		}
	}
	if lock := n.lockedTable(); lock >= 0 {
		add(lock, v.wheel(int(n.last)))
	}
	return dst
}

// learning is how the tables were trained: the recipe of `ludoteca train flugelrad`.
var learning = games.Learning{
	Weights: weights, Tables: entries, Shared: sharing, Fold: fold, OptionSets: []string{"connect=5 chain=1"},
	Rounds: 18, Games: 4500, Nodes: 100, Openings: 8, RandomMoves: 0.05, Lambda: 0.5, Rate: 0.05, Scale: 152,
}

// Learning says what there is to learn.
func (s *State) Learning() *games.Learning { return &learning }

// sharing returns for each weight the weight that it shares its value with: the first among its images under the symmetries of the
// board.
func sharing() []int32 {
	same := make([]int32, weights)
	for i := range same {
		same[i] = int32(i)
	}
	rim := patterns[6]
	for _, s := range symmetries() {
		first, second := imageOfWheel(s, rim.wheels[0]), imageOfWheel(s, rim.wheels[1])
		if first == rim.wheels[0] {
			share(same, spokes, image(s, patterns[0].points[:]))
			share(same, outers, image(s, wheelPoints[0][:]))
			share(same, locks, image(s, wheelPoints[0][:]))
		}
		if first == rim.wheels[1] && second == rim.wheels[0] {
			share(same, rims, image(s, rim.points[:]))
		}
		share(same, middles, image(s, wheelPoints[midWheel][:]))
		share(same, midLock, image(s, wheelPoints[midWheel][:]))
	}
	return same
}

// image returns for each digit of an arrangement of points the digit to which a symmetry moves it.
func image(symmetry [Points + 1]int, points []int) []int {
	to := make([]int, len(points))
	for i, p := range points {
		to[i] = slices.Index(points, symmetry[p])
	}
	return to
}

// share makes the weights of a table, which begins at first, share their values with their images.
func share(same []int32, first int, digits []int) {
	for i := range power(len(digits)) {
		moved, rest := int32(0), i
		for _, to := range digits {
			moved += rest % 3 * power(to)
			rest /= 3
		}
		if at := &same[first+int(i)]; int32(first)+moved < *at {
			*at = int32(first) + moved
		}
	}
}

// fold makes the tables of the weights.
func fold(w []float32) games.Tables {
	t := make(games.Tables, entries)
	for i := range t {
		t[i] = games.TableEntry(w[i])
	}
	spoke := patterns[0].points[:]
	for i := range int32(patternCount) {
		outer, middle := i%wheelStates, int32(0)
		for hole, p := range wheelPoints[midWheel] {
			middle += i / power(slices.Index(spoke, p)) % 3 * power(hole)
		}
		// A wheel outside is in one of these patterns, the middle one is in six.
		t[spokes+i] = games.TableEntry(w[spokes+i] + w[outers+outer] + w[middles+middle]/6)
	}
	return t
}
