package lab

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A sample says how often each score came: lost, drawn and won for single games, or the five scores from 0 to 2 points
// for pairs of games. The scores are evenly spaced; as shares of the points they go from 0 to 1.
//
// A pair is two games from one opening, each side played once. The opening helps the same side in both, so the two
// results hang together, and only whole pairs may be taken as independent of each other.
type sample []int

// share returns the share of the points that the i-th score is.
func (s sample) share(i int) float64 { return float64(i) / float64(len(s)-1) }

func (s sample) size() (n int) {
	for _, count := range s {
		n += count
	}
	return n
}

// moments returns the mean and the variance of the scores of a sample that is not empty.
func (s sample) moments() (mean, variance float64) {
	n := float64(s.size())
	for i, count := range s {
		mean += float64(count) * s.share(i) / n
	}
	for i, count := range s {
		variance += float64(count) * sq(s.share(i)-mean) / n
	}
	return mean, variance
}

// elo returns the difference of ratings at which the mean score would be expected, and half the width of the interval
// that has it with 95 %: 1.96 standard errors of the mean, times the slope of the Elo curve there. Where one side made all
// the points, or there is nothing, there is no such number.
func (s sample) elo() (elo, half float64, ok bool) {
	if s.size() == 0 || s[0] == s.size() || s[len(s)-1] == s.size() {
		return 0, 0, false
	}
	mean, variance := s.moments()
	slope := 400 / (math.Ln10 * mean * (1 - mean))
	return eloOf(mean), 1.96 * math.Sqrt(variance/float64(s.size())) * slope, true
}

// open reports whether the interval of the mean score, with 95 %, reaches all the points of one side, so that the difference of
// ratings has no bound on that side, and returns the bound on the other. Of n scores that are all alike, another one is at most
// so likely that n of n happen with 5 %.
func (s sample) open() (bound float64, open bool) {
	n := float64(s.size())
	if n == 0 {
		return 0, false
	}
	mean, variance := s.moments()
	half, alike := 1.96*math.Sqrt(variance/n), math.Pow(0.05, 1/n)
	switch {
	case mean+half >= 1:
		return eloOf(min(mean-half, alike)), true
	case mean-half <= 0:
		return eloOf(max(mean+half, 1-alike)), true
	}
	return 0, false
}

// eloOf returns the difference of ratings at which a share of the points is expected.
func eloOf(share float64) float64 { return 400 * math.Log10(share/(1-share)) }

// shareOf returns the share of the points that is expected at a difference of ratings.
func shareOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

func sq(x float64) float64 { return x * x }

// An SPRT is a sequential probability ratio test (Wald: Sequential Tests of Statistical Hypotheses, 1945): a meeting
// goes on until it is clear whether the first player is Elo0 or Elo1 stronger than the second, with a chance of 5 % to be
// wrong if either is true. Zero for both is no test.
type SPRT struct{ Elo0, Elo1 float64 }

// The chances to accept Elo1 though Elo0 is true, and the other way round.
const (
	sprtAlpha = 0.05
	sprtBeta  = 0.05
)

// maxElo is the largest difference that a test may ask about.
const maxElo = 1000

// ParseSPRT reads "elo0,elo1". The first must be below the second, and both from -1000 to 1000; else the error is
// ErrUsage.
func ParseSPRT(text string) (SPRT, error) {
	a, b, _ := strings.Cut(text, ",")
	low, err0 := strconv.ParseFloat(a, 64)
	high, err1 := strconv.ParseFloat(b, 64)
	t := SPRT{low, high}
	if err0 != nil || err1 != nil || !t.sound() {
		return SPRT{}, fmt.Errorf("%w: a test is two numbers from -%d to %d, the smaller first, as in 0,20; not %.40q",
			ErrUsage, maxElo, maxElo, text)
	}
	return t, nil
}

func (t SPRT) sound() bool { return t.Elo0 < t.Elo1 && t.Elo0 >= -maxElo && t.Elo1 <= maxElo }

// bounds returns the ratios at which Elo0 and Elo1 are accepted.
func (t SPRT) bounds() (lower, upper float64) {
	return math.Log(sprtBeta / (1 - sprtAlpha)), math.Log((1 - sprtBeta) / sprtAlpha)
}

// Decisions of a test.
const (
	acceptsElo0 = "elo0"
	acceptsElo1 = "elo1"
)

// decision returns what the test accepts at a ratio; empty while it goes on.
func (t SPRT) decision(ratio float64) string {
	lower, upper := t.bounds()
	switch {
	case ratio <= lower:
		return acceptsElo0
	case ratio >= upper:
		return acceptsElo1
	}
	return ""
}

// ratio returns the generalised log-likelihood ratio of a sample (Van den Bergh: A Practical Introduction to the
// GSPRT): how much likelier the sample is at best with the expected score of Elo1 than with the expected score of Elo0. How
// many draws there are is not assumed but taken from the sample: for each of the two scores, the likeliest distribution
// that has this score as its mean stands for it. Without draws this is the classical test of Wald.
func (t SPRT) ratio(s sample) float64 {
	if s.size() == 0 {
		return 0
	}
	seen := s.weights()
	tilt0, tilt1 := tilt(seen, shareOf(t.Elo0)), tilt(seen, shareOf(t.Elo1))
	sum := 0.0
	for i, w := range seen {
		a := s.share(i)
		sum += w * math.Log((1+tilt0*(a-shareOf(t.Elo0)))/(1+tilt1*(a-shareOf(t.Elo1))))
	}
	return sum
}

// absentWeight is the weight of a score that never occurred: so every mean is possible.
const absentWeight = 1e-3

func (s sample) weights() []float64 {
	w := make([]float64, len(s))
	for i, count := range s {
		w[i] = max(float64(count), absentWeight)
	}
	return w
}

// tilt finds the likeliest distribution with the given mean for scores that came with these weights. By Lagrange's
// method the weight of score a becomes w / (1 + x (a - mean)), and x solves
//
//	sum of w (a - mean) / (1 + x (a - mean)) = 0
//
// The sum falls from plus to minus infinity between the two x where a denominator is 0, so halving the range finds it.
func tilt(weights []float64, mean float64) float64 {
	low, high := -1/(1-mean), 1/mean
	for range 100 {
		x, sum := (low+high)/2, 0.0
		for i, w := range weights {
			a := float64(i)/float64(len(weights)-1) - mean
			sum += w * a / (1 + x*a)
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
	return (low + high) / 2
}
