package lobby_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
)

// The constants of the club, see packages seats and quick.
const (
	callOffAfter = 15 * time.Second // how long a player waits for a first move before calling off counts against the other side
	apartFor     = 30 * time.Minute // how long two people aren't paired
	lookEvery    = time.Second      // how often searches for quick matches are paired
)

// mayMeet returns why a user can't begin a match with people: an ErrAborts, or nil.
func (c *club) mayMeet(who lobby.User) error {
	c.t.Helper()
	ref, err := c.Seats.Open(c.t.Context(), who, seats.Spec{Game: "fourmation"})
	if err == nil {
		err = c.seat(who, ref.ID).Abort(c.t.Context())
	}
	if err != nil && !errors.Is(err, lobby.ErrAborts) {
		c.t.Fatalf("%s can't begin a match: %v", who.Name, err)
	}
	return err
}

// TestAbortsCount: a player who calls off matches with people too often must wait before the next one, however it would begin. No other player waits.
func TestAbortsCount(t *testing.T) {
	for name, who := range map[string]func(*club) lobby.User{
		"player": func(c *club) lobby.User { return c.ana },
		"guest":  func(c *club) lobby.User { return c.guest },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Aborts, cfg.Limits.AbortEvery = 2, 10*time.Minute })
				u := who(c)
				at := origin.Origin{Person: u.ID, Addr: netip.MustParseAddr("192.0.2.7")}
				defer c.Connect(u, at)()
				begin := func() *seats.Seat {
					t.Helper()
					ref := c.open(c.rui, seats.Spec{Game: "fourmation", Side: seats.PlayFirst})
					if _, err := c.Seats.Join(t.Context(), u, origin.Origin{}, ref.Code); err != nil {
						t.Fatal(err)
					}
					return c.seat(u, ref.ID)
				}
				wantErr(t, "an offer of one's own costs nothing", c.seat(u, c.open(u, seats.Spec{Game: "fourmation"}).ID).Abort(t.Context()), nil)
				bot := c.seat(u, c.open(u, seats.Spec{Game: "fourmation", Bot: "first", Side: seats.PlayFirst}).ID)
				wantErr(t, "against a computer player neither", bot.Abort(t.Context()), nil)
				for range 2 {
					wantErr(t, "called off", begin().Abort(t.Context()), nil)
				}
				refused := func(what string, err error) {
					t.Helper()
					var wait *lobby.AbortsError
					if !errors.As(err, &wait) || wait.Wait != 10*time.Minute {
						t.Errorf("%s: %v, want an AbortsError of 10 min", what, err)
					}
				}
				ref := c.open(c.rui, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Public: true})
				_, err := c.Seats.Join(t.Context(), u, origin.Origin{}, ref.Code)
				refused("joining", err)
				_, err = c.Seats.Take(t.Context(), u, ref.ID)
				refused("taking", err)
				_, err = c.Seats.Open(t.Context(), u, seats.Spec{Game: "fourmation"})
				refused("opening", err)
				_, err = c.Quick.Quick(t.Context(), u, quick.One(seats.Spec{Game: "fourmation"}))
				refused("a quick match", err)
				c.open(u, seats.Spec{Game: "fourmation", Bot: "first"})
				c.open(u, seats.Spec{Game: "fourmation", Hotseat: true})
				c.open(c.rui, seats.Spec{Game: "fourmation"})
				time.Sleep(10 * time.Minute)
				wantErr(t, "after the wait", begin().Abort(t.Context()), nil)
				_, err = c.Seats.Open(t.Context(), u, seats.Spec{Game: "fourmation"})
				refused("opening after one more", err)
			})
		})
	}
}

