package lobby

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage"
)

// Somebody who asks for many matches at once gets no more than those who ask one by one.
func TestLimitsHoldWhileOpening(t *testing.T) {
	c := newClub(t, func(cfg *Config) { cfg.Limits.OpenOffers = 1 })
	begun, release := held(c)
	opened := make(chan error, 1)
	go func() {
		_, err := c.Open(t.Context(), c.ana, Spec{Game: "fourmation"})
		opened <- err
	}()
	<-begun
	_, err := c.Open(t.Context(), c.ana, Spec{Game: "fourmation"})
	wantErr(t, "a second offer while the first is being written", err, ErrTooMany)
	release <- nil
	wantErr(t, "the first", <-opened, nil)
}

// Leaving while a match is being opened, or joined, does not make room for another one.
func TestLimitsHoldForThoseWhoLeave(t *testing.T) {
	for _, tt := range []struct {
		name  string
		begin func(ctx context.Context, c *club, code string) error
	}{
		{"opening", func(ctx context.Context, c *club, _ string) error {
			_, err := c.Open(ctx, c.rui, Spec{Game: "fourmation"})
			return err
		}},
		{"joining", func(ctx context.Context, c *club, code string) error {
			_, err := c.Join(ctx, c.rui, "", code)
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClub(t, func(cfg *Config) { cfg.Limits.Unfinished = 1 })
				ref := c.open(c.ana, Spec{Game: "fourmation"})
				release := make(chan struct{})
				c.store.set(func([]storage.Event) error { <-release; return nil }, nil, nil)
				ctx, leave := context.WithCancel(t.Context())
				left := make(chan error, 1)
				go func() { left <- tt.begin(ctx, c, ref.Code) }()
				synctest.Wait()
				leave()
				wantErr(t, "who left", <-left, context.Canceled)
				soon, stop := context.WithTimeout(t.Context(), time.Second)
				defer stop()
				_, err := c.Open(soon, c.rui, Spec{Game: "fourmation"})
				wantErr(t, "another match while the first is being written", err, ErrTooMany)
				close(release)
				synctest.Wait()
				mine := c.Yours(c.rui).Matches
				if len(mine) != 1 {
					t.Fatalf("%d matches", len(mine))
				}
				_, err = c.Open(t.Context(), c.rui, Spec{Game: "fourmation"})
				wantErr(t, "another match when the first is there", err, ErrTooMany)
				c.store.set(nil, nil, nil)
				wantErr(t, "taking it back", c.seat(c.rui, mine[0].ID).Abort(t.Context()), nil)
				c.open(c.rui, Spec{Game: "fourmation"})
				c.Close()
			})
		})
	}
}

// The room of a match of which nobody knows whether it was opened is kept until that is known.
func TestLimitsHoldInDoubt(t *testing.T) {
	for _, written := range []bool{true, false} {
		t.Run(fmt.Sprintf("written %v", written), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClub(t, func(cfg *Config) { cfg.Limits.Unfinished = 1 })
				fail := func([]storage.Event) error { return storage.ErrCommit }
				unread := func() error { return storage.ErrCommit }
				if written {
					c.store.set(nil, fail, unread)
				} else {
					c.store.set(fail, nil, unread)
				}
				_, err := c.Open(t.Context(), c.rui, Spec{Game: "fourmation"})
				wantErr(t, "opening", err, ErrBusy)
				_, err = c.Open(t.Context(), c.rui, Spec{Game: "fourmation"})
				wantErr(t, "opening another", err, ErrTooMany)
				c.store.set(nil, nil, nil)
				time.Sleep(time.Minute)
				want := error(nil)
				if written {
					want = ErrTooMany
				}
				_, err = c.Open(t.Context(), c.rui, Spec{Game: "fourmation"})
				wantErr(t, "opening one when it is known", err, want)
				c.Close()
			})
		})
	}
}
