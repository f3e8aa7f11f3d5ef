package games_test

import (
	"testing"

	"ludoteca/games"
)

// TestFill: options stand in sentences with the word that goes with their value, in the plural forms of a language.
func TestFill(t *testing.T) {
	polish := func(n int) int {
		switch {
		case n == 1:
			return 0
		case n < 5:
			return 1
		}
		return 2
	}
	for _, tt := range []struct {
		value                             int
		sentence, want, inPolish, wantPol string
	}{
		{1, "{goal|goal|goals} of {all}", "1 goal of 9", "{goal|gol|gole|goli} z {all}", "1 gol z 9"},
		{2, "{goal|goal|goals} of {all}", "2 goals of 9", "{all}: {goal|gol|gole|goli}", "9: 2 gole"},
		{7, "{goal|goal|goals}", "7 goals", "{goal|gol|gole|goli}", "7 goli"},
		{7, "{goal|goal|goals}", "7 goals", "{goal|goal|goals}", "7 goals"}, // it has no translation
		{0, "no option", "no option", "{goal", "0"},
	} {
		o := games.Options{"goal": tt.value, "all": 9}
		if got := o.Fill(tt.sentence); got != tt.want {
			t.Errorf("%q with %d: %q, want %q", tt.sentence, tt.value, got, tt.want)
		}
		if got := o.FillForms(tt.inPolish, polish); got != tt.wantPol {
			t.Errorf("%q with %d: %q, want %q", tt.inPolish, tt.value, got, tt.wantPol)
		}
	}
}
