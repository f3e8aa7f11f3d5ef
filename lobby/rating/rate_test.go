package rating

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/storage/results"
)

var (
	_   results.Rate = Rate
	day              = 24 * time.Hour
	now              = time.UnixMilli(1_760_000_000_000).UTC()
)

// rate rates a match that counts fully.
func rate(first, second results.Rating, score float64) (newFirst, newSecond results.Rating) {
	c := Rate(results.RatedMatch{Before: [2]results.Rating{first, second}, Score: score, At: now})
	return c[0].After, c[1].After
}

func TestRate(t *testing.T) {
	veteran := results.Rating{Rating: 1800, Deviation: 60, Volatility: 0.06, At: now.Add(-day), Played: 40, Won: 30, Lost: 10}
	away := veteran
	away.At = now.AddDate(-3, 0, 0)
	for _, tt := range []struct {
		name          string
		first, second results.Rating
		score         float64
		up            [2]bool // by seat: the rating rises
	}{
		{"two newcomers, first wins", results.Rating{}, results.Rating{}, 1, [2]bool{true, false}},
		{"two newcomers, second wins", results.Rating{}, results.Rating{}, 0, [2]bool{false, true}},
		{"a newcomer draws with a veteran", results.Rating{}, veteran, 0.5, [2]bool{true, false}},
		{"a newcomer with numbers left over", results.Rating{Rating: 3000, Deviation: 1}, veteran, 0.5, [2]bool{true, false}},
		{"a veteran comes back and wins", away, veteran, 1, [2]bool{true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := rate(tt.first, tt.second, tt.score)
			before := [2]float64{Now(tt.first, now).Rating, Now(tt.second, now).Rating}
			if got := [2]bool{a.Rating > before[0], b.Rating > before[1]}; got != tt.up {
				t.Errorf("%v -> %v, %v", before, a.Rating, b.Rating)
			}
			if a.At != now || b.At != now || a.Played != tt.first.Played || b.Won != tt.second.Won {
				t.Errorf("the rest is wrong: %+v, %+v", a, b)
			}
		})
	}
	back, _ := rate(away, veteran, 1)
	stayed, _ := rate(veteran, veteran, 1)
	if back.Rating-away.Rating <= stayed.Rating-veteran.Rating {
		t.Errorf("three years away make no difference: %v, %v", back.Rating, stayed.Rating)
	}
}

