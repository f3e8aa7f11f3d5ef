package lobby_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"ludoteca/lobby"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
)

// While the store takes nothing, nobody is told that running matches go on.
func TestStoreFull(t *testing.T) {
	var full atomic.Bool
	c := newClub(t, func(cfg *lobby.Config) { cfg.Full, cfg.StoreFull = full.Load, full.Load })
	full.Store(true)
	for name, begin := range map[string]func() error{
		"open": func() error { _, err := c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"}); return err },
		"quick": func() error {
			_, err := c.Quick.Quick(t.Context(), c.rui, quick.One(seats.Spec{Game: "petteia"}))
			return err
		},
		"sign up": func() error { _, err := c.Accounts.SignUp(t.Context(), "SHA256:new", "nova"); return err },
	} {
		if err := begin(); !errors.Is(err, lobby.ErrStoreFull) || !errors.Is(err, lobby.ErrCutOff) || errors.Is(err, lobby.ErrDiskFull) {
			t.Errorf("%s: %v, want ErrStoreFull", name, err)
		}
	}
}

// While the disk is nearly full nothing new begins, and what goes on can be played to its end.
func TestDiskFull(t *testing.T) {
	var full atomic.Bool
	c := newClub(t, func(cfg *lobby.Config) { cfg.Full = full.Load })
	a, r := c.start()
	offer := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
	full.Store(true)
	for name, begin := range map[string]func() error{
		"open": func() error { _, err := c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"}); return err },
		"quick": func() error {
			_, err := c.Quick.Quick(t.Context(), c.rui, quick.One(seats.Spec{Game: "petteia"}))
			return err
		},
	} {
		if err := begin(); !errors.Is(err, lobby.ErrDiskFull) {
			t.Errorf("%s: %v, want ErrDiskFull", name, err)
		}
	}
	if _, err := c.Accounts.SignUp(t.Context(), "SHA256:new", "nova"); !errors.Is(err, lobby.ErrDiskFullName) {
		t.Errorf("SignUp = %v, want ErrDiskFullName", err)
	}
	if _, err := c.Accounts.SignUp(t.Context(), "SHA256:new", "\x00"); errors.Is(err, lobby.ErrDiskFullName) || err == nil {
		t.Errorf("SignUp with a bad name = %v", err)
	}
	if _, err := c.Seats.Take(t.Context(), c.rui, offer.ID); err != nil {
		t.Errorf("an offer that is there can't be taken: %v", err)
	}
	c.play(a, r, win...)
	if _, err := a.Rematch(t.Context()); !errors.Is(err, lobby.ErrDiskFull) {
		t.Errorf("Rematch = %v, want ErrDiskFull", err)
	}
	full.Store(false)
	if _, err := c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"}); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
