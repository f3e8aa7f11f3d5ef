package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
)

func ladder(t *testing.T, levels ...string) Ladder {
	t.Helper()
	g, _ := catalog.Find("fourmation")
	return Ladder{Games: []games.Game{g}, Levels: levels, PerStep: 20, Seed: 3, Openings: 2}
}

// rated returns what Rate writes.
func rated(t *testing.T, l Ladder, asJSON bool) string {
	t.Helper()
	var out bytes.Buffer
	if err := Rate(t.Context(), &out, nil, l, asJSON); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestRateLadder compares the ratings with the scores of the meetings that they come from.
func TestRateLadder(t *testing.T) {
	l := ladder(t, "greedy", "learner:500", "pupil:500")
	want := []ratedLevel{{Game: "fourmation", Level: "greedy"}}
	elo, variance := 0.0, 0.0
	for i := 1; i < len(l.Levels); i++ {
		m := meeting(t, "fourmation", games.OptionsOf(l.Games[0]).String(), l.Levels[i], l.Levels[i-1], l.PerStep)
		m.Seed, m.Openings = l.Seed, l.Openings
		full, err := newMatch(m)
		if err != nil {
			t.Fatal(err)
		}
		s, err := full.run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		elo, variance = elo+*s.Elo, variance+sq(*s.Error)
		want = append(want, ratedLevel{"fourmation", l.Levels[i], elo, nil, s.Games, s.Wins, s.Draws, s.Losses, s.Score, false, false})
	}
	var got []ratedLevel
	for dec := json.NewDecoder(strings.NewReader(rated(t, l, true))); dec.More(); {
		var r ratedLevel
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	last := got[len(got)-1]
	if last.Error == nil || math.Abs(*last.Error-math.Sqrt(variance)) > 1e-9 || *got[0].Error != 0 {
		t.Errorf("the error is %v, want %v", last.Error, math.Sqrt(variance))
	}
	for i := range got {
		got[i].Error = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text := rated(t, l, false)
	lines := strings.Split(text, "\n")
	if len(lines) != 6 || lines[0] != "4Mation" || !strings.HasPrefix(lines[2], "greedy                 0      0") ||
		!strings.HasPrefix(lines[4], "pupil:500 ") || len(lines[4]) != len(lines[1]) {
		t.Errorf("for people:\n%s", text)
	}
}

// TestSwept is about levels that make all the points, or none, against the one below.
func TestSwept(t *testing.T) {
	elo, half := 100.0, 30.0
	base := ratedLevel{Level: "a", Rating: 50, Error: &half}
	tests := []struct {
		name   string
		below  ratedLevel
		score  score
		rating float64
		error  bool
		swept  bool
		more   bool
	}{
		{"fair", base, score{Games: 40, Wins: 24, Losses: 16, Score: 0.6, Elo: &elo, Error: &half}, 150, true, false, false},
		{"all points", base, score{Games: 50, Wins: 50, Score: 1}, 50 + eloOf(math.Pow(0.05, 1./50)), false, true, true},
		{"no point", base, score{Games: 50, Losses: 50}, 50 - eloOf(math.Pow(0.05, 1./50)), false, true, false},
		{"all points but a half", base, score{Games: 50, Wins: 49, Draws: 1, Score: 0.99, Elo: &elo, Error: &half}, 50 + eloOf(math.Pow(0.05, 1./50)), false, true, true},
		{"all pairs", base, score{Games: 100, Wins: 100, Pairs: sample{0, 0, 0, 0, 50}, Score: 1}, 50 + eloOf(math.Pow(0.05, 1./50)), false, true, true},
		{"fair above a sweep", ratedLevel{Rating: 500, Swept: true, More: true}, score{Games: 40, Wins: 24, Losses: 16, Score: 0.6, Elo: &elo, Error: &half}, 600, false, true, true},
	}
	for _, tt := range tests {
		got := tt.below.above("b", &tt.score)
		if math.Abs(got.Rating-tt.rating) > 1e-9 || (got.Error != nil) != tt.error || got.Swept != tt.swept || got.More != tt.more || got.Level != "b" {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if strings.Contains(got.text(), "one side made all the points") != tt.swept || strings.Contains(got.text(), " >") != tt.more {
			t.Errorf("%s: %s", tt.name, got.text())
		}
	}
}

// TestRateResume looks for a file for each step, and that they are gone on from.
func TestRateResume(t *testing.T) {
	l := ladder(t, "random", "greedy", "pupil:30")
	want := rated(t, l, false)
	l.Folder = filepath.Join(t.TempDir(), "new", "folder")
	for range 2 {
		if diff := cmp.Diff(want, rated(t, l, false)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, name := range []string{"fourmation-greedy-random.jsonl", "fourmation-pupil_30-greedy.jsonl"} {
			path := filepath.Join(l.Folder, name)
			if n := len(kept(t, path)); n != l.PerStep {
				t.Errorf("%s has %d games", name, n)
			}
			if err := os.Truncate(path, 900); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRatingsText holds the text of a file of ratings, and that games read it back.
func TestRatingsText(t *testing.T) {
	got := ratingsText("ludoteca rate tanks", []ratedLevel{{Level: "random", Rating: -0.2}, {Level: "b", Rating: 99.5}, {Level: "master:30", Rating: 1204.6, Swept: true, More: true}})
	want := `# Ratings of the computer players, measured by matches between neighbours:
#
#     ludoteca rate tanks
#
random 0
b      100
master >1205
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	read, err := games.ParseRatings(got)
	if diff := cmp.Diff(map[string]games.Rating{"random": {}, "b": {Points: 100}, "master": {Points: 1205, More: true}}, read); err != nil || diff != "" {
		t.Errorf("read back: %v (-want +got):\n%s", err, diff)
	}
}

// plain is a game of which the computer knows nothing but the rules, so that it has but one level.
type plain struct{ games.Game }

func (g plain) New(o games.Options) (games.Position, error) {
	p, err := g.Game.New(o)
	return plainPosition{p}, err
}

type plainPosition struct{ games.Position }

func (p plainPosition) State() games.State { return plainState{p.Position.State()} }

type plainState struct{ games.State }

// TestRateWrites has the ratings of two games written, beside what is printed.
func TestRateWrites(t *testing.T) {
	l := ladder(t)
	l.Games = nil
	for _, id := range []string{"tanks", "momentum"} {
		g, _ := catalog.Find(id)
		l.Games = append(l.Games, plain{g})
	}
	want := rated(t, l, false)
	l.Write = filepath.Join(t.TempDir(), "new")
	if diff := cmp.Diff(want, rated(t, l, false)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, id := range []string{"tanks", "momentum"} {
		text, err := os.ReadFile(filepath.Join(l.Write, id, "ratings.txt"))
		if want := ratingsText("ludoteca rate "+id+" --games 20 --openings 2 --seed 3", []ratedLevel{{Level: "random"}}); err != nil || string(text) != want {
			t.Errorf("%v: %s, want %s", err, text, want)
		}
	}
	l.Write = "/dev/null"
	if err := Rate(t.Context(), io.Discard, nil, l, false); err == nil {
		t.Error("ratings can't be written to /dev/null/tanks, but there is no error")
	}
}

// TestLevelsOfLadder checks that a ladder without levels of its own has all levels of each game, and that the strongest one has
// the budget of the game's profile instead of a clock.
func TestLevelsOfLadder(t *testing.T) {
	want := map[string]string{
		"momentum":   "random greedy beginner pupil improver club expert champion master:300000",
		"petteia":    "random greedy novice learner pupil improver regular club expert champion master:200000",
		"fourmation": "random greedy learner pupil club expert champion master:300000",
		"flugelrad":  "random greedy newcomer novice beginner learner pupil improver club advanced expert contender champion master:30000",
		"tanks":      "random greedy beginner learner pupil improver club expert champion elite master:100000",
	}
	for _, g := range catalog.All() {
		id := g.About().ID
		if want[id] == "" { // a later game
			want[id] = "random greedy pupil club expert champion master:" + strconv.Itoa(games.ProfileOf(g).RateNodes)
		}
		if got := strings.Join(levelsOf(g), " "); got != want[id] {
			t.Errorf("%s: %s, want %s", id, got, want[id])
		}
	}
	tanks, _ := catalog.Find("tanks")
	if got := levelsOf(plain{tanks}); len(got) != 1 || got[0] != "random" {
		t.Errorf("a game without a search: %v", got)
	}
}

// budgeted is a game whose computer players look at next to nothing, and whose strongest one is measured with 7 positions.
type budgeted struct{ games.Game }

func (g budgeted) Profile() *games.Profile {
	p := *games.ProfileOf(g.Game)
	p.Presets = slices.Clone(p.Presets)
	for i := range p.Presets {
		p.Presets[i].Nodes = 5
	}
	p.RateNodes, p.ProofShare = 7, 0
	return &p
}

// TestRateTakesBudget has a whole ladder measured, and finds the strongest level's budget in what is printed and in the names
// of the meetings' files.
func TestRateTakesBudget(t *testing.T) {
	g, _ := catalog.Find("tanks")
	l := Ladder{Games: []games.Game{budgeted{g}}, PerStep: 2, Seed: 1, Openings: 2, Folder: t.TempDir()}
	if text := rated(t, l, false); !strings.Contains(text, "\nmaster:7 ") {
		t.Errorf("Rate writes\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(l.Folder, "tanks-master_7-elite.jsonl")); err != nil {
		t.Error(err)
	}
}

// TestRateWritesBudgets has a level measured with less than its own budget: the ratings name the level, the comment the
// budget.
func TestRateWritesBudgets(t *testing.T) {
	l := ladder(t, "random", "greedy", "pupil:30")
	l.Write = t.TempDir()
	rated(t, l, true)
	got, err := os.ReadFile(filepath.Join(l.Write, "fourmation", "ratings.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\npupil  ", "\n#     ludoteca rate fourmation --games 20 --openings 2 --seed 3 --levels random,greedy,pupil:30\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("without %q:\n%s", want, got)
		}
	}
}

func TestRateRefuses(t *testing.T) {
	tests := []struct {
		name   string
		levels []string
		change func(l *Ladder)
		want   error
	}{
		{"unknown level", []string{"random", "deep"}, func(*Ladder) {}, bot.ErrLevel},
		{"unknown first level", []string{"deep"}, func(*Ladder) {}, bot.ErrLevel},
		{"half a pair", []string{"random", "greedy"}, func(l *Ladder) { l.PerStep = 3 }, ErrUsage},
		{"no folder", []string{"random", "greedy"}, func(l *Ladder) { l.Folder = "/dev/null/x" }, ErrResume},
	}
	for _, tt := range tests {
		l := ladder(t, tt.levels...)
		tt.change(&l)
		if err := Rate(t.Context(), &bytes.Buffer{}, nil, l, false); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	full := writerOf(func([]byte) (int, error) { return 0, os.ErrClosed })
	for _, asJSON := range []bool{false, true} {
		if err := Rate(t.Context(), full, nil, ladder(t, "random"), asJSON); !errors.Is(err, os.ErrClosed) {
			t.Errorf("as JSON %v: %v", asJSON, err)
		}
	}
}

type writerOf func([]byte) (int, error)

func (w writerOf) Write(b []byte) (int, error) { return w(b) }
