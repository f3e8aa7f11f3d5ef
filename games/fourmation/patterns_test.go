package fourmation

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// drawMoves draws a board and the moves of a running game on it. It prefers moves that keep the game running as long as possible.
func drawMoves(t *rapid.T) (cols, rows int, moves []games.Code) {
	cols, rows = rapid.IntRange(3, maxSide).Draw(t, "cols"), rapid.IntRange(4, maxSide).Draw(t, "rows")
	s := start(cols, rows, 4)
	for range rapid.IntRange(0, 60).Draw(t, "moves") {
		all := s.Moves(nil)
		first := rapid.IntRange(0, len(all)-1).Draw(t, "move")
		for i := range all { // the first that doesn't end the game
			c := all[(first+i)%len(all)]
			if s.Play(c); s.Running() {
				moves = append(moves, c)
				break
			}
			s.Undo()
		}
		if len(s.past) != len(moves) {
			break
		}
	}
	return cols, rows, moves
}

// played returns the position after the moves.
func played(cols, rows int, moves []games.Code) *State {
	s := start(cols, rows, 4)
	for _, c := range moves {
		s.Play(c)
	}
	return s
}

// plainFeatures finds the features cell by cell, playing the moves that it speaks about.
func plainFeatures(s *State) (all []int32) {
	if s.cell == none {
		return nil
	}
	digit := func(col, row int) (mine, theirs int32) {
		if !s.contains(col, row) {
			return 1, 1
		}
		side, held := s.at(col, row)
		switch {
		case !held:
			return 0, 0
		case side == s.turn:
			return 1, 0
		}
		return 0, 1
	}
	type place struct{ col, row int }
	near := func(p place) (cells []place) { // free neighbours
		for i := range 9 {
			q := place{p.col + i%3 - 1, p.row + i/3 - 1}
			if mine, theirs := digit(q.col, q.row); i != 4 && mine+theirs == 0 {
				cells = append(cells, q)
			}
		}
		return cells
	}
	closes := func(p place, side games.Side) bool {
		if _, held := s.at(p.col, p.row); held {
			return false
		}
		l := s.clone()
		l.turn, l.Ending = side, games.Ending{}
		l.Play(games.Code(at(p.col, p.row)))
		return l.Reason == byLine
	}
	last := place{cell(s.cell).col(), cell(s.cell).row()}

	var ring, shift int32
	for i := range 9 {
		if i != 4 {
			mine, theirs := digit(last.col+i%3-1, last.row+i/3-1)
			ring |= mine<<shift | theirs<<(shift+8)
			shift++
		}
	}
	moves := near(last)
	all = append(all, ringsAt+ring, int32(legalAt+len(moves)))
	for _, m := range moves {
		for axis, step := range steps {
			number := int32(0)
			for i, k := range []int{-3, -2, -1, 1, 2, 3} {
				mine, theirs := digit(m.col+k*step.col, m.row+k*step.row)
				number |= mine<<i | theirs<<(i+6)
			}
			all = append(all, int32(linesAt+axis/2*lineStates)+number)
		}
	}
	for row := range int(s.rows) {
		for col := range int(s.cols) {
			p := place{col, row}
			own, enemy := closes(p, s.turn), closes(p, s.turn.Other())
			if !own && !enemy {
				continue
			}
			kind := 2
			if !enemy {
				kind = 0
			} else if !own {
				kind = 1
			}
			steps := min(max(col-last.col, last.col-col, row-last.row, last.row-row), far)
			all = append(all, int32(closingAt+(kind*9+len(near(p)))*far+steps-1))
		}
	}
	exits, fewest, wide := 0, deadEnd, 0
	for _, m := range moves {
		next := near(m)
		if slices.ContainsFunc(next, func(p place) bool { return closes(p, s.turn.Other()) }) {
			continue
		}
		exits++
		replies := 0
		for _, p := range next {
			if !slices.ContainsFunc(near(p), func(p place) bool { return closes(p, s.turn) }) {
				replies++
			}
		}
		if len(next) == 0 {
			replies = deadEnd
		}
		if fewest = min(fewest, replies); replies >= 3 {
			wide++
		}
	}
	return append(all, int32(exitsAt+(exits*10+fewest)*9+wide))
}

// TestPatterns compares the features with those found cell by cell, and the evaluation with the sum of their weights, both in a
// position that was set up and in one that was played to, with more moves made and taken back.
func TestPatterns(t *testing.T) {
	w, tables := gamestest.RandomTables(1, &learning)
	rapid.Check(t, func(t *rapid.T) {
		cols, rows, moves := drawMoves(t)
		s := played(cols, rows, moves)
		made := start(cols, rows, 4).SearchLearned(tables)
		for i, c := range moves {
			made.Play(c)
			if i%3 == 0 {
				more := made.Moves(nil)
				made.Play(more[len(more)/2].Code)
				made.Undo()
			}
		}
		want := plainFeatures(s)
		slices.Sort(want)
		for name, n := range map[string]games.Learner{"set up": s.SearchLearned(tables), "played": made} {
			sum := float64(n.Base())
			var got []int32
			for _, f := range n.Features(nil) {
				sum += float64(f.Times) * float64(w[f.Weight])
				got = append(got, f.Weight)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: the features are %v, want %v", name, got, want)
			}
			if v := n.Evaluate(); v != games.Clamp(int(sum)) {
				t.Fatalf("%s: the position is worth %d, its features %v", name, v, sum)
			}
		}
		for range moves {
			made.Undo()
		}
		if n := len(made.Features(nil)); n != 0 {
			t.Errorf("the empty board has %d features", n)
		}
	})
}

// TestImagesAreWorthTheSame compares positions with their images by the eight symmetries of a board.
func TestImagesAreWorthTheSame(t *testing.T) {
	_, tables := gamestest.RandomTables(2, &learning)
	rapid.Check(t, func(t *rapid.T) {
		cols, rows, moves := drawMoves(t)
		want := played(cols, rows, moves).SearchLearned(tables).Evaluate()
		for image := range 8 {
			w, h := cols, rows
			if image&4 != 0 {
				w, h = rows, cols
			}
			s := start(w, h, 4)
			for _, c := range moves {
				col, row := cell(c).col(), cell(c).row()
				if image&1 != 0 {
					col = cols - 1 - col
				}
				if image&2 != 0 {
					row = rows - 1 - row
				}
				if image&4 != 0 {
					col, row = row, col
				}
				s.Play(games.Code(at(col, row)))
			}
			if got := s.SearchLearned(tables).Evaluate(); got != want {
				t.Errorf("a position is worth %d, its image %d %d", want, image, got)
			}
		}
	})
}

// TestOtherLinesAreEvaluatedByHand asks for boards where other lengths win.
func TestOtherLinesAreEvaluatedByHand(t *testing.T) {
	_, tables := gamestest.RandomTables(3, &learning)
	for _, win := range []int{3, 5} {
		r := games.NewRandom(4)
		for range 20 {
			s, running := wander(9, 8, win, 6, r)
			if !running {
				continue
			}
			n := s.SearchLearned(tables)
			if len(n.Features(nil)) != 0 || n.Evaluate() != s.SearchWith(games.ValuesOf(s.Weights())).Evaluate() {
				t.Fatalf("%d in a line: %d features, worth %d", win, len(n.Features(nil)), n.Evaluate())
			}
		}
	}
}
