package rating

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestGlickmansExample is the worked example of the paper.
func TestGlickmansExample(t *testing.T) {
	player := Glicko{1500, 200, 0.06}
	got := player.Update([]Result{
		{Glicko{1400, 30, 0.06}, 1, 1},
		{Glicko{1550, 100, 0.06}, 0, 1},
		{Glicko{1700, 300, 0.06}, 0, 1},
	}, 1)
	want := Glicko{1464.05, 151.52, 0.05999}
	if math.Abs(got.Rating-want.Rating) > 0.01 || math.Abs(got.Deviation-want.Deviation) > 0.01 ||
		math.Abs(got.Volatility-want.Volatility) > 0.00001 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestSameBitsEverywhere compares with bits that were computed once. They must never change, or stored ratings would differ from
// ratings that are recomputed from the results.
func TestSameBitsEverywhere(t *testing.T) {
	weak, strong := Glicko{1320.5, 61.25, 0.0612}, Glicko{2210.75, 48.5, 0.0588}
	for _, tt := range []struct {
		name    string
		got     Glicko
		r, d, v uint64
	}{
		{"the paper's example", Glicko{1500, 200, 0.06}.Update([]Result{
			{Glicko{1400, 30, 0.06}, 1, 1}, {Glicko{1550, 100, 0.06}, 0, 1}, {Glicko{1700, 300, 0.06}, 0, 1}}, 1),
			0x4096e033e2fa54ae, 0x4062f0875d9971fc, 0x3faeb7cb2ccdb877},
		{"two newcomers", Newcomer().Update([]Result{{Newcomer(), 1, 1}}, 0),
			0x4099f8d916e9d75a, 0x407223b028eda304, 0x3faeb84706fd5799},
		{"a surprise after a year", weak.Update([]Result{{strong, 1, 1}}, 365*PeriodsPerDay), 0x4095be3e6fa54084, 0x405c0714b8a96f9a, 0x3faf57678f4513bb},
		{"no surprise", weak.Update([]Result{{strong, 0, 1}}, 0.001), 0x4094a176f8594a8c, 0x404e9d26d6f2d76a, 0x3faf559854d889bf},
		{"a draw", strong.Update([]Result{{weak, 0.5, 1}}, 3), 0x40a136a499ebc2bd, 0x4049ce60f7a7b1fe, 0x3fae1b69eb431840},
		{"a month away", strong.Aged(30 * PeriodsPerDay), 0x40a1458000000000, 0x404b7e156022ed4e, 0x3fae1b089a027525},
	} {
		r, d, v := math.Float64bits(tt.got.Rating), math.Float64bits(tt.got.Deviation), math.Float64bits(tt.got.Volatility)
		if r != tt.r || d != tt.d || v != tt.v {
			t.Errorf("%s: %+v is\n%#x, %#x, %#x, want\n%#x, %#x, %#x", tt.name, tt.got, r, d, v, tt.r, tt.d, tt.v)
		}
	}
}

func TestAged(t *testing.T) {
	for _, tt := range []struct {
		name    string
		from    float64
		elapsed float64
		low, hi float64
	}{
		{"no time", 60, 0, 60, 60},
		{"time that runs backwards", 60, -5, 60, 60},
		{"a year", 60, 365 * PeriodsPerDay, 109, 111},
		{"three hundred years", 60, 300 * 365 * PeriodsPerDay, MaxDeviation, MaxDeviation},
		{"nothing known", MaxDeviation, 0, MaxDeviation, MaxDeviation},
	} {
		got := Glicko{1500, tt.from, StartVolatility}.Aged(tt.elapsed)
		if got.Deviation < tt.low-1e-9 || got.Deviation > tt.hi+1e-9 || got.Rating != 1500 || got.Volatility != StartVolatility {
			t.Errorf("%s: %+v, want a deviation from %v to %v", tt.name, got, tt.low, tt.hi)
		}
	}
}

func TestNoResults(t *testing.T) {
	g := Glicko{1700, 60, 0.06}
	if got, want := g.Update(nil, 7), g.Aged(7); got != want {
		t.Errorf("a period without results: %+v, want %+v", got, want)
	}
}

var (
	glickos = rapid.Custom(func(t *rapid.T) Glicko {
		return Glicko{
			rapid.Float64Range(-1000, 5000).Draw(t, "rating"),
			rapid.Float64Range(20, MaxDeviation).Draw(t, "deviation"),
			rapid.Float64Range(0.01, 0.2).Draw(t, "volatility"),
		}
	})
	scores  = rapid.SampledFrom([]float64{0, 0.5, 1})
	weights = rapid.SampledFrom([]float64{1, 0.5, 0.25, 0.125})
	times   = rapid.Float64Range(-1, 1000)
)

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, score, elapsed := glickos.Draw(t, "a"), glickos.Draw(t, "b"), scores.Draw(t, "score"), times.Draw(t, "elapsed")
		got := a.Update([]Result{{b, score, 1}}, elapsed)
		for _, x := range []float64{got.Rating, got.Deviation, got.Volatility} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%+v", got)
			}
		}
		if score == 1 && got.Rating < a.Rating || score == 0 && got.Rating > a.Rating {
			t.Errorf("score %v took %v to %v", score, a.Rating, got.Rating)
		}
		if got.Deviation <= 0 || got.Deviation > MaxDeviation {
			t.Errorf("deviation %v", got.Deviation)
		}
		if alone := (Glicko{a.Rating, a.Deviation, got.Volatility}).Aged(elapsed); got.Deviation > alone.Deviation {
			t.Errorf("with a result the deviation is %v, without it %v", got.Deviation, alone.Deviation)
		}
		if math.Abs(got.Rating-a.Rating) > 4*MaxDeviation {
			t.Errorf("one match took %v to %v", a.Rating, got.Rating)
		}
		if got.Volatility <= 0 || math.Abs(log(got.Volatility/a.Volatility)) > 5*tau {
			t.Errorf("one match took a volatility of %v to %v", a.Volatility, got.Volatility)
		}
		// Seen from the other side of 1500 everything is the same.
		mirror := func(g Glicko) Glicko { g.Rating = 2*StartRating - g.Rating; return g }
		m := mirror(mirror(a).Update([]Result{{mirror(b), 1 - score, 1}}, elapsed))
		if math.Abs(m.Rating-got.Rating) > 1e-6 || math.Abs(m.Deviation-got.Deviation) > 1e-6 {
			t.Errorf("mirrored %+v, straight %+v", m, got)
		}
	})
}

