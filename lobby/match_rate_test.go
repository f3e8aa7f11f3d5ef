package lobby

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"ludoteca/lobby/origin"
)

// TestPace: opening and resigning matches is limited by person and by address; what is refused costs nothing, and the wait is true.
func TestPace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *Config) { cfg.Limits.MatchBurst, cfg.Limits.MatchEvery = 3, 20*time.Second })
		spec := Spec{Game: "fourmation", Hotseat: true}
		open := func(who User) (*Seat, error) {
			ref, err := c.Open(t.Context(), who, spec)
			if err != nil {
				return nil, err
			}
			return c.seat(who, ref.ID), nil
		}
		var seats []*Seat
		for range 3 {
			s, err := open(c.ana)
			if err != nil {
				t.Fatal(err)
			}
			seats = append(seats, s)
		}
		tooFast := func(what string, err error) {
			t.Helper()
			var wait *TooFastError
			if !errors.As(err, &wait) || wait.Wait != 20*time.Second {
				t.Errorf("%s: %v, want a TooFastError of 20 s", what, err)
			}
		}
		_, err := open(c.ana)
		tooFast("a fourth match", err)
		_, err = c.Open(t.Context(), c.rui, Spec{Game: "no such game"})
		wantErr(t, "a match of no game", err, ErrNoSuchGame)
		for _, s := range seats { // resigning has tokens of its own
			wantErr(t, "resigning", s.Resign(t.Context()), nil)
		}
		wantErr(t, "resigning what is over", seats[0].Resign(t.Context()), ErrTooFast)
		_, err = seats[0].Rematch(t.Context())
		tooFast("a rematch at one keyboard", err)
		time.Sleep(20 * time.Second)
		if _, err := seats[0].Rematch(t.Context()); err != nil {
			t.Errorf("a rematch after the wait: %v", err)
		}
		_, err = open(c.ana)
		tooFast("another match right after it", err)
		wantErr(t, "after the wait, resigning what is over", seats[1].Resign(t.Context()), ErrOver)
		wantErr(t, "which cost nothing", seats[1].Resign(t.Context()), ErrOver)

		opened := 0
		for i := range 20 {
			who := c.account(fmt.Sprintf("player%c", 'a'+i))
			disconnect := c.Connect(who, origin.Origin{Addr: netip.MustParseAddr("192.0.2.1")})
			if _, err := open(who); err == nil {
				opened++
			}
			disconnect()
		}
		if opened != 12 {
			t.Errorf("twenty people at one address open %d matches, want 12", opened)
		}
	})
}

// TestPaceOfAFastPlayer: fifty minutes of matches of fifteen seconds each are refused nothing by the default limits.
func TestPaceOfAFastPlayer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		for i := range 200 {
			ref, err := c.Open(t.Context(), c.ana, Spec{Game: "fourmation", Hotseat: true})
			if err == nil {
				err = c.seat(c.ana, ref.ID).Resign(t.Context())
			}
			if err != nil {
				t.Fatalf("match %d: %v", i, err)
			}
			time.Sleep(15 * time.Second)
		}
	})
}
