package wording

import (
	"strings"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

func TestGuestMatches(t *testing.T) {
	var say Words
	for n, want := range []string{"The guest has finished no match yet that is kept. The code still works.", "The guest's match belongs to ana now.",
		"2 matches of the guest belong to ana now."} {
		if got := say.GuestMatches(n, "ana"); got != want {
			t.Errorf("%d matches: %q, want %q", n, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{
		{-time.Hour, "now"},
		{59 * time.Second, "now"},
		{5 * time.Minute, "5 min"},
		{time.Hour, "1 h"},
		{3*time.Hour + 20*time.Minute, "3 h 20 min"},
		{11*time.Hour + 20*time.Minute, "11 h"},
		{51 * time.Hour, "2 d 3 h"},
		{48 * time.Hour, "2 d"},
		{1000 * time.Hour, "41 d"},
	}
	for _, tt := range tests {
		if got := (Words{}).Span(tt.d); got != tt.want {
			t.Errorf("Span(%v) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestDiscounts(t *testing.T) {
	seats := [2]storage.Occupant{{Name: "ana"}, {Name: "rui"}}
	whole, young := results.RatingChange{Weight: 1}, results.RatingChange{Weight: 0.25, Why: results.NewAccount}
	again := results.RatingChange{Weight: 0.5, Why: results.Repeated}
	none, limit := results.RatingChange{Why: results.Repeated}, results.RatingChange{Why: results.DailyLimit}
	same, unsettled := results.RatingChange{Why: results.SameMoves}, results.RatingChange{Why: results.Unsettled}
	for _, tt := range []struct {
		changes [2]results.RatingChange
		want    string
	}{
		{[2]results.RatingChange{whole, whole}, ""},
		{[2]results.RatingChange{whole, young}, "For rui it counts 1/4: the other account is less than a day old."},
		{[2]results.RatingChange{young, young}, "It counts 1/4: both accounts are less than a day old."},
		{[2]results.RatingChange{again, again}, "It counts 1/2: the two have played this game several times in 24 hours."},
		{[2]results.RatingChange{young, again}, "For ana it counts 1/4: the other account is less than a day old.|" +
			"For rui it counts 1/2: the two have played this game several times in 24 hours."},
		{[2]results.RatingChange{none, none}, "It doesn't count: the two have played this game too often in 24 hours."},
		{[2]results.RatingChange{same, same}, "It doesn't count: the two have played the same moves to the same end before."},
		{[2]results.RatingChange{unsettled, unsettled},
			"It doesn't count: while a rating is provisional, ten matches of the same two players count in 24 hours."},
		{[2]results.RatingChange{limit, limit}, "It doesn't count: no more than 40 rated matches of a player count in 24 hours."},
	} {
		if got := strings.Join(In("en").Discounts(tt.changes, seats), "|"); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.changes, got, tt.want)
		}
	}
}

func TestHintThatWinsAtOnce(t *testing.T) {
	var hint lobby.Hint
	hint.Move, hint.Proven, hint.Plies = "d4", true, 1
	for code, want := range map[string]string{
		"en": "A hint: d4 wins at once.", "pt": "Sugestão: d4 ganha já.", "de": "Tipp: d4 gewinnt sofort.",
	} {
		if got := In(code).Hint(hint); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestLevelMeasure: two levels in the same words differ by their points.
func TestLevelMeasure(t *testing.T) {
	levels := []lobby.Level{
		{ID: "random"},
		{ID: "beginner", Ratings: map[string]int{"flugelrad": 941}},
		{ID: "learner", Ratings: map[string]int{"flugelrad": 1187}, Above: map[string]bool{"flugelrad": true}},
		{ID: "master", Ratings: map[string]int{"flugelrad": 3043}},
	}
	for game, want := range map[string][]string{
		"flugelrad": {"very easy", "easy, 941 points", "easy, over 1187 points", "very strong, 3043 points"},
		"tanks":     {"", "", "", ""},
	} {
		for i := range levels {
			if got := (Words{}).LevelMeasure(levels, i, game); got != want[i] {
				t.Errorf("%s in %s is %q, want %q", levels[i].ID, game, got, want[i])
			}
		}
	}
}

func TestLevelStrength(t *testing.T) {
	levels := []lobby.Level{
		{ID: "random"},
		{ID: "greedy", Ratings: map[string]int{"flugelrad": 156, "momentum": 1040}},
		{ID: "pupil", Ratings: map[string]int{"flugelrad": 1004, "momentum": 1617}},
		{ID: "master", Ratings: map[string]int{"flugelrad": 2833, "momentum": 2691}},
	}
	for game, want := range map[string][]string{
		"flugelrad": {"very easy", "very easy", "easy", "very strong"},
		"momentum":  {"very easy", "easy", "moderate", "very strong"},
		"tanks":     {"", "", "", ""},
	} {
		for i := range levels {
			if got := (Words{}).LevelStrength(levels, i, game); got != want[i] {
				t.Errorf("%s in %s is %q, want %q", levels[i].ID, game, got, want[i])
			}
		}
	}
}
