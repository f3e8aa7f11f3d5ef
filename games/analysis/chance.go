package analysis

import (
	"math"

	"ludoteca/games"
)

// Chances are kept in thousandths: more than an estimate is worth, and few enough to be stored and compared exactly.
const (
	sure  = 1000
	drawn = 0.5
)

// chanceOf returns the share of the points that the first side may expect from an estimate: never none or all of them,
// which only a proof can promise.
func chanceOf(value int, scale float64) float64 {
	return doubtful(1 / (1 + math.Exp(-float64(value)/scale)))
}

// doubtful rounds a chance to thousandths and takes it for an estimate.
func doubtful(chance float64) float64 {
	return min(max(math.Round(chance*sure), 1), sure-1) / sure
}

// shareOf returns the thousandths that are left to a side.
func shareOf(chance float64, side games.Side) int {
	first := int(math.Round(chance * sure))
	if side == games.First {
		return first
	}
	return sure - first
}
