package lobby_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/seats"
)

// TestFinishedShare: resigning finishes a match, letting a minute or a day run out doesn't, and short matches don't count.
func TestFinishedShare(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		want := func(what string, who lobby.User, share float64, known bool) {
			t.Helper()
			got, ok, err := c.Standings.FinishedShare(t.Context(), who.Player())
			if err != nil || got != share || ok != known {
				t.Errorf("%s: %s has finished %v, %v, %v, want %v, %v", what, who.Name, got, ok, err, share, known)
			}
		}
		want("nothing played", c.ana, 0, false)

		a, r := c.start()
		c.play(a, r, win[:4]...)
		if err := a.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		want("resigned", c.ana, 1, true)

		a, r = c.start()
		c.play(a, r, win[:3]...)
		if err := r.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		want("after three moves", c.rui, 1, true)

		a, r = c.start(with(threeDays))
		c.play(a, r, win[:4]...)
		time.Sleep(73 * time.Hour)
		synctest.Wait()
		want("three days without a move", c.ana, 0.5, true)
		want("the other has waited", c.rui, 1, true)

		a, r = c.start(with(oneMinute))
		c.play(a, r, win[:4]...)
		time.Sleep(30 * time.Second)
		c.play(a, r, win[4:6]...)
		time.Sleep(40 * time.Second)
		synctest.Wait()
		if v := c.now(a); v.Reason != "timeout" || v.Result != "second" {
			t.Fatalf("the end: %+v", v)
		}
		want("ran out of time over a move", c.ana, 2./3, true)
	})
}

// TestOffersSayTheShare: an offer says which share of matches its maker finishes, as it stood when it was made, also after a restart; nobody
// reads it from the store again.
func TestOffersSayTheShare(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		offer := func() lists.Offer {
			t.Helper()
			all := c.Lists.Offers(c.ana, "")
			if len(all) != 1 {
				t.Fatalf("%d offers", len(all))
			}
			return all[0]
		}
		ref := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
		if o := offer(); o.Strength.Conduct.Started != 0 {
			t.Errorf("a newcomer's: %+v", o.Strength)
		} else if _, known := o.FinishedShare(); known {
			t.Error("the share of a newcomer is known")
		}
		if err := c.seat(c.ana, ref.ID).Abort(t.Context()); err != nil {
			t.Fatal(err)
		}

		a, r := c.start()
		c.play(a, r, win[:4]...)
		if err := a.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		a, r = c.start(with(threeDays))
		c.play(a, r, win[:4]...)
		time.Sleep(73 * time.Hour)
		synctest.Wait()
		c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
		want := func(when string) {
			t.Helper()
			o := offer()
			if share, known := o.FinishedShare(); share != 0.5 || !known {
				t.Errorf("%s: %v, %v", when, share, known)
			}
		}
		want("made")
		c.Close()
		c = reopen(t, c.store)
		want("after a restart")
	})
}
