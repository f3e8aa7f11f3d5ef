package analysis

import (
	"math"

	"ludoteca/games"
)

// A Performance is how well one side played a game.
type Performance struct {
	Moves int // of the side, without given ones

	// Accuracy is from 0 to 100: how little the moves of the side gave away. It means nothing without moves.
	Accuracy float64

	// Loss is the share of the points that a move gave away on average.
	Loss float64
}

// Performances returns how well both sides played. turns[i] is the side to move after i moves; the first given moves were not theirs.
//
// Accuracy is computed as lichess computes it for a game of chess (https://lichess.org/page/accuracy, and AccuracyPercent of its library
// scalachess): from the chances before and after each move in percent. The accuracy of a side is the mean of two means of the accuracies of its
// moves. One is weighted by how much the chances change around a move, and the other is harmonic, so that single blunders count.
func (a *Analysis) Performances(turns []games.Side, given int) (sides [2]Performance) {
	weights := a.volatilities()
	var weighted, weight, inverse [2]float64
	for i := given; i+1 < len(a.Points); i++ {
		side := turns[i]
		before, after := shareOf(a.Points[i].Chance, side), shareOf(a.Points[i+1].Chance, side)
		lost := max(float64(before-after), 0) / sure
		accuracy := moveAccuracy(100 * lost)
		s := &sides[side]
		s.Moves++
		s.Loss += lost
		weighted[side] += accuracy * weights[i]
		weight[side] += weights[i]
		inverse[side] += 1 / max(accuracy, leastAccuracy)
	}
	for side := range sides {
		if s := &sides[side]; s.Moves > 0 {
			n := float64(s.Moves)
			s.Loss /= n
			s.Accuracy = (weighted[side]/weight[side] + n/inverse[side]) / 2
		}
	}
	return sides
}

// leastAccuracy keeps a single move from making the harmonic mean 0.
const leastAccuracy = 1

// moveAccuracy returns the accuracy of a move that gave away some percent of the points.
func moveAccuracy(lost float64) float64 {
	if lost <= 0 {
		return 100
	}
	const a, b, c = 103.1668100711649, 0.04354415386753951, 3.166924740191411
	return min(max(a*math.Exp(-b*lost)-c+1, 0), 100) // 1 is lichess' allowance for what an analysis may overlook
}

// volatilities returns the weight of each move: the standard deviation of the chances in a window around it, in percent.
func (a *Analysis) volatilities() []float64 {
	const leastWindow, mostWindow, leastWeight, mostWeight = 2, 8, 0.5, 12
	moves := len(a.Points) - 1
	window := min(max(moves/10, leastWindow), mostWindow)
	weights := make([]float64, moves)
	for i := range weights {
		// The first windows are one and the same, so that there is one for each move.
		from := max(i+2-window, 0)
		weights[i] = min(max(a.deviation(from, min(from+window, len(a.Points))), leastWeight), mostWeight)
	}
	return weights
}

// deviation returns the standard deviation of the chances of some points, in percent.
func (a *Analysis) deviation(from, to int) float64 {
	n, sum := float64(to-from), 0.0
	for _, p := range a.Points[from:to] {
		sum += 100 * p.Chance
	}
	mean, squares := sum/n, 0.0
	for _, p := range a.Points[from:to] {
		d := 100*p.Chance - mean
		squares += d * d
	}
	return math.Sqrt(squares / n)
}
