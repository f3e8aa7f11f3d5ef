// Package rating is the arithmetic of ratings: Glicko-2 as in Mark E. Glickman, "Example of the Glicko-2 system"
// (2013, http://www.glicko.net/glicko/glicko2.pdf), one update for each finished match, with deviations that grow
// with time away.
//
// The package is pure, and gives the same bits on every processor, so that ratings can be recomputed anywhere from
// the results alone. To that end every product is rounded by an explicit float64(), which forbids the compiler to
// fuse it with an addition (a quotient by a power of two counts as a product), and exp and log are our own
// (arith.go), because package math has them in assembly for some processors. Sums, other quotients and square roots are
// rounded alike everywhere by IEEE 754.
package rating

import (
	"math"
	"time"

	"ludoteca/storage/results"
)

// The rating of a newcomer, and the parameters of the system.
const (
	StartRating     = 1500.0
	StartDeviation  = 350.0
	StartVolatility = 0.06

	// MaxDeviation is the largest deviation. Newcomers have it.
	MaxDeviation = 350.0

	// ProvisionalAbove is the deviation above which a rating is provisional.
	ProvisionalAbove = 110.0

	// PeriodsPerDay is how many of Glickman's rating periods a day has: with it a deviation of 60 grows to 110 in
	// a year without a rated match, as on lichess.
	PeriodsPerDay = 0.2144
)

const (
	tau         = 0.5      // how fast volatility may change
	scale       = 173.7178 // points of the 1500 scale to one of Glickman's
	convergence = 1e-6     // the paper's epsilon
	maxSteps    = 100      // of the solver, which needs fewer than 20
	maxExponent = 50.0     // of e in the expected score: beyond, a win is certain
)

// A Glicko is the rating of a player in one game, on the 1500 scale.
type Glicko struct {
	Rating     float64
	Deviation  float64 // the rating is within two deviations of the truth with 95 % confidence
	Volatility float64 // how erratic the results are
}

// Newcomer returns the rating of a player without a rated match.
func Newcomer() Glicko { return Glicko{StartRating, StartDeviation, StartVolatility} }

// A Result is one match of a rating period.
type Result struct {
	Opponent Glicko
	Score    float64 // 1 won, 0.5 drawn, 0 lost
	Weight   float64 // how much it counts: 1 fully, 0 not at all
}

// Aged returns g after elapsed rating periods without a match: only the deviation grows. A negative elapsed counts as 0.
func (g Glicko) Aged(elapsed float64) Glicko {
	g.Deviation = min(float64(aged(g.Deviation/scale, g.Volatility, elapsed)*scale), MaxDeviation)
	return g
}

// aged returns the deviation phi after elapsed periods, on Glickman's scale.
func aged(phi, sigma, elapsed float64) float64 {
	if elapsed <= 0 {
		return phi
	}
	return math.Sqrt(square(phi) + float64(elapsed*square(sigma)))
}

// Update returns g after a rating period with the given results. elapsed is the number of periods since the last update: 1 in
// the paper. The results count at once, not one after the other. A negative elapsed counts as 0.
//
// The paper has no weights. Its update is Newton's step for a normal prior times the likelihood of the results, so a likelihood
// to the power of w gives the sums over the results a factor w: 1/v = sum w g(phi)^2 E(1-E), and sum w g(phi)(s-E). A whole w
// counts as w equal results in the period. With w = 0 Update returns the same as Aged.
func (g Glicko) Update(results []Result, elapsed float64) Glicko {
	if len(results) == 0 {
		return g.Aged(elapsed)
	}
	mu, phi := (g.Rating-StartRating)/scale, g.Deviation/scale

	// Steps 3 and 4: information is 1/v, surprise is the sum of g(phi)(s-E).
	var information, surprise float64
	for _, r := range results {
		g := discount(r.Opponent.Deviation / scale)
		expected, rest := expect(float64(g * (mu - (r.Opponent.Rating-StartRating)/scale)))
		information += float64(r.Weight * float64(square(g)*float64(expected*rest)))
		surprise += float64(r.Weight * float64(g*score(r.Score, expected, rest)))
	}
	if information == 0 {
		return g.Aged(elapsed)
	}
	sigma := volatility(phi, g.Volatility, 1/information, surprise/information)

	// Steps 6 to 8.
	before := min(aged(phi, sigma, elapsed), MaxDeviation/scale)
	after := 1 / math.Sqrt(1/square(before)+information)
	mu += float64(square(after) * surprise)
	return Glicko{
		Rating:     StartRating + float64(mu*scale),
		Deviation:  min(float64(after*scale), MaxDeviation),
		Volatility: sigma,
	}
}

// discount is the paper's g: the factor by which a result against an opponent of uncertain strength counts less.
func discount(phi float64) float64 {
	return 1 / math.Sqrt(1+float64(3*square(phi))/float64(math.Pi*math.Pi))
}

// expect returns the expected score E for a weighted lead, and 1-E without the rounding error of the subtraction.
func expect(lead float64) (expected, rest float64) {
	e := exp(-max(-maxExponent, min(lead, maxExponent)))
	return 1 / (1 + e), e / (1 + e)
}

// score returns s-E. For a win it returns rest, so that it is not rounded to 0.
func score(s, expected, rest float64) float64 {
	if s == 1 {
		return rest
	}
	return s - expected
}

// volatility is step 5: the new volatility, by the Illinois method on a bracket of the only zero of f.
func volatility(phi, sigma, v, delta float64) float64 {
	start := log(square(sigma))
	f := func(x float64) float64 {
		ex := exp(x)
		sum := square(phi) + v + ex
		return float64(ex*(square(delta)-sum))/float64(2*square(sum)) - float64((x-start)/(tau*tau))
	}
	a := start
	b := start - tau // f(b) > 0: the first term is above -1/2, the second 1/tau
	if over := square(delta) - square(phi) - v; over > 0 {
		b = log(over)
	}
	fa, fb := f(a), f(b)
	for step := 0; math.Abs(b-a) > convergence && step < maxSteps; step++ {
		c := a + float64((a-b)*fa)/(fb-fa)
		fc := f(c)
		if float64(fc*fb) <= 0 {
			a, fa = b, fb
		} else {
			fa /= 2
		}
		b, fb = c, fc
	}
	return exp(a / 2)
}

func square(x float64) float64 { return float64(x * x) }

// Now returns a player's rating at a time: the stored one, with the deviation grown since the last match.
func Now(r results.Rating, at time.Time) Glicko {
	g, away := known(r, at)
	return g.Aged(away)
}

// Provisional reports whether the deviation is so large that the rating is shown with a ? and has no rank. Call it on a result of
// Now.
func (g Glicko) Provisional() bool { return g.Deviation > ProvisionalAbove }

// known returns a player's rating after the last match, and the number of rating periods since then.
func known(r results.Rating, at time.Time) (g Glicko, away float64) {
	if r.At.IsZero() {
		return Newcomer(), 0
	}
	const msPerDay = 24 * 60 * 60 * 1000
	away = float64(float64(at.UnixMilli()-r.At.UnixMilli())/msPerDay) * PeriodsPerDay
	return Glicko{r.Rating, r.Deviation, r.Volatility}, max(away, 0)
}
