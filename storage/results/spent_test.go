package results

import (
	"slices"
	"testing"
	"time"

	"ludoteca/games"
)

// TestSpent: a move takes from the one before it, or the start, to its arrival; given moves take nothing, and nothing is known without times.
func TestSpent(t *testing.T) {
	at := func(seconds ...int) (times []time.Time) {
		for _, s := range seconds {
			times = append(times, time.Unix(1_700_000_000+int64(s), 0))
		}
		return times
	}
	for _, tt := range []struct {
		name  string
		start int
		times []time.Time
		want  []time.Duration
	}{
		{"moves", 0, at(2, 2, 9), []time.Duration{2 * time.Second, 0, 7 * time.Second}},
		{"given ones", 2, at(0, 0, 9), []time.Duration{0, 0, 9 * time.Second}},
		{"a clock that was set back", 0, at(2, 1, 9), []time.Duration{2 * time.Second, 0, 8 * time.Second}},
		{"no times", 0, nil, nil},
	} {
		f := Finished{Start: tt.start, Started: at(0)[0], Course: Course{Moves: make([]games.Move, 3), Times: tt.times}}
		if got := f.Spent(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
