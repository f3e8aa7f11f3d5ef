package lobby

import (
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
