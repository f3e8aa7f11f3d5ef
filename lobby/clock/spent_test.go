package clock

import (
	"slices"
	"testing"
	"time"
)

// TestSpent compares with the clock itself: moves that take some time leave what Spent reads the same time from.
func TestSpent(t *testing.T) {
	const unknown = -1
	for _, tt := range []struct {
		name    string
		setting Setting
		took    []time.Duration
		hidden  []int // whose times are not known
		want    []time.Duration
	}{
		{"first moves are free", NewFischer(5, 3), []time.Duration{9 * time.Second, 7 * time.Second, 4 * time.Second, 10 * time.Second, time.Second}, nil,
			[]time.Duration{0, 0, 4 * time.Second, 10 * time.Second, time.Second}},
		{"days", NewCorrespondence(3), []time.Duration{time.Hour, time.Hour, Day, 2 * time.Hour}, nil, []time.Duration{0, 0, Day, 2 * time.Hour}},
		{"an unknown time", NewFischer(5, 3), []time.Duration{0, 0, 4 * time.Second, 5 * time.Second, 6 * time.Second, 7 * time.Second, 8 * time.Second}, []int{2},
			[]time.Duration{0, 0, 0, 5 * time.Second, 0, 7 * time.Second, 8 * time.Second}},
		{"an unknown time, days", NewCorrespondence(3), []time.Duration{0, 0, Day, time.Hour, 2 * time.Hour}, []int{2}, []time.Duration{0, 0, 0, time.Hour, 2 * time.Hour}},
		{"no clock", Setting{}, []time.Duration{0, 0, time.Second}, nil, []time.Duration{0, 0, 0}},
		{"no moves", NewFischer(5, 3), nil, nil, nil},
	} {
		at := start
		c := New(tt.setting).Start(at, 0)
		var movers []int
		var left []time.Duration
		for i, took := range tt.took {
			at = at.Add(took)
			next, ok := c.Move(at, 0, (i+1)%2)
			if !ok {
				t.Fatalf("%s: move %d is too late", tt.name, i)
			}
			movers, left = append(movers, i%2), append(left, c.LeftAfter(next, at))
			c = next
		}
		for _, i := range tt.hidden {
			left[i] = unknown
		}
		if got := tt.setting.Spent(movers, left); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	// More time than before: the program was down, and both sides gained some.
	more := []time.Duration{5 * time.Minute, 5 * time.Minute, 5*time.Minute + 20*time.Second}
	if got := NewFischer(5, 3).Spent([]int{0, 1, 0}, more); !slices.Equal(got, make([]time.Duration, 3)) {
		t.Errorf("with time gained: %v", got)
	}
}
