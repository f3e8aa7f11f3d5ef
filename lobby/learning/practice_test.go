package learning

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// levelsOf returns the computer players of all games with what they were measured at, the weakest first.
func levelsOf(all []games.Game) (levels []thinking.Level) {
	for _, g := range all {
		for _, l := range bot.Levels(g) {
			i := slices.IndexFunc(levels, func(known thinking.Level) bool { return known.ID == l.ID })
			if i < 0 {
				i = len(levels)
				levels = append(levels, thinking.Level{ID: l.ID, Name: l.Name, Ratings: map[string]int{}})
			}
			if l.Rating != 0 {
				levels[i].Ratings[g.About().ID] = l.Rating
			}
		}
	}
	return levels
}

// A careers is what 500 careers of one strength come to.
type careers struct {
	off    float64 // the mean error of the rating
	within float64 // the share of careers whose rating is within 100 points
	fits   float64 // the share against whose proposed level the expected score is from 30 to 70 %
}

// simulate has players of a strength play 20 matches, each against the level that is proposed.
func simulate(r *rand.Rand, s *rating.Strengths, ladder []measured, strength float64, n int) (c careers) {
	for range n {
		var last []results.PracticeResult
		level := ladder[first(ladder)]
		var rated rating.Estimate
		for range 20 {
			score := 0.0
			if r.Float64() < rating.Chance(strength, float64(level.rating)) {
				score = 1
			}
			last = append(last, results.PracticeResult{Rating: level.rating, Score: score})
			rated = s.After(last)
			level = nearestLevel(ladder, rated.Rating)
		}
		off := rated.Rating - strength
		c.off += off / float64(n)
		if math.Abs(off) <= 100 {
			c.within += 1 / float64(n)
		}
		if e := rating.Chance(strength, float64(level.rating)); e >= 0.3 && e <= 0.7 {
			c.fits += 1 / float64(n)
		}
	}
	return c
}

// TestCareers is what the practice rating promises: ten strengths on the scale of each game, 500 careers each, of 20 matches against the level that
// the club proposes. Three quarters are within 100 points then, and four fifths have a level that fits. Without draws a match tells the least, so
// there are none: with a chance of a half each time and no search for it, 80 % would be within 100 points.
func TestCareers(t *testing.T) {
	n, slack := 500, 0.0
	if testing.Short() {
		n, slack = 20, 0.1
	}
	s := NewPractice(PracticeConfig{Levels: levelsOf(catalog.All())})
	r := rand.New(rand.NewPCG(1, 2))
	for _, g := range catalog.All() {
		game := g.About().ID
		ladder := s.ladder(game)
		low, high := float64(ladder[1].rating), float64(ladder[len(ladder)-1].rating)
		possible := rating.NewStrengths(prior(ladder))
		var within, fits float64
		for i := range 10 {
			strength := low + (high-low)*(float64(i)+0.5)/10
			c := simulate(r, possible, ladder, strength, n)
			t.Logf("%-10s strength %.0f: off by %.0f, %.1f %% within 100, %.1f %% fit", game, strength, c.off, 100*c.within, 100*c.fits)
			if math.Abs(c.off) > 25 && !testing.Short() {
				t.Errorf("%s: a strength of %.0f is off by %.1f on average", game, strength, c.off)
			}
			within, fits = within+c.within/10, fits+c.fits/10
		}
		t.Logf("%-10s %.1f %% within 100, %.1f %% fit", game, 100*within, 100*fits)
		if within < 0.75-slack {
			t.Errorf("%s: %.1f %% are within 100 points", game, 100*within)
		}
		if fits < 0.8-slack {
			t.Errorf("%s: the proposed level fits %.1f %%", game, 100*fits)
		}
	}
}

// practised is a PracticeStore that holds what a test puts there.
type practised map[storage.PlayerID]map[string]results.Practice

func (p practised) Practice(_ context.Context, ids ...storage.PlayerID) (map[string]results.Practice, error) {
	return p[ids[len(ids)-1]], nil
}