func TestRateTreatsBothAlike(t *testing.T) {
	ratings := rapid.Custom(func(t *rapid.T) results.Rating {
		g := glickos.Draw(t, "numbers")
		r := results.Rating{Rating: g.Rating, Deviation: g.Deviation, Volatility: g.Volatility}
		if !rapid.Bool().Draw(t, "newcomer") {
			r.At = now.Add(-time.Duration(rapid.Int64Range(0, int64(5000*day)).Draw(t, "away")))
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, score := ratings.Draw(t, "a"), ratings.Draw(t, "b"), scores.Draw(t, "score")
		m := results.RatedMatch{
			Before: [2]results.Rating{a, b}, Score: score, At: now, Met: rapid.IntRange(0, 6).Draw(t, "met"),
			Counted: [2]int{rapid.IntRange(38, 40).Draw(t, "of a"), rapid.IntRange(38, 40).Draw(t, "of b")},
			Young:   [2]bool{rapid.Bool().Draw(t, "a is young"), rapid.Bool().Draw(t, "b is young")},
		}
		swapped := m
		swapped.Before, swapped.Score = [2]results.Rating{b, a}, 1-score
		swapped.Counted, swapped.Young = [2]int{m.Counted[1], m.Counted[0]}, [2]bool{m.Young[1], m.Young[0]}
		got, want := Rate(swapped), Rate(m)
		if got[0] != want[1] || got[1] != want[0] {
			t.Errorf("%+v; with seats swapped %+v", want, got)
		}
		if counts := want[0].Weight > 0; counts != (want[1].Weight > 0) || !counts && (want[0].After != a || want[1].After != b) {
			t.Errorf("it counts for one, or changes without counting: %+v", want)
		}
	})
}

func TestNow(t *testing.T) {
	if got := Now(results.Rating{}, now); got != Newcomer() || !got.Provisional() {
		t.Errorf("a newcomer is %+v", got)
	}
	r := results.Rating{Rating: 1600, Deviation: 60, Volatility: 0.06, At: now}
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

func TestWeightOfMatches(t *testing.T) {
	type weighed struct {
		weight float64
		why    results.Discount
	}
	whole, half, none := weighed{1, ""}, weighed{0.5, results.Repeated}, weighed{0, results.Repeated}
	young := weighed{0.25, results.NewAccount}
	firm := results.Rating{Rating: 1500, Deviation: 60, Volatility: 0.06, At: now}
	for _, tt := range []struct {
		name string
		m    results.RatedMatch
		want [2]weighed
	}{
		{"the first of two players", results.RatedMatch{Counted: [2]int{39, 7}}, [2]weighed{whole, whole}},
		{"the second", results.RatedMatch{Met: 1}, [2]weighed{whole, whole}},
		{"the third", results.RatedMatch{Met: 2}, [2]weighed{half, half}},
		{"the fifth", results.RatedMatch{Met: 4}, [2]weighed{{0.125, results.Repeated}, {0.125, results.Repeated}}},
		{"the sixth", results.RatedMatch{Met: 5}, [2]weighed{none, none}},
		{"against a new account", results.RatedMatch{Young: [2]bool{false, true}}, [2]weighed{young, whole}},
		{"two new accounts, for the third time", results.RatedMatch{Met: 2, Young: [2]bool{true, true}}, [2]weighed{young, young}},
		{"a new account for the fifth time", results.RatedMatch{Met: 4, Young: [2]bool{true, false}},
			[2]weighed{{0.125, results.Repeated}, {0.125, results.Repeated}}},
		{"more than a day's matches", results.RatedMatch{Counted: [2]int{0, 40}, Young: [2]bool{true, true}},
			[2]weighed{{0, results.DailyLimit}, {0, results.DailyLimit}}},
		{"the same moves to the same end", results.RatedMatch{Met: 9, Again: true},
			[2]weighed{{0, results.SameMoves}, {0, results.SameMoves}}},
		{"ten of two newcomers in all games", results.RatedMatch{Met: 1, Together: 10, Young: [2]bool{true, false}},
			[2]weighed{{0, results.Unsettled}, {0, results.Unsettled}}},
		{"ten with one newcomer", results.RatedMatch{Together: 10, Before: [2]results.Rating{firm}},
			[2]weighed{{0, results.Unsettled}, {0, results.Unsettled}}},
		{"nine of two newcomers", results.RatedMatch{Together: 9}, [2]weighed{whole, whole}},
		{"ten of two whose ratings are firm", results.RatedMatch{Together: 10, Before: [2]results.Rating{firm, firm}},
			[2]weighed{whole, whole}},
		{"by an earlier version", results.RatedMatch{Met: 9, Counted: [2]int{99, 99}, Young: [2]bool{true, true}, Whole: true},
			[2]weighed{whole, whole}},
	} {
		tt.m.Score, tt.m.At = 1, now
		for i, c := range Rate(tt.m) {
			if got := (weighed{c.Weight, c.Why}); got != tt.want[i] {
				t.Errorf("%s: player %d: %+v, want %+v", tt.name, i+1, got, tt.want[i])
			}
		}
	}
}

// TestNewAccountsKeepRatingsProvisional: results against new accounts never make a rating firm, however many. Results against old ones do.
func TestNewAccountsKeepRatingsProvisional(t *testing.T) {
	for _, young := range []bool{true, false} {
		var farmer results.Rating
		for range 400 {
			farmer = Rate(results.RatedMatch{Before: [2]results.Rating{farmer, {}}, Score: 1, At: now, Young: [2]bool{false, young}})[0].After
		}
		if g := Now(farmer, now); g.Provisional() != young {
			t.Errorf("after 400 wins against accounts that are new: %t, the rating is %+v", young, g)
		}
	}
	firm := results.Rating{Rating: 1500, Deviation: 60, Volatility: 0.06, At: now}
	after := Rate(results.RatedMatch{Before: [2]results.Rating{firm, {}}, Score: 1, At: now, Young: [2]bool{false, true}})[0].After
	if after.Deviation > firm.Deviation || Now(after, now).Provisional() {
		t.Errorf("after a result against a new account a firm rating is %+v, want it to stay firm", after)
	}
}
