package lobby_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// waits checks that a user has so long to wait for a claim: -1 for never, 0 for nothing.
func (c *club) waits(s *seats.Seat, want time.Duration) {
	c.t.Helper()
	at := c.Seats.ClaimAt(s.User(), c.now(s))
	got := time.Duration(-1)
	if !at.IsZero() {
		got = max(time.Until(at), 0)
	}
	if got != want {
		c.t.Errorf("a claim in %v, want %v", got, want)
	}
}

// TestClaimAfterDrop: a player whose opponent's connection has dropped may claim the match after a minute and not before. If the opponent returns in
// time, they may not.
func TestClaimAfterDrop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(fivePlus3))
		ana, rui := c.Presence.Visit(c.ana, true), c.Presence.Visit(c.rui, true)
		ana.At(a.ID())
		rui.At(a.ID())
		defer ana.Leave(false)
		wantErr(t, "a claim before the first move", a.Claim(t.Context(), false), lobby.ErrNoClaim)
		c.play(a, r, "a1", "b2", "b1")
		time.Sleep(5 * time.Second)
		wantErr(t, "a claim against an opponent who is here", a.Claim(t.Context(), false), lobby.ErrNoClaim)
		c.waits(a, -1)

		rui.Leave(true)
		v := c.until(a, func(v *lobby.View) bool { return v.Presence[1].Near == lobby.Gone })
		if p := v.Presence; !p[1].Dropped || time.Since(p[1].Since) != 0 || p[0].Near != lobby.Here {
			t.Errorf("presence %+v", p)
		}
		c.waits(a, time.Minute)
		c.waits(r, -1)
		time.Sleep(time.Minute - time.Millisecond)
		early := &lobby.ClaimEarlyError{}
		if err := a.Claim(t.Context(), false); !errors.As(err, &early) || early.Wait != time.Millisecond {
			t.Errorf("too early: %v", err)
		}

		rui = c.Presence.Visit(c.rui, true) // back in time, though only in the lobby
		time.Sleep(time.Second)
		wantErr(t, "a claim after the return", a.Claim(t.Context(), false), lobby.ErrNoClaim)
		rui.Leave(false)
		time.Sleep(20*time.Second - time.Millisecond)
		wantErr(t, "a claim before the end of the second grace", a.Claim(t.Context(), true), lobby.ErrClaimEarly)
		wantErr(t, "a claim by one who watches", c.seat(c.guest, a.ID()).Claim(t.Context(), false), lobby.ErrNotSeated)
		time.Sleep(time.Millisecond)
		wantErr(t, "a claim", a.Claim(t.Context(), false), nil)
		if v := c.now(r); !v.Over || v.Result != "first" || v.Reason != "claimed" || v.EndedBy != storage.FirstSeat {
			t.Errorf("the match ends %q, %q, by %d", v.Result, v.Reason, v.EndedBy)
		}
		wantErr(t, "another claim", a.Claim(t.Context(), true), lobby.ErrOver)
		c.waits(a, -1)
	})
}

// TestClaimAfterLeave: the end of a connection whose session was left properly is no sign of life, in whichever order the two end. A
// command from another connection is one, and the opponent's board shows that the claim has to wait again.
func TestClaimAfterLeave(t *testing.T) {
	for _, first := range []string{"visit", "connection"} {
		t.Run(first, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				a, r := c.start(with(fivePlus3))
				disconnect := c.Connect(c.rui, origin.Origin{})
				rui := c.Presence.Visit(c.rui, true)
				c.play(a, r, "a1", "b2", "b1")
				time.Sleep(5 * time.Second)
				if first == "visit" {
					rui.Leave(false)
					disconnect()
				} else {
					disconnect()
					rui.Leave(false)
				}
				if p := c.until(a, func(v *lobby.View) bool { return v.Presence[1].Near == lobby.Gone }).Presence[1]; p.Dropped {
					t.Error("a session that was left counts as a line that died")
				}
				c.waits(a, 20*time.Second)
				time.Sleep(10 * time.Second)

				c.Connect(c.rui, origin.Origin{})()
				v := c.until(a, func(v *lobby.View) bool { return v.Presence[1].Dropped })
				if p := v.Presence[1]; time.Since(p.Since) != 0 {
					t.Errorf("after a command: %+v", p)
				}
				c.waits(a, time.Minute)
				time.Sleep(time.Minute)
				wantErr(t, "a claim", a.Claim(t.Context(), false), nil)
			})
		})
	}
}

