package fourmation

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestPlayout plays every playout a second time with the plain rules: the n-th of Moves, with the same numbers.
func TestPlayout(t *testing.T) {
	for _, o := range sets {
		gamestest.SamePlayouts(t, kit.Start(t, o.String()), 200, gamestest.Playing{
			Draw: func(s games.State, r *games.Random) games.Code {
				moves := s.Moves(nil)
				return moves[r.N(len(moves))]
			},
		})
	}
}

func TestPlayoutAllocates(t *testing.T) { gamestest.PlayoutsAllocateNothing(t, kit.Start(t, "")) }

func BenchmarkPlayout(b *testing.B) { gamestest.Playouts(b, New(), options(7, 7, 4)) }

func BenchmarkPlayoutLarge(b *testing.B) { gamestest.Playouts(b, New(), options(16, 16, 4)) }
