package lobby_test

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
)

// TestPace: opening and resigning matches is limited by person and by address; what is refused costs nothing, and the wait is true.
func TestPace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.MatchBurst, cfg.Limits.MatchEvery = 3, 20*time.Second })
		spec := lobby.Spec{Game: "fourmation", Hotseat: true}
		open := func(who lobby.User) (*lobby.Seat, error) {
			ref, err := c.Seats.Open(t.Context(), who, spec)
			if err != nil {
				return nil, err
			}
			return c.seat(who, ref.ID), nil
		}
		var seats []*lobby.Seat
		for range 3 {
			s, err := open(c.ana)
			if err != nil {
				t.Fatal(err)
			}
			seats = append(seats, s)
		}
		tooFast := func(what string, err error) {
			t.Helper()
			var wait *lobby.TooFastError
			if !errors.As(err, &wait) || wait.Wait != 20*time.Second {
				t.Errorf("%s: %v, want a TooFastError of 20 s", what, err)
			}
		}
		_, err := open(c.ana)
		tooFast("a fourth match", err)
		_, err = c.Seats.Open(t.Context(), c.rui, lobby.Spec{Game: "no such game"})
		wantErr(t, "a match of no game", err, lobby.ErrNoSuchGame)
		for _, s := range seats { // resigning has tokens of its own
			wantErr(t, "resigning", s.Resign(t.Context()), nil)
		}
		wantErr(t, "resigning what is over", seats[0].Resign(t.Context()), lobby.ErrTooFast)
		_, err = seats[0].Rematch(t.Context())
		tooFast("a rematch at one keyboard", err)
		time.Sleep(20 * time.Second)
		if _, err := seats[0].Rematch(t.Context()); err != nil {
			t.Errorf("a rematch after the wait: %v", err)
		}
		_, err = open(c.ana)
		tooFast("another match right after it", err)
		wantErr(t, "after the wait, resigning what is over", seats[1].Resign(t.Context()), lobby.ErrOver)
		wantErr(t, "which cost nothing", seats[1].Resign(t.Context()), lobby.ErrOver)

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

// TestConnect: what users ask for counts against the address of their newest session, and against them wherever they come from, while they have a
// session.
func TestConnect(t *testing.T) {
	c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.MatchBurst, cfg.Limits.MatchEvery = 1, time.Hour })
	open := func(who lobby.User) error {
		_, err := c.Seats.Open(t.Context(), who, lobby.Spec{Game: "fourmation", Hotseat: true})
		return err
	}
	at := func(who lobby.User, addr string) (disconnect func()) {
		return c.Connect(who, origin.Origin{Person: "key of " + who.Name, Addr: netip.MustParseAddr(addr)})
	}
	wantErr(t, "ana, from nowhere", open(c.ana), nil)
	defer at(c.ana, "203.0.113.1")()
	wantErr(t, "ana again, with a session", open(c.ana), lobby.ErrTooFast)
	for i := range 4 { // origin.PeoplePerAddress
		who := c.account(fmt.Sprint("player", i))
		defer at(who, "198.51.100.2")()
		wantErr(t, who.Name, open(who), nil)
	}
	first, second := at(c.rui, "192.0.2.1"), at(c.rui, "198.51.100.2")
	wantErr(t, "rui, whose newest session is the fifth of an address", open(c.rui), lobby.ErrTooFast)
	first()
	first() // again does nothing
	wantErr(t, "rui with one session", open(c.rui), lobby.ErrTooFast)
	second()
	wantErr(t, "rui, from nowhere", open(c.rui), nil)
}

// TestPaceOfAFastPlayer: fifty minutes of matches of fifteen seconds each are refused nothing by the default limits.
func TestPaceOfAFastPlayer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		for i := range 200 {
			ref, err := c.Seats.Open(t.Context(), c.ana, lobby.Spec{Game: "fourmation", Hotseat: true})
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
