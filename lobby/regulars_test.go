package lobby_test

import (
	"errors"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
)

// TestIsPlaying: a user plays if they sit in a match in progress with another person, or in one whose clock runs.
func TestIsPlaying(t *testing.T) {
	c := newClub(t)
	guest := c.Accounts.Guest("one")
	is := func(what string, u lobby.User, want bool) {
		t.Helper()
		if got := c.Seats.IsPlaying(u); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	is("nobody's match", c.ana, false)
	offer := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst})
	is("an offer", c.ana, false)
	if _, err := c.Seats.Join(t.Context(), guest, origin.Origin{}, offer.Code); err != nil {
		t.Fatal(err)
	}
	is("a match with a guest", c.ana, true)
	is("a guest's match", guest, true)
	is("another guest", c.Accounts.Guest("two"), false)
	if err := c.seat(c.ana, offer.ID).Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	is("a match that is over", c.ana, false)
	c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first"})
	is("a match with a computer player", c.ana, false)
	timed := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first", Clock: oneMinute})
	s := c.seat(c.ana, timed.ID)
	c.play(s, s, "d4")
	c.until(s, plies(2))
	is("a match with a computer player whose clock runs", c.ana, true)
}

// TestAccountOf: an account is found by its key, with its age.
func TestAccountOf(t *testing.T) {
	c := newClub(t)
	u, since, err := c.Accounts.AccountOf(t.Context(), "key of ana")
	if err != nil || u != c.ana || since.IsZero() || since.After(time.Now()) {
		t.Errorf("AccountOf = %+v, %v, %v, want %+v", u, since, err, c.ana)
	}
	if _, _, err := c.Accounts.AccountOf(t.Context(), "key of nobody"); !errors.Is(err, lobby.ErrNoAccount) {
		t.Errorf("a key without an account: %v", err)
	}
}