// TestWhichMatchesCount: a match counts by all that is said of it.
func TestWhichMatchesCount(t *testing.T) {
	tanks, _ := catalog.Find("tanks")
	levels := append(levelsOf(catalog.All()), thinking.Level{ID: "coach", Ratings: map[string]int{}})
	s := NewPractice(PracticeConfig{Store: practised{}, Restrictions: people{}, Games: catalog.All(), Levels: levels, Now: time.Now})
	usual, err := games.Complete(tanks, nil)
	if err != nil {
		t.Fatal(err)
	}
	ann := storage.Occupant{Kind: storage.Person, ID: "p4"}
	club, coach := storage.Occupant{Kind: storage.Bot, ID: "club"}, storage.Occupant{Kind: storage.Bot, ID: "coach"}
	base := results.Finished{Game: "tanks", Options: usual, First: ann, Second: club, Result: "first", Reason: "goal"}
	for _, tt := range []struct {
		name   string
		change func(*results.Finished)
		score  float64 // -1: it doesn't count
	}{
		{"won", func(*results.Finished) {}, 1},
		{"lost", func(f *results.Finished) { f.Result = "second" }, 0},
		{"drawn", func(f *results.Finished) { f.Result = "draw" }, 0.5},
		{"won as the second side", func(f *results.Finished) { f.First, f.Second, f.Result = club, ann, "second" }, 1},
		{"lost as the second side", func(f *results.Finished) { f.First, f.Second = club, ann }, 0},
		{"with a clock", func(f *results.Finished) { f.Clock = "5+3" }, 1},
		{"resigned", func(f *results.Finished) { f.Result, f.Reason = "second", "resigned" }, 0},
		{"void", func(f *results.Finished) { f.Result = "" }, -1},
		{"ended by an operator", func(f *results.Finished) { f.Reason = "adjudicated" }, -1},
		{"with a hint", func(f *results.Finished) { f.Helped.Hints = 1 }, -1},
		{"with a takeback", func(f *results.Finished) { f.Helped.Takebacks = 1 }, -1},
		{"from given moves", func(f *results.Finished) { f.Start = 2 }, -1},
		{"from a position", func(f *results.Finished) { f.From = "x" }, -1},
		{"a smaller board", func(f *results.Finished) { f.Options = games.Options{"size": 6} }, -1},
		{"a guest", func(f *results.Finished) { f.First.Kind = storage.Guest }, -1},
		{"a person", func(f *results.Finished) { f.Second = storage.Occupant{Kind: storage.Person, ID: "p1"} }, -1},
		{"two computers", func(f *results.Finished) { f.First = club }, -1},
		{"a level that was not measured", func(f *results.Finished) { f.Second = coach }, -1},
		{"no level", func(f *results.Finished) { f.Second.ID = "nobody" }, -1},
	} {
		f := base
		tt.change(&f)
		m := s.Match(f)
		switch {
		case (m != nil) != (tt.score >= 0):
			t.Errorf("%s: it counts as %+v", tt.name, m)
		case m != nil && (m.Score != tt.score || m.Player != "p4" || m.Level != "club" || m.Rating != 2113 && m.Rating <= 0 || m.Prior.Deviation < leastSpread):
			t.Errorf("%s: it counts as %+v, want a score of %v", tt.name, m, tt.score)
		}
	}
}

