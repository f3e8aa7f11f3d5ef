package flugelrad

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// wandered returns a position of a running game after random turns.
func wandered(t *rapid.T, options ...string) *State {
	return gamestest.Wander(t, New(), options, 60, nil).(*State)
}

// TestLookUpIsSumOfFeatures compares the evaluation by tables with the sum of the weights of the features that training knows.
func TestLookUpIsSumOfFeatures(t *testing.T) {
	w, tables := gamestest.RandomTables(1, &learning)
	rapid.Check(t, func(t *rapid.T) {
		n := wandered(t).SearchLearned(tables)
		sum := float64(n.Base())
		for _, f := range n.Features(nil) {
			sum += float64(f.Times) * float64(w[f.Weight])
		}
		// A sixth of the middle wheel's weight goes into each of six entries, which are rounded.
		if got := n.Evaluate(); math.Abs(float64(got)-sum) > 3 {
			t.Fatalf("the tables say %d, the features %.2f", got, sum)
		}
	})
}

// TestSymmetricPositionsAreWorthTheSame compares positions with their images under the symmetries of the board.
func TestSymmetricPositionsAreWorthTheSame(t *testing.T) {
	_, tables := gamestest.RandomTables(2, &learning)
	all := symmetries()
	rapid.Check(t, func(t *rapid.T) {
		s := wandered(t)
		want := s.SearchLearned(tables).Evaluate()
		symmetry := all[rapid.IntRange(0, len(all)-1).Draw(t, "symmetry")]
		image := s.clone()
		for side := range image.sides {
			var balls grid
			for p := 1; p <= Points; p++ {
				if s.sides[side].balls&table.bit[p] != 0 {
					balls |= table.bit[symmetry[p]]
				}
			}
			s.rules.setShape(&image.sides[side], balls)
		}
		if s.last != noWheel {
			image.last = int8(imageOfWheel(symmetry, int(s.last)))
		}
		if got := image.SearchLearned(tables).Evaluate(); got != want {
			t.Fatalf("a position is worth %d, its image %d", want, got)
		}
	})
}

// TestLockedWheelCounts has the tables tell apart which wheel may not be turned, where that is a rule.
func TestLockedWheelCounts(t *testing.T) {
	_, tables := gamestest.RandomTables(3, &learning)
	for _, test := range []struct {
		name, option string
		differ       bool
	}{
		{"one wheel may not be turned", "fresh_wheel=1", true},
		{"all wheels may be turned", "fresh_wheel=0", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, err := games.ParseOptions(New(), []string{test.option})
			if err != nil {
				t.Fatal(err)
			}
			p, err := New().New(o)
			if err != nil {
				t.Fatal(err)
			}
			var values []int
			for _, last := range []int8{noWheel, 0, midWheel} {
				s := p.State().(*State)
				s.last = last
				values = append(values, s.SearchLearned(tables).Evaluate())
			}
			slices.Sort(values)
			if got := len(slices.Compact(values)) == 3; got != test.differ {
				t.Errorf("the values are %v", values)
			}
		})
	}
}
