package momentum

import (
	"testing"

	"ludoteca/games"
)

// TestInsideIsWorthMore moves a marble of the first player from the rim inward: on each of the rings that count it is worth
// more than on the one outside, for the rim is where marbles are pushed off.
func TestInsideIsWorthMore(t *testing.T) {
	for _, words := range []string{"", "size=9 marbles=10", "size=13", "marbles=13", "size=14", "size=26 marbles=26"} {
		before := -games.MaxEvaluation
		for _, cell := range []string{"a1", "b2", "c3", "d4"} {
			p := kit.Play(t, kit.Start(t, words), cell)
			worth := -p.State().(games.Searchable).Search().Evaluate() // the second player is to move
			if worth <= before {
				t.Errorf("%q: a marble on %s is worth %d, further out it was %d", words, cell, worth, before)
			}
			before = worth
		}
	}
}
