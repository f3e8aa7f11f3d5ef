package analysis_test

import (
	"math"
	"testing"

	"ludoteca/games"
	. "ludoteca/games/analysis"
)

// chances returns an analysis with these chances of the first side, in thousandths.
func chances(thousandths ...int) *Analysis {
	a := &Analysis{Version: Version, Points: make([]Point, len(thousandths))}
	for i, n := range thousandths {
		a.Points[i].Chance = float64(n) / 1000
	}
	return a
}

// TestAccuracy: the numbers of the first cases follow from the formula that lichess publishes, for a game of one move or two.
func TestAccuracy(t *testing.T) {
	for _, tt := range []struct {
		name     string
		chances  []int
		given    int
		moves    [2]int
		accuracy [2]float64
		loss     [2]float64
	}{
		{"no moves", []int{500}, 0, [2]int{}, [2]float64{}, [2]float64{}},
		{"nothing is lost", []int{500, 500, 500}, 0, [2]int{1, 1}, [2]float64{100, 100}, [2]float64{}},
		{"ten percent", []int{500, 400}, 0, [2]int{1, 0}, [2]float64{64.58, 0}, [2]float64{0.1, 0}},
		{"half of all", []int{1000, 500}, 0, [2]int{1, 0}, [2]float64{9.53, 0}, [2]float64{0.5, 0}},
		{"all", []int{1000, 0}, 0, [2]int{1, 0}, [2]float64{0.5, 0}, [2]float64{1, 0}}, // the mean of 0 and of the harmonic mean, which is 1
		{"of the second side", []int{500, 500, 600}, 0, [2]int{1, 1}, [2]float64{100, 64.58}, [2]float64{0, 0.1}},
		{"what the other side gives is no merit", []int{500, 700, 900}, 0, [2]int{1, 1}, [2]float64{100, 41.02}, [2]float64{0, 0.2}},
		{"given moves", []int{500, 100, 900, 800}, 2, [2]int{1, 0}, [2]float64{64.58, 0}, [2]float64{0.1, 0}},
	} {
		turns := make([]games.Side, len(tt.chances))
		for i := range turns {
			turns[i] = games.Side(i % 2)
		}
		for side, got := range chances(tt.chances...).Performances(turns, tt.given) {
			if got.Moves != tt.moves[side] || math.Abs(got.Accuracy-tt.accuracy[side]) > 0.01 || math.Abs(got.Loss-tt.loss[side]) > 1e-9 {
				t.Errorf("%s: side %d played %+v, want %d moves, accuracy %v, loss %v", tt.name, side, got, tt.moves[side], tt.accuracy[side], tt.loss[side])
			}
		}
	}
}

// TestAccuracyOfGames: it is from 0 to 100, and below that for a side that blunders.
func TestAccuracyOfGames(t *testing.T) {
	r := games.NewRandom(5)
	for range 200 {
		n := 2 + r.N(60)
		even, turns := make([]int, n), make([]games.Side, n)
		for i := range even {
			even[i], turns[i] = 500, games.Side(i%2)
		}
		for range 5 {
			even[2*r.N(n/2)+1] = r.N(400) // the first side gives something away
			if got := chances(even...).Performances(turns, 0)[games.First].Accuracy; !(got >= 0 && got < 100) {
				t.Errorf("%v: accuracy %v", even, got)
			}
		}
	}
}
