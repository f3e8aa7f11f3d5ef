package rating

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/storage"
)

var (
	_   storage.Rate = Rate
	day              = 24 * time.Hour
	now              = time.UnixMilli(1_760_000_000_000).UTC()
)

func TestRate(t *testing.T) {
	veteran := storage.Rating{Rating: 1800, Deviation: 60, Volatility: 0.06, At: now.Add(-day), Played: 40, Won: 30, Lost: 10}
	away := veteran
	away.At = now.AddDate(-3, 0, 0)
	for _, tt := range []struct {
		name          string
		first, second storage.Rating
		score         float64
		up            [2]bool // whose rating rises
	}{
		{"two newcomers, first wins", storage.Rating{}, storage.Rating{}, 1, [2]bool{true, false}},
		{"two newcomers, second wins", storage.Rating{}, storage.Rating{}, 0, [2]bool{false, true}},
		{"a newcomer draws with a veteran", storage.Rating{}, veteran, 0.5, [2]bool{true, false}},
		{"a newcomer with numbers left over", storage.Rating{Rating: 3000, Deviation: 1}, veteran, 0.5, [2]bool{true, false}},
		{"a veteran comes back and wins", away, veteran, 1, [2]bool{true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := Rate(tt.first, tt.second, tt.score, now)
			before := [2]float64{Now(tt.first, now).Rating, Now(tt.second, now).Rating}
			if got := [2]bool{a.Rating > before[0], b.Rating > before[1]}; got != tt.up {
				t.Errorf("%v -> %v, %v", before, a.Rating, b.Rating)
			}
			if a.At != now || b.At != now || a.Played != tt.first.Played || b.Won != tt.second.Won {
				t.Errorf("the rest is wrong: %+v, %+v", a, b)
			}
		})
	}
	back, _ := Rate(away, veteran, 1, now)
	stayed, _ := Rate(veteran, veteran, 1, now)
	if back.Rating-away.Rating <= stayed.Rating-veteran.Rating {
		t.Errorf("three years away make no difference: %v, %v", back.Rating, stayed.Rating)
	}
}

func TestRateTreatsBothAlike(t *testing.T) {
	ratings := rapid.Custom(func(t *rapid.T) storage.Rating {
		g := glickos.Draw(t, "numbers")
		r := storage.Rating{Rating: g.Rating, Deviation: g.Deviation, Volatility: g.Volatility}
		if !rapid.Bool().Draw(t, "newcomer") {
			r.At = now.Add(-time.Duration(rapid.Int64Range(0, int64(5000*day)).Draw(t, "away")))
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, score := ratings.Draw(t, "a"), ratings.Draw(t, "b"), scores.Draw(t, "score")
		newA, newB := Rate(a, b, score, now)
		gotB, gotA := Rate(b, a, 1-score, now)
		if newA != gotA || newB != gotB {
			t.Errorf("%+v, %+v; with seats swapped %+v, %+v", newA, newB, gotA, gotB)
		}
	})
}

func TestNow(t *testing.T) {
	if got := Now(storage.Rating{}, now); got != Newcomer() || !got.Provisional() {
		t.Errorf("a newcomer is %+v", got)
	}
	r := storage.Rating{Rating: 1600, Deviation: 60, Volatility: 0.06, At: now}
	for _, tt := range []struct {
		name        string
		at          time.Time
		deviation   float64
		provisional bool
	}{
		{"at once", now, 60, false},
		{"before the last match", now.Add(-day), 60, false},
		{"after half a year", now.Add(182 * day), 88, false},
		{"after 400 days", now.Add(400 * day), 114, true},
	} {
		got := Now(r, tt.at)
		if math.Abs(got.Deviation-tt.deviation) > 1 || got.Provisional() != tt.provisional || got.Rating != 1600 {
			t.Errorf("%s: %+v, provisional: %t", tt.name, got, got.Provisional())
		}
	}
	if (Glicko{1500, ProvisionalAbove, 0.06}).Provisional() {
		t.Error("a deviation of 110 is provisional, only more should be")
	}
}