// TestStanding: a rating follows from the results, goes up with a win and down with a loss, and its deviation grows while the player is away. The
// change that a match made is there as long as all that it followed from.
func TestStanding(t *testing.T) {
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	p := results.Practice{Prior: results.PracticePrior{Rating: 1000, Deviation: 500}}
	for i := range 40 {
		r := results.PracticeResult{Match: storage.MatchID(fmt.Sprint("m", i)), Level: "club", Rating: 1100, Score: float64(i % 2), Ended: now.Add(time.Duration(i-40) * time.Hour).UnixMilli()}
		p.Last = append(p.Last, r)
		p.Played++
	}
	s := NewPractice(PracticeConfig{Store: practised{"p4": {"tanks": p}}, Restrictions: people{}, Levels: levelsOf(catalog.All()), Now: func() time.Time { return now }})
	all, err := s.Standings(t.Context(), person("p4"))
	standing := all["tanks"]
	if err != nil || standing.Played != 40 || len(standing.Points) != 40 || math.Abs(standing.Rating-1100) > 30 || standing.Deviation > 100 {
		t.Fatalf("%+v, %v", standing, err)
	}
	if first := standing.Points[0]; first.Before != 1000 || first.After >= 1000 || !first.First || standing.Points[1].First {
		t.Errorf("after the first loss: %+v", first)
	}
	for i, point := range standing.Points {
		if up := point.After > point.Before; i < rating.PracticeWindow && up != (point.Score == 1) {
			t.Errorf("match %d: %+v", i, point)
		}
		if i > 0 && point.Before != standing.Points[i-1].After {
			t.Errorf("match %d goes on from %+v: %+v", i, standing.Points[i-1], point)
		}
	}
	change, ok, err := s.Change(t.Context(), person("p4"), "tanks", "m7")
	if err != nil || !ok || change != standing.Points[7] {
		t.Errorf("match 7: %+v, %v, %v", change, ok, err)
	}
	if _, ok, _ := s.Change(t.Context(), person("p4"), "tanks", "m99"); ok {
		t.Error("a match that did not count has changed something")
	}
	if all, err := s.Standings(t.Context(), match.User{Kind: storage.Guest, ID: "g1"}); len(all) > 0 || err != nil {
		t.Errorf("a guest has %v, %v", all, err)
	}
	forgetful := p
	forgetful.Played += 10
	late := standingOf(forgetful, now.AddDate(1, 0, 0))
	if len(late.Points) != 40-rating.PracticeWindow || late.Points[0] != standing.Points[rating.PracticeWindow] || late.Deviation <= standing.Deviation {
		t.Errorf("a year later: %d points, deviation %v after %v", len(late.Points), late.Deviation, standing.Deviation)
	}
}

// TestProposed: a player without a rating is proposed the first level, others the one that is nearest, and one is told how likely a win is.
func TestProposed(t *testing.T) {
	levels := []thinking.Level{
		{ID: "random", Ratings: map[string]int{}}, {ID: "greedy", Ratings: map[string]int{"tanks": 500, "petteia": 300}}, {ID: "pupil", Ratings: map[string]int{"tanks": 900}},
		{ID: "club", Ratings: map[string]int{"tanks": 1200}},
	}
	s := NewPractice(PracticeConfig{Levels: levels})
	rated := func(r float64) PracticeStandings {
		return PracticeStandings{"tanks": {Estimate: rating.Estimate{Rating: r, Deviation: 80}}}
	}
	for _, tt := range []struct {
		all  PracticeStandings
		game string
		want string
	}{
		{nil, "tanks", "pupil"}, {nil, "petteia", "greedy"}, {nil, "momentum", ""}, {rated(-200), "tanks", "random"}, {rated(260), "tanks", "greedy"},
		{rated(1040), "tanks", "pupil"}, {rated(1060), "tanks", "club"}, {rated(3000), "tanks", "club"}, {rated(3000), "petteia", "greedy"},
	} {
		if got, ok := s.Proposed(tt.all, tt.game); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%v in %s: %q, %v, want %q", tt.all, tt.game, got, ok, tt.want)
		}
	}
	for level, want := range map[string]float64{"club": 0.5, "pupil": 0.849, "random": 0.999} {
		if got, known := s.Chance(rated(1200), "tanks", level); !known || math.Abs(got-want) > 0.001 {
			t.Errorf("against %s: %v, %v", level, got, known)
		}
	}
	for _, tt := range []struct{ game, level string }{{"petteia", "greedy"}, {"tanks", "master"}, {"momentum", "club"}} {
		if got, known := s.Chance(rated(1200), tt.game, tt.level); known {
			t.Errorf("against %s in %s: %v", tt.level, tt.game, got)
		}
	}
}
