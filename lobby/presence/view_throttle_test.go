package presence

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage"
)

// TestViewsAreForgotten: a match at which nobody comes or goes any more is left over nowhere.
func TestViewsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newViewThrottle()
		if !v.take("quiet") || !v.take("busy") || v.take("busy") {
			t.Error("who is there is shown once a second")
		}
		v.showed("busy", 1000)
		time.Sleep(every)
		if !v.take("busy") || !v.early("busy") {
			t.Error("a thousand spectators are shown as often as a few")
		}
		v.wait("busy")
		var late []storage.MatchID
		for more := true; more; {
			var some []storage.MatchID
			some, more = v.next()
			late = append(late, some...)
			if more {
				time.Sleep(every)
			}
		}
		if !slices.Equal(late, []storage.MatchID{"busy"}) {
			t.Errorf("%q are to be shown again", late)
		}
		if left := len(v.shown) + len(v.late); left > 0 {
			t.Errorf("%d matches are left over", left)
		}
	})
}
