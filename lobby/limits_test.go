package lobby_test

import (
	"errors"
	"testing"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
)

// TestSetLimits: what changes holds for what comes after.
func TestSetLimits(t *testing.T) {
	c := newClub(t)
	spec := seats.Spec{Game: "fourmation", Public: true}
	if _, err := c.Seats.Open(t.Context(), c.ana, spec); err != nil {
		t.Fatal(err)
	}
	limits := lobby.DefaultLimits()
	limits.OpenOffers = 1
	c.SetLimits(limits)
	if _, err := c.Seats.Open(t.Context(), c.ana, spec); !errors.Is(err, lobby.ErrTooMany) {
		t.Errorf("a second offer: %v, want %v", err, lobby.ErrTooMany)
	}
	limits.OpenOffers, limits.Unfinished = 20, 2
	c.SetLimits(limits)
	for _, want := range []error{nil, lobby.ErrTooMany} { // one is there
		if _, err := c.Seats.Open(t.Context(), c.ana, spec); !errors.Is(err, want) {
			t.Errorf("a match with room for two: %v, want %v", err, want)
		}
	}
}
