package pairings

import (
	"fmt"
	"math/rand/v2"
	"testing"

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
