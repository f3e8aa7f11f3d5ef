package petteia

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// wandered returns a position of a running game after random moves, captures wherever there are some.
func wandered(t *rapid.T) *State {
	options := rapid.SampledFrom([]string{"", "safe_entry=0 captures_to_win=12", "quiet_limit=300 captures_to_win=5"}).Draw(t, "options")
	return gamestest.Wander(t, New(), strings.Fields(options), 80, func(s games.State, drawn games.Code) games.Code {
		if captures, _ := s.(*State).Search().Noisy(nil); len(captures) > 0 {
			return captures[0].Code
		}
		return drawn
	}).(*State)
}

// plainArrangements works the indexes out cell by cell.
func plainArrangements(s *State) (all []int32) {
	digit := func(col, row int) int32 {
		if s.turn == games.Second {
			row = Rows - 1 - row
		}
		cell := only(CellAt(col, row))
		switch {
		case s.men[s.turn].meets(cell):
			return 1
		case s.men[s.turn.Other()].meets(cell):
			return 2
		}
		return 0
	}
	number := func(digits ...int32) (v int32) {
		for i, d := range digits {
			v += d * power(i)
		}
		return v
	}
	for col := range Cols {
		var digits []int32
		for row := range Rows {
			digits = append(digits, digit(col, row))
		}
		all = append(all, colTables+int32(min(col, Cols-1-col))*lineStates+number(digits...))
	}
	for row := range Rows {
		var left, right []int32
		for k := range 8 {
			left, right = append(left, digit(k, row)), append(right, digit(Cols-1-k, row))
		}
		first := rowTables + int32(row)*lineStates
		all = append(all, first+number(left...), first+number(right...))
	}
	for row := range Rows - 2 {
		for col := range Cols - 2 {
			var digits []int32
			for k := range 9 {
				digits = append(digits, digit(col+k/3, row+k%3))
			}
			all = append(all, blockTables+int32(row)*blockStates+number(digits...))
		}
	}
	return append(all, turnAt)
}

// TestArrangements compares the arrangements with those found cell by cell, and the evaluation with the sum of the weights of the
// features that training knows.
func TestArrangements(t *testing.T) {
	w, tables := gamestest.RandomTables(1, &learning)
	rapid.Check(t, func(t *rapid.T) {
		s := wandered(t)
		n := s.SearchLearned(tables)
		sum := float64(n.Base())
		var got []int32
		for _, f := range n.Features(nil) {
			sum += float64(f.Times) * float64(w[f.Weight])
			got = append(got, f.Weight)
		}
		want := plainArrangements(s)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("the features are %v, want %v", got, want)
		}
		if v := n.Evaluate(); v != games.Clamp(int(sum)) {
			t.Fatalf("the position is worth %d, its features %v", v, sum)
		}
	})
}

// TestImagesAreWorthTheSame compares positions with their mirror images, and with those in which the sides are exchanged and the board
// is turned upside down.
func TestImagesAreWorthTheSame(t *testing.T) {
	_, tables := gamestest.RandomTables(2, &learning)
	rapid.Check(t, func(t *rapid.T) {
		s := wandered(t)
		want := s.SearchLearned(tables).Evaluate()
		mirrored, exchanged := s.clone(), s.clone()
		for side := range s.men {
			mirrored.men[side], exchanged.men[1-side] = set{}, set{}
			for _, c := range s.men[side].slice() {
				mirrored.men[side] = mirrored.men[side].with(only(CellAt(Cols-1-c.Col(), c.Row())))
				exchanged.men[1-side] = exchanged.men[1-side].with(only(CellAt(c.Col(), Rows-1-c.Row())))
			}
		}
		exchanged.turn, exchanged.taken = s.turn.Other(), [2]int16{s.taken[1], s.taken[0]}
		if got := mirrored.SearchLearned(tables).Evaluate(); got != want {
			t.Errorf("a position is worth %d, its mirror image %d", want, got)
		}
		if got := exchanged.SearchLearned(tables).Evaluate(); got != want {
			t.Errorf("a position is worth %d, with the sides exchanged %d", want, got)
		}
	})
}
