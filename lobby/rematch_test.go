package lobby_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/live"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

func TestRematch(t *testing.T) {
	c := newClub(t)
	a, r := c.start(func(s *seats.Spec) { s.Rated = true })
	c.play(a, r, win...)
	before := c.now(r)
	ref, err := a.Rematch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.Next(t.Context(), before.Seq)
	if err != nil || v.Rematch == nil || v.Rematch.Ref != ref || v.Rematch.By != c.ana.Occupant() || v.Rematch.Taken {
		t.Fatalf("the other sees %+v, %v", v.Rematch, err)
	}
	if again, err := a.Rematch(t.Context()); again != ref || err != nil {
		t.Errorf("asked twice: %v, %v", again, err)
	}
	_, err = c.Seats.Join(t.Context(), c.account("eva"), origin.Origin{}, ref.Code)
	wantErr(t, "another user joins", err, lobby.ErrReserved)
	if y := c.Lists.Yours(c.rui); len(y.Invitations) != 1 || y.Invitations[0].RematchOf != a.ID() || y.Invitations[0].Side != games.First {
		t.Errorf("invitations: %+v", y.Invitations)
	}
	if got, err := r.Rematch(t.Context()); got != ref || err != nil {
		t.Fatalf("the second asks: %v, %v", got, err)
	}
	nv := c.now(c.seat(c.rui, ref.ID))
	if nv.Seats != [2]storage.Occupant{c.rui.Occupant(), c.ana.Occupant()} || !nv.Rated || nv.Started.IsZero() {
		t.Errorf("the rematch: %+v", nv)
	}
	if v := c.now(a); !v.Rematch.Taken {
		t.Errorf("the old match does not say that it goes on")
	}
	if err := c.seat(c.rui, ref.ID).Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := c.now(a); v.Rematch == nil || !v.Rematch.Taken || v.Rematch.Ref != ref {
		t.Errorf("the old match forgets the rematch that is over: %+v", v.Rematch)
	}
}

// TestRematchOfAGuestWhoLeaves: a rematch whose free seat is reserved for a guest ends when the guest has gone.
func TestRematchOfAGuestWhoLeaves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		defer c.Presence.Enter(c.ana)()
		leave := c.Presence.Enter(c.guest)
		ref := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst})
		if _, err := c.Seats.Join(t.Context(), c.guest, origin.Origin{}, ref.Code); err != nil {
			t.Fatal(err)
		}
		a := c.seat(c.ana, ref.ID)
		c.play(a, c.seat(c.guest, ref.ID), win...)
		again, err := a.Rematch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leave()
		offer := c.seat(c.ana, again.ID)
		time.Sleep(lobby.DefaultLimits().AwayGuest - time.Millisecond)
		synctest.Wait()
		if v := c.now(offer); v.Over {
			t.Fatalf("over too early: %s", v.Reason)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if v := c.now(offer); !v.Over || v.Reason != "aborted" || c.now(a).Rematch != nil {
			t.Errorf("over %v, %q; the old match shows %+v", v.Over, v.Reason, c.now(a).Rematch)
		}
	})
}

// TestRematchOfAGuestWhoHasLeft: a rematch that is offered to a guest who has gone waits as long as for one who goes then.
func TestRematchOfAGuestWhoHasLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		defer c.Presence.Enter(c.ana)()
		leave := c.Presence.Enter(c.guest)
		ref := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst})
		if _, err := c.Seats.Join(t.Context(), c.guest, origin.Origin{}, ref.Code); err != nil {
			t.Fatal(err)
		}
		a := c.seat(c.ana, ref.ID)
		c.play(a, c.seat(c.guest, ref.ID), win...)
		leave()
		time.Sleep(time.Hour)
		again, err := a.Rematch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		offer := c.seat(c.ana, again.ID)
		for _, want := range []bool{false, true} {
			time.Sleep(lobby.DefaultLimits().AwayGuest - time.Second)
			synctest.Wait()
			if v := c.now(offer); v.Over != want {
				t.Errorf("over %v, %q; want %v", v.Over, v.Reason, want)
			}
		}
	})
}

