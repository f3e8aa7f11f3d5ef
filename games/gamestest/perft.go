package gamestest

import (
	"testing"

	"ludoteca/games"
)

// Perft checks the number of leaves at depths 1, 2, ... from the start position with default options. It stops where more than
// limit leaves are asked for.
func Perft(t *testing.T, g games.Game, limit uint64, want ...uint64) {
	t.Helper()
	p, err := begin(g)
	if err != nil {
		t.Fatal(err)
	}
	PerftFrom(t, p, limit, want...)
}

// PerftFrom is Perft from any position.
func PerftFrom(t *testing.T, p games.Position, limit uint64, want ...uint64) {
	t.Helper()
	for i, w := range want {
		if w > limit {
			t.Logf("depth %d left out: %d leaves", i+1, w)
			return
		}
		if got := leaves(p.State(), i+1); got != w {
			t.Errorf("depth %d: %d leaves, want %d", i+1, got, w)
		}
	}
}

// leaves is deliberately the plainest count there is, without counting moves instead of playing the last ply.
func leaves(s games.State, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	var n uint64
	for _, c := range s.Moves(nil) {
		s.Play(c)
		n += leaves(s, depth-1)
		s.Undo()
	}
	return n
}

// benchmarkLeaves is how many leaves a benchmark counts at least in one go.
const benchmarkLeaves = 20_000

// BenchmarkPerft measures how many leaves a second are counted from the start position with default options, at the first
// depth with enough of them. Every ply is played and taken back.
func BenchmarkPerft(b *testing.B, g games.Game) {
	b.Helper()
	p, err := begin(g)
	if err != nil {
		b.Fatal(err)
	}
	s, depth := p.State(), 1
	for leaves(s, depth) < benchmarkLeaves {
		depth++
	}
	counted := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		counted += leaves(s, depth)
	}
	b.ReportMetric(float64(counted)/b.Elapsed().Seconds(), "leaves/s")
}
