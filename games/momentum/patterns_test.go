package momentum

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// wandered returns a position of a running game after random moves.
func wandered(t *rapid.T, options ...string) *State {
	return gamestest.Wander(t, New(), options, 50, nil).(*State)
}

// plainArrangements works the indexes out cell by cell.
func plainArrangements(s *State) (all []int32) {
	p := &Position{s: s}
	digit := func(col, row int) int32 {
		switch side, held := p.At(col, row); {
		case !held:
			return 0
		case side == s.turn:
			return 1
		}
		return 2
	}
	number := func(digits ...int32) (v int32) {
		for i, d := range digits {
			v += d * power(i)
		}
		return v
	}
	const last = learnedSize - 1
	for i := range learnedSize {
		var row, col []int32
		for k := range learnedSize {
			row, col = append(row, digit(k, i)), append(col, digit(i, last-k))
		}
		first := lineTables + int32(min(i, last-i))*lineStates
		all = append(all, first+number(row...), first+number(col...))
	}
	for row := range blockSpots {
		for col := range blockSpots {
			var digits []int32
			for k := range 9 {
				c, r := col+k%3, row+k/3
				if col > last-2-col {
					c = col + 2 - k%3
				}
				if row > last-2-row {
					r = row + 2 - k/3
				}
				digits = append(digits, digit(c, r))
			}
			spot := int32(min(row, last-2-row)*3 + min(col, last-2-col))
			all = append(all, blockTables+spot*blockStates+number(digits...))
		}
	}
	hand := int32(p.Hand(s.turn)*handStates + p.Hand(s.turn.Other()))
	return append(all, handTable+hand, turnAt)
}

// TestArrangements compares the arrangements with those found cell by cell, and the evaluation with the sum of the weights of the
// features that training knows.
func TestArrangements(t *testing.T) {
	w, tables := gamestest.RandomTables(1, &learning)
	rapid.Check(t, func(t *rapid.T) {
		s := wandered(t, "marbles="+rapid.SampledFrom([]string{"6", "8", "12"}).Draw(t, "marbles"))
		n := s.SearchLearned(tables)
		sum := float64(n.Base())
		var got []int32
		for _, f := range n.Features(nil) {
			sum += float64(f.Times) * float64(w[f.Weight])
			got = append(got, same(f.Weight))
		}
		want := plainArrangements(s)
		for i := range want {
			want[i] = same(want[i])
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("the features are %v, want %v", got, want)
		}
		if v := n.Evaluate(); math.Abs(float64(v)-sum) >= 1 {
			t.Fatalf("the position is worth %d, its features %v", v, sum)
		}
	})
}

var shared = sharing()

// same returns the weight that a weight shares its value with.
func same(weight int32) int32 { return shared[weight] }

// TestImagesAreWorthTheSame compares positions with those in which the board is mirrored or turned, or the sides are exchanged.
func TestImagesAreWorthTheSame(t *testing.T) {
	_, tables := gamestest.RandomTables(2, &learning)
	rapid.Check(t, func(t *rapid.T) {
		s := wandered(t)
		want := s.SearchLearned(tables).Evaluate()
		for image := range 16 {
			m := s.clone()
			m.held, m.second, m.placed = set{}, set{}, [2]int{}
			if image&8 != 0 {
				m.turn = s.turn.Other()
			}
			for _, at := range s.rules.squares {
				if !s.held.has(at) {
					continue
				}
				col, row := at.col(), at.row()
				if image&1 != 0 {
					col = learnedSize - 1 - col
				}
				if image&2 != 0 {
					row = learnedSize - 1 - row
				}
				if image&4 != 0 {
					col, row = row, col
				}
				m.put(squareAt(col, row), s.owner(at)^m.turn^s.turn)
			}
			if got := m.SearchLearned(tables).Evaluate(); got != want {
				t.Errorf("a position is worth %d, image %d of it %d", want, image, got)
			}
		}
	})
}

// TestLargeBoardsAreEvaluatedByHand has tables change nothing on boards that they were not made for.
func TestLargeBoardsAreEvaluatedByHand(t *testing.T) {
	_, tables := gamestest.RandomTables(3, &learning)
	rapid.Check(t, func(t *rapid.T) {
		s := wandered(t, "size="+rapid.SampledFrom([]string{"8", "10", "13"}).Draw(t, "size"))
		n := s.SearchLearned(tables)
		want := s.SearchWith(games.ValuesOf(ownWeights[:])).Evaluate()
		if got := n.Evaluate(); got != want {
			t.Errorf("a position is worth %d, by hand %d", got, want)
		}
		if f := n.Features(nil); len(f) > 0 {
			t.Errorf("there are %d features", len(f))
		}
	})
}
