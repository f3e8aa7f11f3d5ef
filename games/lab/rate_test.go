package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/format"
	"math"
	"os"
	"path/filepath"
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
func rated(t *testing.T, l Ladder, as Form) string {
	t.Helper()
	var out bytes.Buffer
	if err := Rate(t.Context(), &out, nil, l, as); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestRateLadder compares the ratings with those of the meetings they come from.
func TestRateLadder(t *testing.T) {
	l := ladder(t, "random", "greedy", "pupil:100")
	want := []rung{{Game: "fourmation", Level: "random"}}
	elo, variance := 0.0, 0.0
	for i := 1; i < len(l.Levels); i++ {
		m := meeting(t, "fourmation", "", l.Levels[i], l.Levels[i-1], l.PerStep)
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
		want = append(want, rung{"fourmation", l.Levels[i], elo, nil, s.Games, s.Wins, s.Draws, s.Losses, s.Score, false})
	}
	var got []rung
	for dec := json.NewDecoder(strings.NewReader(rated(t, l, AsJSON))); dec.More(); {
		var r rung
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
	text := rated(t, l, AsText)
	lines := strings.Split(text, "\n")
	if len(lines) != 6 || lines[0] != "4Mation" || !strings.HasPrefix(lines[2], "random                 0      0") ||
		!strings.HasPrefix(lines[4], "pupil:100 ") || len(lines[4]) != len(lines[1]) {
		t.Errorf("for people:\n%s", text)
	}
}

// TestSwept is about levels that make all the points, or none, against the one below.
func TestSwept(t *testing.T) {
	elo, half := 100.0, 30.0
	base := rung{Level: "a", Rating: 50, Error: &half}
	tests := []struct {
		name   string
		below  rung
		score  score
		rating float64
		error  bool
		swept  bool
	}{
		{"fair", base, score{Games: 40, Score: 0.6, Elo: &elo, Error: &half}, 150, true, false},
		{"all points", base, score{Games: 50, Score: 1}, 50 + eloOf(0.99), false, true},
		{"no point", base, score{Games: 50, Score: 0}, 50 - eloOf(0.99), false, true},
		{"fair above a sweep", rung{Rating: 500, Swept: true}, score{Games: 40, Score: 0.6, Elo: &elo, Error: &half}, 600, false, true},
	}
	for _, tt := range tests {
		got := tt.below.above("b", &tt.score)
		if math.Abs(got.Rating-tt.rating) > 1e-9 || (got.Error != nil) != tt.error || got.Swept != tt.swept || got.Level != "b" {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if strings.Contains(got.text(), "one side made all the points") != tt.swept {
			t.Errorf("%s: %s", tt.name, got.text())
		}
	}
}

// TestRateResume looks for a file for each step, and that they are gone on from.
func TestRateResume(t *testing.T) {
	l := ladder(t, "random", "greedy", "pupil:30")
	want := rated(t, l, AsText)
	l.Folder = filepath.Join(t.TempDir(), "new", "folder")
	for range 2 {
		if diff := cmp.Diff(want, rated(t, l, AsText)); diff != "" {
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

// TestGoSource holds the source of the table, which must be as gofmt wants it.
func TestGoSource(t *testing.T) {
	got := goSource("ludoteca rate --go", map[string][]rung{
		"tanks":   {{Level: "random"}, {Level: "master", Rating: 1204.6}},
		"petteia": {{Level: "random", Rating: -0.2}, {Level: "b", Rating: 99.5}},
	})
	want := `package bot

// ratings are the ratings of the levels by game, as measured by matches between neighbours with
//
//	ludoteca rate --go
var ratings = map[string]map[string]int{
	"petteia": {
		"random": 0,
		"b":      100,
	},
	"tanks": {
		"random": 0,
		"master": 1205,
	},
}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if formatted, err := format.Source([]byte(got)); err != nil || string(formatted) != got {
		t.Errorf("gofmt: %v\n%s", err, formatted)
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

func TestRateAsGo(t *testing.T) {
	var l Ladder
	for _, id := range []string{"tanks", "momentum"} {
		g, _ := catalog.Find(id)
		l.Games = append(l.Games, plain{g})
	}
	want := goSource("ludoteca rate --go --games 0 --openings 0 --seed 0", map[string][]rung{"momentum": {{Level: "random"}}, "tanks": {{Level: "random"}}})
	if diff := cmp.Diff(want, rated(t, l, AsGo)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRateAsGoWithBudgets has a level measured with less than its own budget: the table names the level, its comment the
// budget.
func TestRateAsGoWithBudgets(t *testing.T) {
	got := rated(t, ladder(t, "random", "greedy", "pupil:30"), AsGo)
	for _, want := range []string{"\t\t\"pupil\":  ", "\n//\tludoteca rate --go --games 20 --openings 2 --seed 3 --levels random,greedy,pupil:30\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("without %q:\n%s", want, got)
		}
	}
	if formatted, err := format.Source([]byte(got)); err != nil || string(formatted) != got {
		t.Errorf("gofmt: %v\n%s", err, formatted)
	}
}

func TestRateRefuses(t *testing.T) {
	tests := []struct {
		name   string
		levels []string
		change func(l *Ladder)
		as     Form
		want   error
	}{
		{"unknown level", []string{"random", "deep"}, func(*Ladder) {}, AsJSON, bot.ErrLevel},
		{"unknown first level", []string{"deep"}, func(*Ladder) {}, AsJSON, bot.ErrLevel},
		{"half a pair", []string{"random", "greedy"}, func(l *Ladder) { l.PerStep = 3 }, AsText, ErrUsage},
		{"no folder", []string{"random", "greedy"}, func(l *Ladder) { l.Folder = "/dev/null/x" }, AsText, ErrResume},
	}
	for _, tt := range tests {
		l := ladder(t, tt.levels...)
		tt.change(&l)
		if err := Rate(t.Context(), &bytes.Buffer{}, nil, l, tt.as); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	full := writerOf(func([]byte) (int, error) { return 0, os.ErrClosed })
	for _, as := range []Form{AsText, AsJSON} {
		if err := Rate(t.Context(), full, nil, ladder(t, "random"), as); !errors.Is(err, os.ErrClosed) {
			t.Errorf("form %d: %v", as, err)
		}
	}
}

type writerOf func([]byte) (int, error)

func (w writerOf) Write(b []byte) (int, error) { return w(b) }