// TestRematchEndsWithItsAsker: a rematch ends with the last connection of the user who asked for it, at once, and the other
// side does not take it any more but may ask for another; after a restart it waits for a while.
func TestRematchEndsWithItsAsker(t *testing.T) {
	for name, who := range map[string]func(*club) lobby.User{"player": ana, "guest": guest} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				asker := who(c)
				leave, leaveToo := c.Presence.Enter(asker), c.Presence.Enter(asker)
				defer c.Presence.Enter(c.rui)()
				ref := c.open(asker, seats.Spec{Game: "fourmation", Side: seats.PlayFirst})
				if _, err := c.Seats.Join(t.Context(), c.rui, origin.Origin{}, ref.Code); err != nil {
					t.Fatal(err)
				}
				a, r := c.seat(asker, ref.ID), c.seat(c.rui, ref.ID)
				c.play(a, r, win...)
				again, err := a.Rematch(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				leave()
				synctest.Wait()
				if v := c.now(r); v.Rematch == nil {
					t.Error("one of two connections left, and the rematch is gone")
				}
				leaveToo()
				_, err = c.Seats.Join(t.Context(), c.rui, origin.Origin{}, again.Code)
				wantErr(t, "taking it the moment after", err, lobby.ErrOver)
				synctest.Wait()
				if v := c.now(r); v.Rematch != nil {
					t.Errorf("the old match still shows %+v", v.Rematch)
				}
				if y := c.Lists.Yours(c.rui); len(y.Invitations) != 0 {
					t.Errorf("invitations: %+v", y.Invitations)
				}
				if next, err := r.Rematch(t.Context()); err != nil || next == again {
					t.Errorf("asking anew: %v, %v", next, err)
				}
			})
		})
	}
	t.Run("after a restart", func(t *testing.T) {
		for _, comes := range []bool{true, false} {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				leave := c.Presence.Enter(c.ana)
				a, r := c.start()
				c.play(a, r, win...)
				ref, err := a.Rematch(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				c.Close()
				leave()
				c = reopen(t, c.store)
				if comes {
					defer c.Presence.Enter(c.ana)()
				}
				time.Sleep(live.AwayOffer - time.Second)
				synctest.Wait()
				offer := c.seat(c.rui, ref.ID)
				if v := c.now(offer); v.Over {
					t.Errorf("the asker comes %v: over too early", comes)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if v := c.now(offer); v.Over == comes {
					t.Errorf("the asker comes %v: over %v", comes, v.Over)
				}
			})
		}
	})
}

func TestRematchTakenBack(t *testing.T) {
	c := newClub(t)
	a, r := c.start()
	c.play(a, r, win...)
	ref, err := r.Rematch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.seat(c.ana, ref.ID).Abort(t.Context()); err != nil {
		t.Fatalf("declining: %v", err)
	}
	if v := c.now(a); v.Rematch != nil {
		t.Errorf("a declined rematch is still shown: %+v", v.Rematch)
	}
	if next, err := a.Rematch(t.Context()); err != nil || next == ref {
		t.Errorf("asking anew: %v, %v", next, err)
	}
}

// TestRematchThatCannotBeOpened: after a rematch that could not be opened, also because of a panic, one can be asked for again.
func TestRematchThatCannotBeOpened(t *testing.T) {
	broken := false
	c := newClub(t, func(cfg *lobby.Config) {
		cfg.Seed = func() uint64 {
			if broken {
				panic("out of order")
			}
			return 1
		}
	})
	a, r := c.start()
	c.play(a, r, win...)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c.store.set(func([]matches.Event) error { return storage.ErrCommit }, nil, nil)
	_, err := a.Rematch(ctx)
	wantErr(t, "while the store fails", err, lobby.ErrBusy)
	c.store.set(nil, nil, nil)

	broken = true
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		a.Rematch(ctx)
	}()
	broken = false
	ref, err := r.Rematch(ctx)
	wantErr(t, "asked again", err, nil)
	got, err := a.Rematch(ctx)
	if wantErr(t, "asked by the other side", err, nil); got != ref {
		t.Errorf("two rematches: %v and %v", got, ref)
	}
}

func TestRematchAtOnce(t *testing.T) {
	tests := []struct {
		name string
		spec seats.Spec
	}{
		{"computer player", seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first"}},
		{"one keyboard", seats.Spec{Game: "fourmation", Hotseat: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClub(t)
			s := c.seat(c.guest, c.open(c.guest, tt.spec).ID)
			if err := s.Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			ref, err := s.Rematch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			old, v := c.now(s), c.now(c.seat(c.guest, ref.ID))
			if v.Started.IsZero() || v.Seats[0] != old.Seats[1] || v.Seats[1] != old.Seats[0] {
				t.Errorf("seats %v after %v", v.Seats, old.Seats)
			}
		})
	}
}

// TestRematchRace: both ask for a rematch at once, from several terminals; there is one, and both sit in it.
func TestRematchRace(t *testing.T) {
	for range 20 {
		c := newClub(t)
		a, r := c.start()
		c.play(a, r, win...)
		refs := make(chan lobby.Ref, 8)
		var askers sync.WaitGroup
		for i := range cap(refs) {
			askers.Go(func() {
				ref, err := []*seats.Seat{a, r}[i%2].Rematch(t.Context())
				if err != nil {
					t.Error(err)
				}
				refs <- ref
			})
		}
		askers.Wait()
		first := <-refs
		for range cap(refs) - 1 {
			if ref := <-refs; ref != first {
				t.Fatalf("two rematches: %v and %v", ref, first)
			}
		}
		if v := c.now(c.seat(c.rui, first.ID)); v.Started.IsZero() || v.Events != 2 {
			t.Fatalf("the rematch: %s", text(v))
		}
		c.Close()
	}
}
