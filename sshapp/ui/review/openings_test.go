package review

import (
	"testing"

	"ludoteca/storage/results"
)

// TestOpenings: beside a position to which other matches came, the review says how most of them went on; not in a variation.
func TestOpenings(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.ready()
		all := l.App.Top().(reviewScreen).openings.all
		if len(all) != 8 || all[1].Here.Matches() != 1 || len(all[7].Next) != 0 {
			t.Errorf("of a rated match of 7 moves the openings are %+v", all)
		}
		l.Keys("home")
		l.Misses("came here") // it is the only match
		l.Answer(openingsMsg{
			{Here: results.OpeningCount{First: 7, Draw: 1, Second: 4}, Next: []results.OpeningMove{{Move: "a1", OpeningCount: results.OpeningCount{First: 5, Draw: 1, Second: 2}}, {Move: "d4"}}},
			{Here: results.OpeningCount{First: 5, Draw: 1, Second: 2}, Next: []results.OpeningMove{{Move: "b2", OpeningCount: results.OpeningCount{First: 5, Draw: 1, Second: 2}}}},
			{Here: results.OpeningCount{First: 2}},
		})
		l.Sees("12 matches came here; a1 scored 69%")
		l.Keys("right")
		l.Sees("8 matches came here; b2 scored 31%")
		l.Keys("right")
		l.Sees("2 matches came here")
		l.Keys("right")
		l.Misses("came here")
		l.Keys("home", "a", "a1")
		l.Misses("came here")
	})
}
