package lobby_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestClockOfSummary: what is told of a match without its log has the same clock.
func TestClockOfSummary(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(fivePlus3))
		time.Sleep(10 * time.Second)
		c.play(a, r, win[0], win[1])
		time.Sleep(20 * time.Second)
		c.play(a, r, win[2])
		want := c.now(a).Clock
		if want.Left != [2]time.Duration{4*time.Minute + 43*time.Second, 5 * time.Minute} {
			t.Errorf("left %v", want.Left)
		}
		time.Sleep(2 * time.Minute) // it goes out of memory
		synctest.Wait()
		if s := c.Registry().Find(a.ID()).Summary; s.Clock != want {
			t.Errorf("the summary has the clock %+v, want %+v", s.Clock, want)
		}
		if got := c.now(a).Clock; got != want {
			t.Errorf("loaded again the clock is %+v, want %+v", got, want)
		}
	})
}
