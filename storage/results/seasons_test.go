package results

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestSeasonOf(t *testing.T) {
	lisbon := time.FixedZone("", 3600)
	for _, tt := range []struct {
		at   time.Time
		want Season
	}{
		{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), "2026Q1"}, {time.Date(2026, 3, 31, 23, 59, 59, 0, time.UTC), "2026Q1"},
		{time.Date(2026, 4, 1, 0, 30, 0, 0, lisbon), "2026Q1"}, {time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), "2026Q2"},
		{time.Date(2026, 9, 30, 0, 0, 0, 0, time.UTC), "2026Q3"}, {time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), "2026Q4"},
	} {
		got := SeasonOf(tt.at)
		if got != tt.want {
			t.Errorf("%v is in %s, want %s", tt.at, got, tt.want)
		}
		if s, ok := ParseSeason(string(got)); !ok || s.Begins().After(tt.at) || !s.Ends().After(tt.at) || SeasonOf(s.Begins()) != got || SeasonOf(s.Ends()).Before() != got {
			t.Errorf("%s begins %v and ends %v, %v", got, s.Begins(), s.Ends(), ok)
		}
	}
	for _, text := range []string{"", "2026", "2026Q0", "2026Q5", "2026q1", "0000Q1", "+026Q1", "20261Q1", "2026Q11", "x026Q1"} {
		if s, ok := ParseSeason(text); ok {
			t.Errorf("%q is the season %s", text, s)
		}
	}
}

// TestSeasonInAnyOrder: what is kept of a season is the same in whatever order changes are taken in, and however often.
func TestSeasonInAnyOrder(t *testing.T) {
	var changes []RatingChange
	now := Rating{Rating: 1500, Deviation: 200, Played: 3, Won: 1, Lost: 2}
	for i := range 12 {
		c := RatingChange{Before: now, Weight: 1}
		now.Played++
		if now.Won++; i%3 == 0 {
			now.Won--
			now.Lost++
		}
		now.Rating += float64(i*37%100 - 50)
		now.Deviation -= 15
		c.After = now
		changes = append(changes, c)
	}
	var want SeasonRecord
	for _, c := range changes {
		want = want.with(c)
	}
	if played, won, drawn, lost := want.Counted(); played != 12 || won != 8 || drawn != 0 || lost != 4 || want.Rating != now.Rating || want.Best == 0 {
		t.Errorf("in order: %+v", want)
	}
	for range 50 {
		var got SeasonRecord
		for _, i := range append(rand.Perm(len(changes)), rand.Perm(len(changes))[:5]...) {
			got = got.with(changes[i])
		}
		if got != want {
			t.Fatalf("in another order: %+v, want %+v", got, want)
		}
	}
}
