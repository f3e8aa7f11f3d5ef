package rating

import (
	"testing"
	"time"

	"ludoteca/storage/results"
)

// TestDependentOpponents: a result counts an eighth if the opponent may be the same person: of one block, or with nearly all losses to the player.
func TestDependentOpponents(t *testing.T) {
	for _, tt := range []struct {
		opponent results.Opponent
		want     results.Discount
	}{
		{results.Opponent{}, ""},
		{results.Opponent{Lost: 1, LostTo: 1}, ""},
		{results.Opponent{Lost: 2, LostTo: 2}, results.Dependent},
		{results.Opponent{Lost: 4, LostTo: 3}, results.Dependent},
		{results.Opponent{Lost: 4, LostTo: 2}, ""},
		{results.Opponent{SameBlock: true}, results.Dependent},
	} {
		weight := 1.0
		if tt.want != "" {
			weight = 1.0 / 8
		}
		m := results.RatedMatch{Score: 1, At: time.UnixMilli(1_760_000_000_000), Known: &[2]results.Opponent{tt.opponent, {}}}
		if got := Rate(m); got[0].Weight != weight || got[0].Why != tt.want || got[1].Weight != 1 {
			t.Errorf("%+v: %v %q, and %v for the opponent; want %v %q and 1", tt.opponent, got[0].Weight, got[0].Why, got[1].Weight, weight, tt.want)
		}
	}
}