// TestManyResults: more results in a period make a rating firmer, and a better result makes it higher.
func TestManyResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := glickos.Draw(t, "a")
		results := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Result {
			return Result{glickos.Draw(t, "opponent"), scores.Draw(t, "score"), weights.Draw(t, "weight")}
		}), 1, 8).Draw(t, "results")
		all := a.Update(results, 0)
		one := a.Update(results[:1], 0)
		if all.Deviation > one.Deviation+1e-9 {
			t.Errorf("%d results leave a deviation of %v, one %v", len(results), all.Deviation, one.Deviation)
		}
		better := append([]Result{{results[0].Opponent, 1, results[0].Weight}}, results[1:]...)
		if got := a.Update(better, 0); got.Rating < all.Rating-1e-6 && got.Volatility == all.Volatility {
			t.Errorf("a better result gives %v instead of %v", got.Rating, all.Rating)
		}
	})
}

// TestWeights: a weight of 2 is the same as two equal results, a weight of 0 as none, and a weight below 1 moves the rating less far.
func TestWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, score, elapsed := glickos.Draw(t, "a"), glickos.Draw(t, "b"), scores.Draw(t, "score"), times.Draw(t, "elapsed")
		update := func(results ...Result) Glicko { return a.Update(results, elapsed) }
		if got, want := update(Result{b, score, 2}), update(Result{b, score, 1}, Result{b, score, 1}); got != want {
			t.Errorf("twice the weight gives %+v, two results %+v", got, want)
		}
		if got, want := update(Result{b, score, 0}), a.Aged(elapsed); got != want {
			t.Errorf("without weight %+v, without a match %+v", got, want)
		}
		// The volatility may differ, and with it the deviation after a long time.
		a.Volatility, elapsed = 0.06, 0
		w := weights.Draw(t, "weight")
		whole, part := update(Result{b, score, 1}), update(Result{b, score, w})
		if math.Abs(part.Rating-a.Rating) > math.Abs(whole.Rating-a.Rating)+1e-9 || part.Deviation < whole.Deviation-1e-9 {
			t.Errorf("weight %v takes %+v to %+v, 1 to %+v", w, a, part, whole)
		}
	})
}

// TestVolatilitySolver: the solver finds the zero for all possible inputs.
func TestVolatilitySolver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		phi := rapid.Float64Range(0.05, 2.1).Draw(t, "phi")
		sigma := rapid.Float64Range(1e-4, 1).Draw(t, "sigma")
		v := math.Exp(rapid.Float64Range(-3, 60).Draw(t, "log v"))
		delta := rapid.Float64Range(-200, 200).Draw(t, "delta")
		got := volatility(phi, sigma, v, delta)
		x, start := 2*math.Log(got), 2*math.Log(sigma)
		f := func(x float64) float64 {
			ex := math.Exp(x)
			sum := phi*phi + v + ex
			return ex*(delta*delta-sum)/(2*sum*sum) - (x-start)/(tau*tau)
		}
		if below, above := f(x-1e-4), f(x+1e-4); below < 0 || above > 0 {
			t.Errorf("volatility %v is not where f is 0: %v and %v around it", got, below, above)
		}
	})
}

func FuzzUpdate(f *testing.F) {
	f.Add(1500.0, 350.0, 0.06, 1500.0, 350.0, 1.0, 0.0)
	f.Add(-1e300, 1e-300, 1e-300, 1e300, 1e300, 0.3, math.Inf(1))
	f.Fuzz(func(t *testing.T, r, d, v, or, od, score, elapsed float64) {
		Glicko{r, d, v}.Update([]Result{{Glicko{or, od, v}, score, 1}}, elapsed) // whatever comes out, it must come
	})
}

func BenchmarkUpdate(b *testing.B) {
	a, o := Glicko{1612, 61, 0.06}, Glicko{1700, 80, 0.06}
	for b.Loop() {
		a.Update([]Result{{o, 1, 1}}, 0.5)
	}
}
