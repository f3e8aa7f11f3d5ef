package registry

import (
	"fmt"
	"testing"

	"ludoteca/lobby/limits"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// TestLongMatchesLeaveRoom: long matches get half of the memory.
func TestLongMatchesLeaveRoom(t *testing.T) {
	r := New(limits.NewInForce(limits.Limits{LivePlies: 20_000}), alone{}, false)
	for i, plies := range []int{4000, 4000, 4000, 100, 100} {
		id := storage.MatchID(fmt.Sprint(i))
		r.Add(&match.Summary{Ref: match.Ref{ID: id}, Plies: plies})
		_, load, first := r.Use(id)
		if !first {
			t.Fatalf("match %d is being loaded already", i)
		}
		if ok, rest := load.Admit(); ok != (i != 2) || len(rest) > 0 {
			t.Errorf("match %d: %v", i, ok)
		}
	}
}
