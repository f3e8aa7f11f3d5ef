package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// tuning is a small one that makes sense.
func tuning(t *testing.T, id string) Tuning {
	t.Helper()
	m := meeting(t, id, "", "random", "random", 2)
	return Tuning{Game: m.Game, Options: m.Options, Player: "expert:60", Games: 6, Openings: 4, Seed: 1}
}

func tune(t *testing.T, tn Tuning) string {
	t.Helper()
	var out bytes.Buffer
	if err := Tune(t.Context(), &out, nil, tn, true); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestTune tunes every game that has weights: the loss must not grow, the same seed must give the same bytes and another
// one others, and every weight must come back under its name.
func TestTune(t *testing.T) {
	for _, id := range []string{"momentum", "petteia", "flugelrad", "tanks"} {
		t.Run(id, func(t *testing.T) {
			tn := tuning(t, id)
			first := tune(t, tn)
			if again := tune(t, tn); again != first {
				t.Errorf("the same seed gave\n%s and\n%s", first, again)
			}
			other := tn
			other.Seed = 2
			if tune(t, other) == first {
				t.Error("another seed gave the same weights")
			}
			var s tuneScore
			if err := json.Unmarshal([]byte(first), &s); err != nil {
				t.Fatal(err)
			}
			start, err := tn.Game.New(tn.Options)
			if err != nil {
				t.Fatal(err)
			}
			own := start.State().(games.Tunable).Weights()
			if len(s.Weights) != len(own) || s.Games != tn.Games || s.Positions == 0 {
				t.Fatalf("%d weights of %d, %d games, %d positions", len(s.Weights), len(own), s.Games, s.Positions)
			}
			for i, w := range own {
				if s.Weights[i].Name != w.Name || s.Weights[i].Old != w.Value {
					t.Errorf("weight %d is %+v, want %+v", i, s.Weights[i], w)
				}
			}
			if s.NewLoss > s.OldLoss {
				t.Errorf("the loss grew from %v to %v", s.OldLoss, s.NewLoss)
			}
		})
	}
}

func TestTuneText(t *testing.T) {
	var out bytes.Buffer
	if err := Tune(t.Context(), &out, nil, tuning(t, "tanks"), false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Breakthrough Tanks size=8\n", "6 games of expert:60, ", "\t{Name: \"heavy\", Value: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// weightless is a game that can be searched, but not by other weights.
type weightless struct{ plain }

func (g weightless) New(o games.Options) (games.Position, error) {
	p, err := g.plain.New(o)
	return weightlessPosition{p}, err
}

type weightlessPosition struct{ games.Position }

func (p weightlessPosition) State() games.State {
	s := p.Position.State().(plainState)
	return weightlessState{s, s.State.(games.Searchable)}
}

type weightlessState struct {
	games.State
	games.Searchable
}

func TestTuneRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Tuning)
		want   error
		says   string
	}{
		{"no games", func(tn *Tuning) { tn.Games = 0 }, ErrUsage, "from 1 to"},
		{"too many games", func(tn *Tuning) { tn.Games = MaxTuneGames + 1 }, ErrUsage, "from 1 to"},
		{"a long opening", func(tn *Tuning) { tn.Openings = MaxArenaOpenings + 1 }, ErrUsage, "opening"},
		{"an unknown level", func(tn *Tuning) { tn.Player = "nobody" }, bot.ErrLevel, "nobody"},
		{"a level that doesn't look ahead", func(tn *Tuning) { tn.Player = "greedy" }, ErrUsage, "look ahead"},
		{"a game without weights", func(tn *Tuning) { tn.Game = weightless{plain{tn.Game}} }, ErrUsage, "no weights"},
	}
	for _, tt := range tests {
		tn := tuning(t, "tanks")
		tt.change(&tn)
		var out bytes.Buffer
		err := Tune(t.Context(), &out, nil, tn, false)
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || out.Len() > 0 {
			t.Errorf("%s: %v with %d bytes written, want an error saying %q", tt.name, err, out.Len(), tt.says)
		}
	}
}

func TestTuneStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if err := Tune(ctx, &out, nil, tuning(t, "tanks"), false); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("%v with %d bytes written", err, out.Len())
	}
	f := newFit([]games.Weight{{Name: "one", Value: 1}}, []tuneSample{{slopes: []float32{1}, result: 1, last: true}})
	if err := f.descend(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the fit went on: %v", err)
	}
}

// TestFitFindsWeights plants weights: the targets follow from them exactly, and the fit has to find them from others.
func TestFitFindsWeights(t *testing.T) {
	old := []games.Weight{{Name: "a", Value: 100}, {Name: "b", Value: 20}, {Name: "never", Value: 7}}
	planted := []float64{80, 45, 7}
	r := games.NewRandom(3)
	f := &fit{old: old, scale: 150, change: make([]float64, 3), moment: make([]float64, 3), square: make([]float64, 3)}
	for range 2_000 {
		a, b := float32(r.N(9)-4), float32(r.N(9)-4)
		truth := planted[0]*float64(a) + planted[1]*float64(b)
		f.samples = append(f.samples, tuneSample{
			value: 100*a + 20*b, slopes: []float32{a, b, 0}, target: float32(f.expected(truth)),
		})
	}
	before := f.loss()
	if err := f.descend(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, v := range f.values() {
		if math.Abs(float64(v)-planted[i]) > 2 {
			t.Errorf("%s is %d, planted was %v", old[i].Name, v, planted[i])
		}
	}
	if f.loss() >= before {
		t.Errorf("the loss went from %v to %v", before, f.loss())
	}
}

// TestAim works out the targets of two short games by hand.
func TestAim(t *testing.T) {
	f := &fit{scale: 100, samples: []tuneSample{
		{value: 1e6, result: 0},
		{value: 1e6, result: 0},
		{value: 0, result: 0, last: true},
		{value: -1e6, result: 1, last: true},
	}}
	f.aim()
	want := []float64{decay*(1-decay)*0.5 + (1 - decay), (1 - decay) * 0.5, 0, 1}
	for i, s := range f.samples {
		if math.Abs(float64(s.target)-want[i]) > 1e-6 {
			t.Errorf("the target of position %d is %v, want %v", i, s.target, want[i])
		}
	}
}
