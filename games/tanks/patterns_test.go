package tanks

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// wandered returns a running game to search, after random moves that it has played.
func wandered(t *rapid.T, tables games.Tables) *Search {
	n := start(learnedSize).SearchLearned(tables).(*Search)
	for range rapid.IntRange(0, 90).Draw(t, "moves") {
		moves := n.State.Moves(nil)
		n.Play(moves[rapid.IntRange(0, len(moves)-1).Draw(t, "move")])
		if n.Result().Over {
			n.Undo()
			break
		}
	}
	return n
}

// TestLookUpIsSumOfFeatures compares the evaluation by tables with the sum of the weights of the features that training
// knows, which are worked out cell by cell.
func TestLookUpIsSumOfFeatures(t *testing.T) {
	w, tables := gamestest.RandomTables(1, &learning)
	rapid.Check(t, func(t *rapid.T) {
		n := wandered(t, tables)
		sum := n.Base()
		for _, f := range n.Features(nil) {
			sum += int(f.Times) * int(w[f.Weight])
		}
		if got := n.Evaluate(); got != games.Clamp(sum) {
			t.Fatalf("the tables say %d, the features %d", got, sum)
		}
	})
}

// TestMovesKeepEvaluation compares the evaluation after moves, passes and taking them back with the evaluation of the same position
// set up anew.
func TestMovesKeepEvaluation(t *testing.T) {
	_, tables := gamestest.RandomTables(2, &learning)
	rapid.Check(t, func(t *rapid.T) {
		n := wandered(t, tables)
		check := func(after string) {
			if got, want := n.Evaluate(), n.SearchLearned(tables).Evaluate(); got != want {
				t.Fatalf("after %s the position is worth %d, set up anew %d", after, got, want)
			}
		}
		check("moves")
		if n.Pass() {
			check("a pass")
			n.Undo()
		}
		for back := rapid.IntRange(0, len(n.past)).Draw(t, "back"); back > 0; back-- {
			n.Undo()
		}
		check("taking moves back")
	})
}

// TestImagesAreWorthTheSame compares positions with their mirror images, and with those in which the sides are exchanged and
// the board is turned upside down.
func TestImagesAreWorthTheSame(t *testing.T) {
	_, tables := gamestest.RandomTables(3, &learning)
	rapid.Check(t, func(t *rapid.T) {
		n := wandered(t, tables)
		mirrored, exchanged := clearBoard(learnedSize, n.turn), clearBoard(learnedSize, n.turn.Other())
		for side := range n.armies {
			for _, piece := range n.armies[side].list() {
				col, row := piece.cell().col(), piece.cell().row()
				mirrored.add(games.Side(side), piece.kind(), at(learnedSize-1-col, row))
				exchanged.add(games.Side(side).Other(), piece.kind(), at(col, learnedSize-1-row))
			}
		}
		mirrored.tidy()
		exchanged.tidy()
		want := n.Evaluate()
		if got := mirrored.SearchLearned(tables).Evaluate(); got != want {
			t.Errorf("a position is worth %d, its mirror image %d", want, got)
		}
		if got := exchanged.SearchLearned(tables).Evaluate(); got != want {
			t.Errorf("a position is worth %d, with the sides exchanged %d", want, got)
		}
	})
}

// TestOtherSizesAreEvaluatedByHand hands tables to boards that have none.
func TestOtherSizesAreEvaluatedByHand(t *testing.T) {
	_, tables := gamestest.RandomTables(4, &learning)
	for size := 6; size <= maxSize; size += 2 {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			n, learned := start(size), size == learnedSize
			n.Play(n.Moves(nil)[0])
			s := n.SearchLearned(tables)
			if byHand := s.Evaluate() == n.SearchWith(games.ValuesOf(n.Weights())).Evaluate(); byHand == learned {
				t.Errorf("evaluated by hand: %v", byHand)
			}
			if got := len(s.Features(nil)) > 0; got != learned {
				t.Errorf("has features: %v", got)
			}
		})
	}
}