// TestFirstMoveDue: a match called off counts against the side that kept the other one waiting for its first move. If the other side hasn't waited
// long enough, it counts against the side that calls it off.
func TestFirstMoveDue(t *testing.T) {
	for _, test := range []struct {
		name    string
		spec    seats.Spec
		here    bool // ana, who opens the match and moves first, is here
		waits   time.Duration
		anaEnds bool
		counted string // "": neither
	}{
		{"at once", seats.Spec{Public: true}, true, 0, false, "rui"},
		{"after a moment", seats.Spec{Public: true}, true, callOffAfter - time.Second, false, "rui"},
		{"after a while", seats.Spec{Public: true}, true, callOffAfter, false, "ana"},
		{"by the side to move", seats.Spec{Public: true}, true, time.Minute, true, "ana"},
		{"with a clock", seats.Spec{Clock: fivePlus3}, true, 20 * time.Second, false, "ana"},
		{"rated", seats.Spec{Rated: true}, false, time.Minute, false, "ana"},
		{"private and casual, here", seats.Spec{}, true, time.Minute, false, "ana"},
		{"private and casual, not here", seats.Spec{}, false, 24 * time.Hour, false, ""},
		{"days for a move", seats.Spec{Public: true, Clock: lobby.ClockSetting{Kind: clock.Correspondence, Base: 3 * clock.Day}}, true, 24 * time.Hour, false, "rui"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Aborts = 1 })
				defer c.Presence.Enter(c.rui)()
				if test.here {
					defer c.Presence.Enter(c.ana)()
				}
				test.spec.Game, test.spec.Side = "fourmation", seats.PlayFirst
				ref := c.open(c.ana, test.spec)
				_, err := c.Seats.Join(t.Context(), c.rui, origin.Origin{}, ref.Code)
				wantErr(t, "joining", err, nil)
				time.Sleep(test.waits)
				ender := c.rui
				if test.anaEnds {
					ender = c.ana
				}
				wantErr(t, "calling it off", c.seat(ender, ref.ID).Abort(t.Context()), nil)
				for _, u := range []lobby.User{c.ana, c.rui} {
					if counted := c.mayMeet(u) != nil; counted != (u.Name == test.counted) {
						t.Errorf("it counts against %s: %v", u.Name, counted)
					}
				}
			})
		})
	}
}

// TestFirstMoveLimit: a public or rated match without a clock ends if its side to move makes no first move for two minutes while both are here.
func TestFirstMoveLimit(t *testing.T) {
	begin := func(c *club, spec seats.Spec) (*seats.Seat, *seats.Seat) {
		return c.start(func(s *seats.Spec) { s.Public, s.Rated, s.Bot = spec.Public, spec.Rated, spec.Bot })
	}
	over := func(t *testing.T, c *club, s *seats.Seat, want bool, late string) {
		t.Helper()
		v := c.now(s)
		if v.Over != want || want && (v.Reason != "timeout" || v.Result != "" || v.Seats[v.EndedBy.Side()].Name != late) {
			t.Errorf("over: %v, reason %q, result %q", v.Over, v.Reason, v.Result)
		}
	}
	for name, spec := range map[string]seats.Spec{"public": {Public: true}, "rated": {Rated: true}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Aborts, cfg.Bounds.Idle = 1, time.Second })
				defer c.Presence.Enter(c.ana)()
				defer c.Presence.Enter(c.rui)()
				a, _ := begin(c, spec)
				v := c.now(a)
				if left := time.Until(v.FirstMoveBy); left != 2*time.Minute {
					t.Errorf("%v are left for the first move", left)
				}
				time.Sleep(119 * time.Second)
				over(t, c, a, false, "")
				time.Sleep(time.Second)
				synctest.Wait()
				over(t, c, a, true, "ana")
				if c.mayMeet(c.ana) == nil || c.mayMeet(c.rui) != nil {
					t.Error("it doesn't count against ana alone")
				}
				time.Sleep(lobby.DefaultLimits().AbortEvery)
				wantErr(t, "ana may go on", c.mayMeet(c.ana), nil)
				a, _ = begin(c, spec)
				time.Sleep(119 * time.Second)
				wantErr(t, "moving in time", a.Move(t.Context(), "d4", lobby.AnyPly), nil)
				time.Sleep(119 * time.Second)
				over(t, c, a, false, "")
				time.Sleep(time.Second)
				synctest.Wait()
				over(t, c, a, true, "rui")
			})
		})
	}
	t.Run("none", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			c := newClub(t)
			defer c.Presence.Enter(c.ana)()
			defer c.Presence.Enter(c.rui)()
			private, _ := begin(c, seats.Spec{})
			a, b := begin(c, seats.Spec{Public: true})
			c.play(a, b, "d4", "e4")
			time.Sleep(time.Hour)
			over(t, c, private, false, "")
			over(t, c, a, false, "")
		})
	})
	t.Run("gone", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			c := newClub(t)
			defer c.Presence.Enter(c.rui)()
			a, _ := begin(c, seats.Spec{Rated: true})
			time.Sleep(time.Hour)
			over(t, c, a, false, "")
			leave := c.Presence.Enter(c.ana)
			time.Sleep(time.Minute)
			leave()
			time.Sleep(time.Hour)
			over(t, c, a, false, "")
			defer c.Presence.Enter(c.ana)()
			time.Sleep(returnedFor - time.Second)
			over(t, c, a, false, "")
			time.Sleep(time.Second)
			synctest.Wait()
			over(t, c, a, true, "ana")
		})
	})
}

// returnedFor is how long a side has for its first move at least after it is back.
const returnedFor = 30 * time.Second

