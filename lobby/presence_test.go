package lobby

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/origin"
)

// remembered is of how many people the club knows since when they are gone.
func (c *club) remembered() int {
	return c.Lobby.presence.Remembered()
}

// TestLeaversAreForgotten unless a match waits for them, and then with the last of their matches.
func TestLeaversAreForgotten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		remembers := func(want int, after string) {
			t.Helper()
			synctest.Wait()
			if got := c.remembered(); got != want {
				t.Errorf("after %s the club remembers %d people who left, want %d", after, got, want)
			}
		}
		for i := range 100 {
			c.Enter(c.Guest(fmt.Sprint("connection ", i)))()
		}
		remembers(0, "a hundred guests who came and went")

		leaveAna, leaveGuest := c.Enter(c.ana), c.Enter(c.guest)
		offer := c.open(c.ana, Spec{Game: "fourmation"})
		c.open(c.guest, Spec{Game: "fourmation"})
		ref := c.open(c.rui, Spec{Game: "fourmation"})
		if _, err := c.Join(t.Context(), c.guest, origin.Origin{}, ref.Code); err != nil {
			t.Fatal(err)
		}
		leaveAna()
		leaveGuest()
		c.Enter(c.rui)()
		remembers(3, "an offer, a match and their people")
		if err := c.seat(c.ana, offer.ID).Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		remembers(2, "the end of the offer")
		time.Sleep(c.limits.AwayGuest)
		remembers(0, "the guest has left the matches")
	})
}

// TestManySpectatorsAreShownLessOften: who watches is shown within a second while few do, and the more do the less often; a player who
// comes or goes is shown within a second all the same, and who asks is told at once.
func TestManySpectatorsAreShownLessOften(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start()
		visit := func(i int) *Visit {
			v := c.Visit(c.Guest(fmt.Sprint("connection ", i)), true)
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
		if most := 120 / (1 + 1000/drawnASecond); shown < most/2 || shown > most+1 {
			t.Errorf("%d views in two minutes in which somebody came each second", shown)
		}
		if got := c.now(a).Spectators.Count; got != 1120 {
			t.Errorf("who asks is told of %d", got)
		}
		rui := c.Visit(c.rui, true)
		rui.At(r.ID())
		time.Sleep(presenceEvery + time.Millisecond)
		if count(); view.Presence[1].Near != Here || view.Spectators.Count != 1120 {
			t.Errorf("a second after rui came: %+v, %d spectators", view.Presence, view.Spectators.Count)
		}
		time.Sleep(time.Hour)
		c.Lobby.presenceNews.mu.Lock()
		defer c.Lobby.presenceNews.mu.Unlock()
		if n := len(c.Lobby.presenceNews.shown) + len(c.Lobby.presenceNews.late); n > 0 {
			t.Errorf("%d matches are left over", n)
		}
	})
}
