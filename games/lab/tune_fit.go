package lab

import (
	"context"
	"fmt"
	"math"
	"strings"

	"ludoteca/games"
)

// A fit finds the weights with which evaluations foretell the targets best, by logistic regression (after P. Österlund:
// Texel's Tuning Method, 2014): the expected share of the points is a logistic function of the evaluation, and the
// entropy of the targets against it is brought down by gradient descent. The evaluation is taken to be linear in its
// weights. A weight is held near its old value by a force that a few positions can't overcome, so that one which hardly
// ever matters stays what it was.
type fit struct {
	old     []games.Weight
	samples []tuneSample
	change  []float64 // of each weight
	moment  []float64
	square  []float64
	scale   float64 // an evaluation at which 73 % of the points are expected
}

// The numbers of the descent: Adam (Kingma, Ba: Adam: A Method for Stochastic Optimization, 2015) over all samples.
const (
	fitSteps  = 400
	fitRate   = 0.6 // the largest change of a weight in a step
	fitBeta1  = 0.9
	fitBeta2  = 0.99
	fitHold   = 2e-7 // the force that holds a weight, for each sample and unit of change
	fitSmooth = 1e-9
)

func newFit(old []games.Weight, samples []tuneSample) *fit {
	n := len(old)
	f := &fit{old: old, samples: samples, change: make([]float64, n), moment: make([]float64, n), square: make([]float64, n)}
	f.measure()
	f.aim()
	return f
}

// measure finds the scale by which the old weights foretell the results best, so that the new ones stay in their unit.
func (f *fit) measure() {
	for i := range f.samples {
		f.samples[i].target = f.samples[i].result
	}
	best := math.Inf(1)
	for scale := 20.0; scale < 3000; scale *= 1.1 {
		before := f.scale
		f.scale = scale
		if loss := f.loss(); loss < best {
			best = loss
		} else {
			f.scale = before
		}
	}
}

// decay is by how much the value of a position is believed less than that of the next one.
const decay = 0.9

// aim sets the targets. What a position is aimed at is neither the result alone, which much has still to happen for,
// nor the next value alone, which is as wrong as the evaluation: it is the sum of all later values and the result, each
// counting less than the one before (Sutton: Learning to Predict by the Methods of Temporal Differences, 1988).
func (f *fit) aim() {
	target := 0.0
	for i := len(f.samples) - 1; i >= 0; i-- {
		s := &f.samples[i]
		if s.last {
			target = float64(s.result)
		}
		s.target = float32(target)
		target = decay*target + (1-decay)*f.expected(float64(s.value))
	}
}

// expected returns the share of the points at an evaluation.
func (f *fit) expected(value float64) float64 { return 1 / (1 + math.Exp(-value/f.scale)) }

// value returns the evaluation of a sample by the present weights.
func (f *fit) value(s *tuneSample) float64 {
	v := float64(s.value)
	for i, slope := range s.slopes {
		v += f.change[i] * float64(slope)
	}
	return v
}

// loss returns the mean entropy in bits.
func (f *fit) loss() float64 {
	sum := 0.0
	for i := range f.samples {
		s := &f.samples[i]
		p := min(max(f.expected(f.value(s)), fitSmooth), 1-fitSmooth)
		sum -= float64(s.target)*math.Log2(p) + (1-float64(s.target))*math.Log2(1-p)
	}
	return sum / float64(len(f.samples))
}

// descend looks for the best weights until ctx is done.
func (f *fit) descend(ctx context.Context) error {
	slope := make([]float64, len(f.change))
	for step := 1; step <= fitSteps; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, c := range f.change {
			slope[i] = fitHold * c
		}
		for i := range f.samples {
			s := &f.samples[i]
			miss := (f.expected(f.value(s)) - float64(s.target)) / f.scale / float64(len(f.samples))
			for k, d := range s.slopes {
				slope[k] += miss * float64(d)
			}
		}
		f.step(step, slope)
	}
	return nil
}

func (f *fit) step(n int, slope []float64) {
	rate := fitRate * (1 - float64(n)/(fitSteps+1))
	for i, g := range slope {
		f.moment[i] += (1 - fitBeta1) * (g - f.moment[i])
		f.square[i] += (1 - fitBeta2) * (g*g - f.square[i])
		m := f.moment[i] / (1 - math.Pow(fitBeta1, float64(n)))
		q := f.square[i] / (1 - math.Pow(fitBeta2, float64(n)))
		f.change[i] -= rate * m / (math.Sqrt(q) + fitSmooth)
	}
}

// values returns the weights found.
func (f *fit) values() []int {
	values := games.ValuesOf(f.old)
	for i, c := range f.change {
		values[i] += int(math.Round(c))
	}
	return values
}

// text is the result for people: the weights as Go source.
func (s *tuneScore) text(about *games.About) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s %s\n%d games of %s, %d positions: loss %.5f, was %.5f\n",
		about.Name, s.Options, s.Games, s.Player, s.Positions, s.NewLoss, s.OldLoss)
	for _, w := range s.Weights {
		fmt.Fprintf(&t, "\t{Name: %q, Value: %d}, // was %d\n", w.Name, w.New, w.Old)
	}
	return t.String()
}