// TestApart: two people aren't paired for half an hour after a match in which not both made two moves; both meet others meanwhile.
func TestApart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Aborts = 100 })
		kim := c.account("kim")
		for _, u := range []lobby.User{c.ana, c.rui, kim} {
			defer c.Presence.Enter(u)()
		}
		spec := seats.Spec{Game: "fourmation"}
		met := func(a, b lobby.User) lobby.Ref {
			t.Helper()
			s, stop := c.seek(a, spec)
			defer stop()
			o, stopOther := c.seek(b, spec)
			defer stopOther()
			time.Sleep(lookEvery)
			x, y := c.looking(s), c.looking(o)
			if x.Match != y.Match {
				t.Fatalf("%s has found %v, %s %v", a.Name, x.Match, b.Name, y.Match)
			}
			if x.Match == (lobby.Ref{}) && x.Others+y.Others != 0 {
				t.Errorf("%s is told that %d others look, %s that %d do, and they are not to meet", a.Name, x.Others, b.Name, y.Others)
			}
			return x.Match
		}
		ref := met(c.ana, c.rui)
		if ref == (lobby.Ref{}) {
			t.Fatal("ana and rui aren't paired")
		}
		wantErr(t, "calling it off", c.seat(c.rui, ref.ID).Abort(t.Context()), nil)
		if again := met(c.ana, c.rui); again != (lobby.Ref{}) {
			t.Errorf("they are paired again: %v", again)
		}
		offer, err := c.Quick.Quick(t.Context(), c.ana, quick.One(spec))
		wantErr(t, "ana's offer", err, nil)
		other, err := c.Quick.Quick(t.Context(), c.rui, quick.One(spec))
		if err != nil || other == offer {
			t.Errorf("rui gets ana's offer: %v, %v", other, err)
		}
		for u, ref := range map[lobby.User]lobby.Ref{c.ana: offer, c.rui: other} {
			wantErr(t, "withdrawing "+string(ref.ID), c.seat(u, ref.ID).Abort(t.Context()), nil)
		}
		if met(c.ana, kim) == (lobby.Ref{}) {
			t.Error("ana and kim aren't paired")
		}
		time.Sleep(apartFor)
		if met(c.ana, c.rui) == (lobby.Ref{}) {
			t.Error("ana and rui aren't paired after half an hour")
		}
	})
}

// TestPestOffers: of a person's many offers of a kind quick matches take one, and no other before the first move in it is made; who has let too
// many wait has no public offers any more.
func TestPestOffers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Aborts, cfg.Limits.NewUnfinished = 2, 100 })
		pest := c.account("pest")
		defer c.Presence.Enter(pest)()
		spec := seats.Spec{Game: "fourmation", Public: true, Side: seats.PlayFirst}
		var offers []lobby.Ref
		for range 8 {
			offers = append(offers, c.open(pest, spec))
		}
		caught := 0
		for i := range 5 {
			visitor := c.account(fmt.Sprint("visitor", i))
			defer c.Presence.Enter(visitor)()
			ref, err := c.Quick.Quick(t.Context(), visitor, quick.One(spec))
			wantErr(t, "a quick match", err, nil)
			if slices.Contains(offers, ref) {
				caught++
			}
			time.Sleep(callOffAfter)
			wantErr(t, "the visitor may go on", c.mayMeet(visitor), nil)
		}
		if caught != 1 {
			t.Errorf("%d visitors sit with the pest at a time", caught)
		}
		time.Sleep(3 * time.Minute)
		defer c.Presence.Enter(c.rui)()
		offer := c.open(pest, spec)
		if _, err := c.Seats.Take(t.Context(), c.rui, offer.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if left := c.Lists.Yours(pest).Matches; c.mayMeet(pest) == nil || len(left) > 0 {
			t.Errorf("the pest may go on: %v, with %d offers", c.mayMeet(pest) == nil, len(left))
		}
		wantErr(t, "rui may go on", c.mayMeet(c.rui), nil)
	})
}

// TestGoneGuestCounts: a guest who has gone is counted by where they came from.
func TestGoneGuestCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Aborts = 1 })
		from := origin.Origin{Addr: netip.MustParseAddr("192.0.2.7")}
		u := c.Accounts.Guest("g")
		disconnect := c.Connect(u, from)
		leave := c.Presence.Enter(u)
		defer c.Presence.Enter(c.rui)()
		ref := c.open(u, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Public: true})
		_, err := c.Seats.Join(t.Context(), c.rui, origin.Origin{}, ref.Code)
		wantErr(t, "joining", err, nil)
		leave()
		disconnect()
		time.Sleep(time.Minute)
		wantErr(t, "calling it off", c.seat(c.rui, ref.ID).Abort(t.Context()), nil)
		again := c.Accounts.Guest("h")
		defer c.Connect(again, from)()
		if c.mayMeet(again) == nil || c.mayMeet(c.rui) != nil {
			t.Error("it doesn't count against the guest alone")
		}
	})
}
