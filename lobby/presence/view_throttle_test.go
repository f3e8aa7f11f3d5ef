package presence

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage"
)

// TestPresenceNewsAreForgotten: a match at which nobody comes or goes any more is left over nowhere.
func TestPresenceNewsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNews()
		if !n.now("quiet") || !n.now("busy") || n.now("busy") {
			t.Error("who is there is shown once a second")
		}
		n.showed("busy", 1000)
		time.Sleep(every)
		if !n.now("busy") || !n.early("busy") {
			t.Error("a thousand spectators are shown as often as a few")
		}
		n.wait("busy")
		var late []storage.MatchID
		for more := true; more; {
			var some []storage.MatchID
			some, more = n.next()
			late = append(late, some...)
			if more {
				time.Sleep(every)
			}
		}
		if !slices.Equal(late, []storage.MatchID{"busy"}) {
			t.Errorf("%q are to be shown again", late)
		}
		if left := len(n.shown) + len(n.late); left > 0 {
			t.Errorf("%d matches are left over", left)
		}
	})
}
