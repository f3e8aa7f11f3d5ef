package analysis

import (
	"context"
	"errors"
	"math"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/games/fourmation"
	"ludoteca/games/tanks"
)

// Samples that were drawn by a scale give it back.
func TestBestScale(t *testing.T) {
	r := games.NewRandom(1)
	for _, want := range []float64{40, 180, 900} {
		var all []sample
		for range 8_000 {
			v, points := (float64(r.N(2_000))/1_000-1)*3*want, 0.0
			if float64(r.N(1_000_000))/1_000_000 < 1/(1+math.Exp(-v/want)) {
				points = 1
			}
			all = append(all, sample{v, points})
		}
		if got := bestScale(all); math.Abs(got-want) > want/10 {
			t.Errorf("a scale of %v is measured as %v", want, got)
		}
	}
	// What says nothing is measured as a coin; sure signs as a small scale.
	if got := surprise([]sample{{0, 1}, {0, 0}}, 100); math.Abs(got-1) > 1e-9 {
		t.Errorf("a coin surprises by %v bits", got)
	}
	if got := bestScale([]sample{{100, 1}, {-100, 0}}); got > leastScale*1.01 {
		t.Errorf("sure signs give a scale of %v", got)
	}
	if got := surprise([]sample{{1e9, 0}, {-1e9, 1}}, leastScale); math.IsInf(got, 0) || math.IsNaN(got) {
		t.Errorf("the surprise is %v", got)
	}
}

// A scale is judged by games that it was not measured on.
func TestFitHalves(t *testing.T) {
	steep := []sample{{100, 1}, {-100, 0}, {100, 1}, {-100, 1}}
	flat := []sample{{100, 1}, {-100, 1}, {100, 0}, {-100, 0}}
	fit := fitHalves([2][]sample{steep, flat}, 100)
	all := append(steep, flat...)
	want := Fit{
		Scale: bestScale(all), Positions: 8, Present: surprise(all, 100),
		Loss: (surprise(steep, bestScale(flat)) + surprise(flat, bestScale(steep))) / 2,
	}
	if fit.Scale != want.Scale || fit.Positions != want.Positions || fit.Present != want.Present || math.Abs(fit.Loss-want.Loss) > 1e-9 {
		t.Errorf("%+v, want %+v", fit, want)
	}
	if own := surprise(all, fit.Scale); fit.Loss < own+0.05 {
		t.Errorf("%v bits on other games, %v on its own", fit.Loss, own)
	}
}

func TestFitScale(t *testing.T) {
	g := tanks.New()
	o, err := games.ParseOptions(g, []string{"size=6"})
	if err != nil {
		t.Fatal(err)
	}
	f := Fitting{Games: 4, Nodes: 30, Openings: 4, Seed: 1}
	first, err := FitScale(t.Context(), g, o, f, nil)
	if err != nil || first.Positions < 20 || first.Loss <= 0 || first.Present <= 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	calls := 0
	if again, err := FitScale(t.Context(), g, o, f, func(int, int) { calls++ }); again != first || err != nil || calls != f.Games {
		t.Errorf("the same fitting gave %+v and %+v, %v, with %d calls of progress", first, again, err, calls)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	for name, tt := range map[string]struct {
		ctx  context.Context
		f    Fitting
		want error
	}{
		"one game":           {t.Context(), Fitting{Games: 1, Nodes: 1}, ErrFitting},
		"no nodes":           {t.Context(), Fitting{Games: 2}, ErrFitting},
		"negative openings":  {t.Context(), Fitting{Games: 2, Nodes: 1, Openings: -1}, ErrFitting},
		"nothing but random": {t.Context(), Fitting{Games: 2, Nodes: 1, Openings: mostFitted}, ErrNoFit},
		"cancelled":          {ended, f, context.Canceled},
	} {
		if got, err := FitScale(tt.ctx, g, o, tt.f, nil); !errors.Is(err, tt.want) {
			t.Errorf("%s: %+v, %v, want %v", name, got, err, tt.want)
		}
	}
	if _, err := FitScale(t.Context(), fourmation.New(), games.Options{"cols": 999}, f, nil); !errors.Is(err, games.ErrOptions) {
		t.Errorf("bad options: %v", err)
	}
}

// TestFitLeavesOutWhatIsDecided: a value that a search calls decided is no estimate, proven or not.
func TestFitLeavesOutWhatIsDecided(t *testing.T) {
	g, _ := catalog.Find("momentum")
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	players := peopleOf(g)
	f := Fitting{Games: 4, Nodes: 1000, Openings: 2}
	estimates := 0
	for seed := range uint64(f.Games) {
		played, err := f.play(t.Context(), g, o, [2]bot.Player{players[0], players[0]}, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range played {
			if estimates++; math.Abs(s.value) >= games.MaxEvaluation {
				t.Errorf("an estimate of game %d is %v", seed, s.value)
			}
		}
	}
	if estimates < 20 {
		t.Errorf("%d estimates", estimates)
	}
}

// Every game has been measured.
func TestScales(t *testing.T) {
	for _, g := range catalog.All() {
		if _, ok := g.(games.Profiled); !ok {
			t.Errorf("%s has no profile", g.About().ID)
		}
		if s := games.ProfileOf(g).Scale; s < leastScale || s > mostScale {
			t.Errorf("the scale of %s is %v", g.About().ID, s)
		}
	}
}