// TestClaimOrReturn: of a claim and a return at the same moment exactly one comes first, and the match says which.
func TestClaimOrReturn(t *testing.T) {
	for range 20 {
		bubble(t, func(t *testing.T) {
			c := newClub(t)
			a, r := c.start(with(fivePlus3))
			rui := c.Presence.Visit(c.rui, true)
			c.play(a, r, "a1", "b2", "b1")
			rui.Leave(true)
			time.Sleep(time.Minute)
			claimed := make(chan error, 1)
			go func() { claimed <- a.Claim(t.Context(), false) }()
			go func() { rui = c.Presence.Visit(c.rui, true) }()
			err := <-claimed
			synctest.Wait()
			switch v := c.now(a); {
			case err == nil && v.Over && v.Result == "first" && v.Reason == "claimed":
			case errors.Is(err, lobby.ErrNoClaim) && !v.Over:
				wantErr(t, "a move after the return", r.Move(t.Context(), "c2", lobby.AnyPly), nil)
			default:
				t.Errorf("claim: %v; over %v, %q", err, v.Over, v.Reason)
			}
			rui.Leave(false)
		})
	}
}

// TestClaimAfterRestart: when the club starts, all users are gone. Their grace time begins then, even if they had left earlier.
func TestClaimAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(fivePlus3))
		rui := c.Presence.Visit(c.rui, true)
		c.play(a, r, "a1", "b2", "b1")
		rui.Leave(false)
		time.Sleep(19 * time.Second)
		c.Close()
		time.Sleep(time.Hour)
		c = reopen(t, c.store)
		a = c.seat(c.ana, a.ID())
		c.waits(a, time.Minute)
		time.Sleep(time.Minute - time.Millisecond)
		wantErr(t, "too early", a.Claim(t.Context(), true), lobby.ErrClaimEarly)
		time.Sleep(time.Millisecond)
		wantErr(t, "a draw", a.Claim(t.Context(), true), nil)
		if v := c.now(a); v.Result != "draw" || v.Reason != "claimed" {
			t.Errorf("it ends %q, %q", v.Result, v.Reason)
		}
	})
}

// TestClaimWithoutClock: without a clock three days of silence may be claimed; time for which the club was closed is not silence. With days
// for a move only the clock decides.
func TestClaimWithoutClock(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start()
		slow, _ := c.start(with(threeDays))
		c.play(slow, c.seat(c.rui, slow.ID()), "a1", "b2", "b1")
		c.play(a, r, "a1", "b2", "b1")
		time.Sleep(clock.Day)
		wantErr(t, "a claim in a correspondence match", slow.Claim(t.Context(), false), lobby.ErrNoClaim)
		c.Close()
		time.Sleep(clock.Day)
		c = reopen(t, c.store)
		a, r = c.seat(c.ana, a.ID()), c.seat(c.rui, a.ID())
		c.waits(a, 2*clock.Day)
		c.waits(r, -1)
		time.Sleep(2 * clock.Day)
		rui := c.Presence.Visit(c.rui, true)
		rui.At(a.ID())
		wantErr(t, "a claim against an opponent at the board", a.Claim(t.Context(), false), lobby.ErrNoClaim)
		rui.At("")
		wantErr(t, "a claim", a.Claim(t.Context(), false), nil)
		rui.Leave(false)
	})
}

// TestClaimAgainstCommands: a player who only gives commands is never here, and has a minute after each command.
func TestClaimAgainstCommands(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(fivePlus3))
		c.play(a, r, "a1", "b2", "b1")
		time.Sleep(50 * time.Second)
		c.Connect(c.rui, origin.Origin{})()
		time.Sleep(50 * time.Second)
		c.waits(a, 10*time.Second)
	})
}

// TestPresenceInViews: those who look at a board see at once who comes and goes; more of the same second comes after it.
func TestPresenceInViews(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, _ := c.start()
		v := c.now(a)
		next := func() *lobby.View {
			t.Helper()
			var err error
			if v, err = a.Next(t.Context(), v.Seq); err != nil {
				t.Fatal(err)
			}
			return v
		}
		rui := c.Presence.Visit(c.rui, true)
		began := time.Now()
		entered := began
		if p := next().Presence[1]; p.Near != lobby.Away || time.Since(began) != 0 {
			t.Errorf("%+v after %v", p, time.Since(began))
		}
		rui.At(a.ID())
		if p := next().Presence[1]; p.Near != lobby.Here || time.Since(began) != time.Second {
			t.Errorf("%+v after %v", p, time.Since(began))
		}
		time.Sleep(time.Second)
		guest := c.Presence.Visit(c.guest, true)
		began = time.Now()
		guest.At(a.ID())
		if s := next().Spectators; s.Count != 1 || s.Names[0] != c.guest.Occupant() || time.Since(began) != 0 {
			t.Errorf("%+v after %v", s, time.Since(began))
		}
		time.Sleep(presence.IdleAfter)
		if p := next().Presence[1]; p.Near != lobby.Away || !p.Since.Equal(entered) {
			t.Errorf("%+v after %v", p, time.Since(began))
		}
		rui.Pressed()
		if p := next().Presence[1]; p.Near != lobby.Here {
			t.Errorf("%+v after a key", p)
		}
		guest.Leave(false)
		time.Sleep(2 * time.Second)
		if s := c.now(a).Spectators; s.Count != 0 {
			t.Errorf("%+v", s)
		}
		rui.Leave(false)
		rui.Leave(true)
	})
}
