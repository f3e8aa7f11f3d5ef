package live

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// TestReaders: a match counts as watched while it has a reader here or on another node, and for a moment after that.
func TestReaders(t *testing.T) {
	for _, tt := range []struct {
		name      string
		before    time.Duration // since a reader last came or left before the match was in memory
		read      bool          // a reader waits
		elsewhere bool
		now       bool
		lately    bool
		tooLong   time.Duration // from now; 0: it is watched
	}{
		{"never", time.Hour, false, false, false, false, 5*time.Minute - time.Hour},
		{"a moment before", time.Second, false, false, false, true, 5*time.Minute - time.Second},
		{"here", time.Hour, true, false, true, true, 0},
		{"on another node", time.Hour, false, true, true, true, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := &fakeClub{lookedAt: func(storage.MatchID) bool { return tt.elsewhere }}
			r := &readers{
				config: &Schedule{Presence: c}, views: feed.New[*match.View](feed.NewGroup()), before: time.Now().Add(-tt.before),
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if tt.read {
				go r.views.Next(ctx, 0)
				synctest.Wait()
			}
			now, _ := r.last()
			if lately := r.lately(); now != tt.now || lately != tt.lately {
				t.Errorf("%s: a reader now %v, lately %v", tt.name, now, lately)
			}
			at := r.tooLongAt()
			if watched := at.IsZero(); watched != (tt.tooLong == 0) || !watched && time.Until(at) != tt.tooLong {
				t.Errorf("%s: unwatched for too long in %v, want %v", tt.name, time.Until(at), tt.tooLong)
			}
			if changed := r.look(true); changed == tt.lately || r.unwatched.Load() == tt.lately {
				t.Errorf("%s: unwatched %v, changed %v", tt.name, r.unwatched.Load(), changed)
			}
			if r.look(false); r.unwatched.Load() {
				t.Errorf("%s: a match without a computer player counts as unwatched", tt.name)
			}
			stop()
			synctest.Wait()
		})
	}
}
