package analysis

import (
	"math"

	"ludoteca/games"
)

// scales say by game how far ahead a side must be to expect 73 % of the points: the scale of the logistic curve that suits
// best what became of the evaluations in games as people play them. See Fitting; measured by
//
//	ludoteca scale --go --games 100 --nodes 4000
var scales = map[string]float64{
	"momentum":   36,  // 2124 positions, 0.550 bits
	"petteia":    115, // 15851 positions, 0.792 bits
	"fourmation": 60,  // 1097 positions, 0.981 bits
	"flugelrad":  152, // 10303 positions, 0.994 bits
	"tanks":      259, // 4868 positions, 0.952 bits
}

// usualScale is that of a game which nobody has measured.
const usualScale = 100

func scaleOf(game string) float64 {
	if s, ok := scales[game]; ok {
		return s
	}
	return usualScale
}

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
