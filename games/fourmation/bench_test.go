package fourmation

import (
	"testing"

	"ludoteca/games"
)

// BenchmarkAttack asks both questions about positions of the usual board after eight plies.
func BenchmarkAttack(b *testing.B) {
	r := games.NewRandom(3)
	var positions []*State
	for len(positions) < 20 {
		if s, running := wander(7, 7, 4, 8, r); running {
			positions = append(positions, s)
		}
	}
	nodes := 0
	for b.Loop() {
		for i := range positions {
			a := newAdvisor(positions[i], 400_000, unstopped)
			for _, attacking := range []bool{true, false} {
				a.limit = a.nodes + 200_000
				a.attack(a.own, a.other, a.reach, attacking)
			}
			nodes += a.nodes
		}
	}
	b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}
