package status

import (
	"slices"
	"testing"
	"time"
)

func TestRefusals(t *testing.T) {
	var r Refusals
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	if got := r.Recent(at); len(got) != 0 {
		t.Errorf("nothing was refused: %v", got)
	}
	r.Add(at, "sessions")
	r.Add(at.Add(30*time.Minute), "banned")
	r.Add(at.Add(59*time.Minute), "sessions")
	r.Add(at.Add(58*time.Minute), "sessions") // the clock stepped back: it counts as now
	for _, tt := range []struct {
		after time.Duration
		want  []Refusal
	}{
		{59*time.Minute + 30*time.Second, []Refusal{{"banned", 0, 1}, {"sessions", 2, 3}}},
		{61 * time.Minute, []Refusal{{"banned", 0, 1}, {"sessions", 0, 2}}},
		{100 * time.Minute, []Refusal{{"sessions", 0, 2}}},
		{1000 * time.Hour, nil},
	} {
		if got := r.Recent(at.Add(tt.after)); !slices.Equal(got, tt.want) {
			t.Errorf("after %v: %v, want %v", tt.after, got, tt.want)
		}
	}
}
