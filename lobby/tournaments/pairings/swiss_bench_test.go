package pairings

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
)

// BenchmarkSwiss pairs each round of an event with 300 entrants. The aim is less than 50 ms for
// any round on one core.
func BenchmarkSwiss(b *testing.B) {
	const rounds = 11
	rng := rand.New(rand.NewPCG(1, 1))
	var entrants []Entrant
	for i := range 300 {
		entrants = append(entrants, Entrant{Number: i + 1})
	}
	for round := range rounds {
		b.Run(fmt.Sprintf("round=%d", round+1), func(b *testing.B) {
			for b.Loop() {
				if _, err := Swiss(entrants, rounds, games.First); err != nil {
					b.Fatal(err)
				}
			}
		})
		pairs, err := Swiss(entrants, rounds, games.First)
		if err != nil {
			b.Fatal(err)
		}
		for i := range entrants {
			entrants[i].Absent = rng.IntN(40) == 0
		}
		play(entrants, pairs, rng, likely)
	}
}

// BenchmarkSwissSlowest pairs 200 rounds of events with 300 entrants, who differ in how many are away or come late and in how matches end, and
// reports the times of the slowest rounds; the aim is less than 50 ms for each on one core. It names the slowest ones.
func BenchmarkSwissSlowest(b *testing.B) {
	type timed struct {
		name string
		took time.Duration
	}
	var all []timed
	for b.Loop() {
		all = all[:0]
		for event := range uint64(20) {
			s := swissEvent{entrants: 300, rounds: 10, away: int(event % 5 * 3), late: int(event % 4 * 4), seed: event, initial: games.Side(event % 2)}
			kind := slices.Sorted(maps.Keys(endings))[event%uint64(len(endings))]
			s.each(func(round int, entrants []Entrant) []Pair {
				var pairs []Pair
				least := time.Hour // of three, for other programs run too
				for range 3 {
					began := time.Now()
					var err error
					if pairs, err = Swiss(entrants, s.rounds, s.initial); err != nil {
						b.Fatal(err)
					}
					least = min(least, time.Since(began))
				}
				all = append(all, timed{fmt.Sprintf("event %d (%s, %d%% away, %d%% late), round %d", event, kind, s.away, s.late, round+1), least})
				return pairs
			}, endings[kind])
		}
	}
	slices.SortFunc(all, func(x, y timed) int { return cmp.Compare(y.took, x.took) })
	ms := func(at int) float64 { return float64(all[at].took.Microseconds()) / 1000 }
	b.ReportMetric(ms(0), "slowest-ms")
	b.ReportMetric(ms(len(all)/20), "p95-ms")
	b.ReportMetric(ms(len(all)/2), "median-ms")
	b.ReportMetric(float64(len(all)), "rounds")
	for _, t := range all[:8] {
		b.Logf("%6.1f ms %s", float64(t.took.Microseconds())/1000, t.name)
	}
}

// endings are how the matches of an event may end.
var endings = map[string]chance{
	"the stronger wins more often": likely,
	"the stronger wins": func(a, b int, _ *rand.Rand) ([2]int, bool) {
		if a < b {
			return [2]int{Win, Loss}, false
		}
		return [2]int{Loss, Win}, false
	},
	"all are equal": func(_, _ int, rng *rand.Rand) ([2]int, bool) {
		return [][2]int{{Win, Loss}, {Loss, Win}, {Draw, Draw}}[rng.IntN(3)], false
	},
	"most are drawn": func(_, _ int, rng *rand.Rand) ([2]int, bool) {
		return [][2]int{{Win, Loss}, {Draw, Draw}, {Draw, Draw}, {Draw, Draw}, {Loss, Win}}[rng.IntN(5)], false
	},
	"the first side wins more often": func(_, _ int, rng *rand.Rand) ([2]int, bool) {
		return [][2]int{{Win, Loss}, {Win, Loss}, {Win, Loss}, {Loss, Win}}[rng.IntN(4)], false
	},
}
