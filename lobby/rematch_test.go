package lobby

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

func TestRematch(t *testing.T) {
	c := newClub(t)
	a, r := c.start(func(s *Spec) { s.Rated = true })
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
	_, err = c.Join(t.Context(), c.account("eva"), "", ref.Code)
	wantErr(t, "somebody else joins", err, ErrReserved)
	if y := c.Yours(c.rui); len(y.Invitations) != 1 || y.Invitations[0].RematchOf != a.ID() || y.Invitations[0].Side != games.First {
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
		t.Errorf("the old board does not say that it goes on")
	}
	if err := c.seat(c.rui, ref.ID).Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := c.now(a); v.Rematch == nil || !v.Rematch.Taken || v.Rematch.Ref != ref {
		t.Errorf("the old board forgets the rematch that is over: %+v", v.Rematch)
	}
}

// A rematch whose free seat is kept for a guest ends when he has gone.
func TestRematchOfAGuestWhoLeaves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		leave := c.Enter(c.guest)
		ref := c.open(c.ana, Spec{Game: "fourmation", Side: PlayFirst})
		if _, err := c.Join(t.Context(), c.guest, "", ref.Code); err != nil {
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
		time.Sleep(c.limits.AwayGuest - time.Millisecond)
		synctest.Wait()
		if v := c.now(offer); v.Over {
			t.Fatalf("over too early: %s", v.Reason)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if v := c.now(offer); !v.Over || v.Reason != "aborted" || c.now(a).Rematch != nil {
			t.Errorf("over %v, %q; the old board shows %+v", v.Over, v.Reason, c.now(a).Rematch)
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

func TestRematchAtOnce(t *testing.T) {
	tests := []struct {
		name string
		spec Spec
	}{
		{"computer player", Spec{Game: "fourmation", Side: PlayFirst, Bot: "first"}},
		{"one keyboard", Spec{Game: "fourmation", Hotseat: true}},
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
