package lobby_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// TestLeaversAreForgotten: presence forgets when a user left, unless a match waits for the user, and then with the end of the last such match. Only
// matches show that time.
func TestLeaversAreForgotten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		started := time.Now()
		time.Sleep(time.Minute)
		gone := func(after string, who lobby.User, id storage.MatchID, since time.Time) {
			t.Helper()
			v := c.now(c.seat(who, id))
			side, _ := v.Side(who)
			if p := v.Presence[side]; p.Near != lobby.Gone || !p.Since.Equal(since) {
				t.Errorf("after %s %s is %+v, want gone since %v", after, who.Name, p, since)
			}
		}
		forgotten := func(after string, who lobby.User) {
			t.Helper()
			id := c.open(who, seats.Spec{Game: "fourmation"}).ID
			gone(after, who, id, started)
			if err := c.seat(who, id).Abort(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var guests []lobby.User
		for i := range 100 {
			guests = append(guests, c.Accounts.Guest(fmt.Sprint("connection ", i)))
			c.Presence.Enter(guests[i])()
		}
		for _, u := range guests {
			forgotten("coming and going", u)
		}

		leaveAna, leaveGuest := c.Presence.Enter(c.ana), c.Presence.Enter(c.guest)
		offer := c.open(c.ana, seats.Spec{Game: "fourmation"})
		c.open(c.guest, seats.Spec{Game: "fourmation"})
		ref := c.open(c.rui, seats.Spec{Game: "fourmation"})
		if _, err := c.Seats.Join(t.Context(), c.guest, origin.Origin{}, ref.Code); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		left := time.Now()
		leaveAna()
		leaveGuest()
		c.Presence.Enter(c.rui)()
		synctest.Wait()
		remembered := func(after string) {
			t.Helper()
			gone(after, c.guest, ref.ID, left)
			gone(after, c.rui, ref.ID, left)
		}
		gone("leaving an offer behind", c.ana, offer.ID, left)
		remembered("leaving a match behind")
		if err := c.seat(c.ana, offer.ID).Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		forgotten("the end of the offer", c.ana)
		remembered("the end of the offer of ana")
		time.Sleep(lobby.DefaultLimits().AwayGuest)
		synctest.Wait()
		for _, u := range []lobby.User{c.ana, c.rui, c.guest} {
			forgotten("the guest has left the matches", u)
		}
	})
}

// TestManySpectatorsAreShownLessOften: a view shows changes of few spectators within a second, and of many less often. It always shows a player who
// comes or goes within a second. Seat.Now is always up to date.
func TestManySpectatorsAreShownLessOften(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start()
		visit := func(i int) *presence.Session {
			v := c.Presence.Visit(c.Accounts.Guest(fmt.Sprint("connection ", i)), true)
			v.At(a.ID())
			return v
		}
		view := c.now(a)
		count := func() (views int) { // since the view in hand
			t.Helper()
			for {
				ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
				v, err := a.Next(ctx, view.Seq)
				cancel()
				if err != nil {
					return views
				}
				view = v
				views++
			}
		}
		for i := range 10 {
			visit(i)
			time.Sleep(2 * time.Second)
			if count() != 1 || view.Spectators.Count != i+1 {
				t.Fatalf("%d came, %d are shown", i+1, view.Spectators.Count)
			}
		}
		for i := range 990 {
			visit(10 + i)
		}
		time.Sleep(time.Minute)
		count()
		if view.Spectators.Count != 1000 {
			t.Fatalf("1000 came, %d are shown", view.Spectators.Count)
		}
		shown := 0
		for i := range 120 {
			visit(1000 + i)
			time.Sleep(time.Second)
			shown += count()
		}
		if most := 120 / (1 + 1000/200); shown < most/2 || shown > most+1 {
			t.Errorf("%d views in two minutes in which a user came each second", shown)
		}
		if got := c.now(a).Spectators.Count; got != 1120 {
			t.Errorf("who asks is told of %d", got)
		}
		rui := c.Presence.Visit(c.rui, true)
		rui.At(r.ID())
		time.Sleep(time.Second + time.Millisecond)
		if count(); view.Presence[1].Near != lobby.Here || view.Spectators.Count != 1120 {
			t.Errorf("a second after rui came: %+v, %d spectators", view.Presence, view.Spectators.Count)
		}
	})
}
