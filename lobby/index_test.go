package lobby_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// A user who opens many matches at once gets no more than one who opens them in turn.
func TestLimitsHoldWhileOpening(t *testing.T) {
	c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.OpenOffers = 1 })
	begun, release := held(c)
	opened := make(chan error, 1)
	go func() {
		_, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation"})
		opened <- err
	}()
	<-begun
	_, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation"})
	wantErr(t, "a second offer while the first is being written", err, lobby.ErrTooMany)
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
			_, err := c.Seats.Open(ctx, c.rui, seats.Spec{Game: "fourmation"})
			return err
		}},
		{"joining", func(ctx context.Context, c *club, code string) error {
			_, err := c.Seats.Join(ctx, c.rui, origin.Origin{}, code)
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Unfinished = 1 })
				ref := c.open(c.ana, seats.Spec{Game: "fourmation"})
				release := make(chan struct{})
				c.store.set(func([]matches.Event) error { <-release; return nil }, nil, nil)
				ctx, leave := context.WithCancel(t.Context())
				left := make(chan error, 1)
				go func() { left <- tt.begin(ctx, c, ref.Code) }()
				synctest.Wait()
				leave()
				wantErr(t, "who left", <-left, context.Canceled)
				soon, stop := context.WithTimeout(t.Context(), time.Second)
				defer stop()
				_, err := c.Seats.Open(soon, c.rui, seats.Spec{Game: "fourmation"})
				wantErr(t, "another match while the first is being written", err, lobby.ErrTooMany)
				close(release)
				synctest.Wait()
				mine := c.Lists.Yours(c.rui).Matches
				if len(mine) != 1 {
					t.Fatalf("%d matches", len(mine))
				}
				_, err = c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"})
				wantErr(t, "another match when the first is there", err, lobby.ErrTooMany)
				c.store.set(nil, nil, nil)
				wantErr(t, "taking it back", c.seat(c.rui, mine[0].ID).Abort(t.Context()), nil)
				c.open(c.rui, seats.Spec{Game: "fourmation"})
				c.Close()
			})
		})
	}
}

// While it isn't known whether a match was opened, its room stays reserved.
func TestLimitsHoldInDoubt(t *testing.T) {
	for _, written := range []bool{true, false} {
		t.Run(fmt.Sprintf("written %v", written), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Unfinished = 1 })
				fail := func([]matches.Event) error { return storage.ErrCommit }
				unread := func() error { return storage.ErrCommit }
				if written {
					c.store.set(nil, fail, unread)
				} else {
					c.store.set(fail, nil, unread)
				}
				_, err := c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"})
				wantErr(t, "opening", err, lobby.ErrBusy)
				_, err = c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"})
				wantErr(t, "opening another", err, lobby.ErrTooMany)
				c.store.set(nil, nil, nil)
				time.Sleep(time.Minute)
				want := error(nil)
				if written {
					want = lobby.ErrTooMany
				}
				_, err = c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"})
				wantErr(t, "opening one when it is known", err, want)
				c.Close()
			})
		})
	}
}

// TestRoomIsGivenBackWhenItIsKnown: a match whose opening was uncertain counts once when it is there.
func TestRoomIsGivenBackWhenItIsKnown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Unfinished = 2 })
		unread := func() error { return storage.ErrCommit }
		c.store.set(nil, func([]matches.Event) error { return storage.ErrCommit }, unread)
		_, err := c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"})
		wantErr(t, "opening", err, lobby.ErrBusy)
		c.store.set(nil, nil, nil)
		time.Sleep(time.Minute)
		if n := len(c.Lists.Yours(c.rui).Matches); n != 1 {
			t.Errorf("rui has %d matches", n)
		}
		c.open(c.rui, seats.Spec{Game: "fourmation"})
	})
}

// TestEvictingMatchesMakeRoom: a match that is about to be evicted doesn't count, so nothing else is evicted for the room that it
// leaves.
func TestEvictingMatchesMakeRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Matches, cfg.Limits.EvictAloneAfter = 3, time.Hour })
		alone := func() *seats.Seat {
			t.Helper()
			return c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Hotseat: true}).ID)
		}
		old := alone()
		time.Sleep(2 * time.Hour)
		young, other := alone(), alone()
		release, moved := make(chan struct{}), make(chan error)
		c.store.set(func(events []matches.Event) error {
			if events[0].Kind == matches.Moved {
				<-release
			}
			return nil
		}, nil, nil)
		go func() { moved <- old.Move(t.Context(), "d4", lobby.AnyPly) }() // so it can't be evicted just now
		synctest.Wait()
		alone()
		wantErr(t, "aborting a young match", young.Abort(t.Context()), nil)
		alone()
		_, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation"})
		wantErr(t, "a match too many", err, lobby.ErrFull)
		close(release)
		<-moved
		synctest.Wait()
		if v := c.now(other); v.Over {
			t.Errorf("another one was evicted: %s", v.Reason)
		}
	})
}

// TestEvictingTakesTime: however slowly matches are evicted, one is for each that is opened; one that moves at the last moment
// stays.
func TestEvictingTakesTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Matches, cfg.Limits.EvictAloneAfter = 3, time.Hour })
		var old [3]*seats.Seat
		for i := range old {
			old[i] = c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Hotseat: true}).ID)
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Hour)
		release, moved := make(chan struct{}), make(chan error, 1)
		c.store.set(func(events []matches.Event) error { <-release; return nil }, nil, nil)
		go func() { moved <- old[1].Move(t.Context(), "d4", lobby.AnyPly) }() // its match is busy with that
		synctest.Wait()
		opened := make(chan error, 2)
		for range cap(opened) {
			go func() {
				_, err := c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"})
				opened <- err
			}()
		}
		synctest.Wait()
		close(release)
		wantErr(t, "the move", <-moved, nil)
		for range cap(opened) {
			wantErr(t, "opening", <-opened, nil)
		}
		synctest.Wait()
		for i, want := range []bool{true, false, false} {
			if v := c.now(old[i]); v.Over != want {
				t.Errorf("match %d is over: %v, want %v", i, v.Over, want)
			}
		}
		time.Sleep(time.Minute) // nobody looks any more
		_, err := c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"})
		wantErr(t, "another when the last of the old has given way", err, nil)
		synctest.Wait()
		if v := c.now(old[2]); !v.Over {
			t.Error("the last of the old is still there")
		}
		_, err = c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation"})
		wantErr(t, "and one more", err, lobby.ErrFull)
		if n := c.Registry().Counts(); n.Evicting != 0 || n.Opening != 0 || n.Beginning != 0 {
			t.Errorf("left over: %d leaving, %d claimed by %d people", n.Evicting, n.Opening, n.Beginning)
		}
	})
}

// TestUnwatchedBotMatches: the running matches include a match with a computer player only while a user looks at it, and shortly after. They always
// include a match between two people.
func TestUnwatchedBotMatches(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		defer c.Presence.Enter(c.ana)()
		defer c.Presence.Enter(c.rui)() // nobody plays a match whose people are not here
		running := func() (ids []storage.MatchID) {
			for _, r := range c.settled(c.ana).Running {
				ids = append(ids, r.ID)
			}
			return ids
		}
		a, b := c.start(func(s *seats.Spec) { s.Public = true })
		c.play(a, b, "d4", "e4") // else the time for a first move passes
		bot := c.seat(c.rui, c.open(c.rui, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first", Public: true}).ID)
		check := func(when string, listed bool) {
			t.Helper()
			got := running()
			if !slices.Contains(got, a.ID()) || slices.Contains(got, bot.ID()) != listed {
				t.Errorf("%s: %v are listed; the match of people is %s, that with a bot %s", when, got, a.ID(), bot.ID())
			}
		}
		check("at first", true)
		time.Sleep(time.Minute)
		check("nobody looks", false)

		ctx, leave := context.WithCancel(t.Context())
		read := make(chan error)
		go func() {
			v, err := bot.Now(ctx)
			for err == nil {
				v, err = bot.Next(ctx, v.Seq)
			}
			read <- err
		}()
		check("somebody looks", true)
		time.Sleep(time.Hour)
		check("and stays", true)
		leave()
		<-read
		check("and has just left", true)
		time.Sleep(time.Minute)
		check("and has left", false)
		if err := c.seat(c.rui, bot.ID()).Move(t.Context(), "d4", lobby.AnyPly); err != nil {
			t.Errorf("moving in it: %v", err)
		}
		check("a move by a command", false)

		c.Close()
		c = reopen(t, c.store)
		defer c.Presence.Enter(c.ana)()
		check("after a restart", false)
		time.Sleep(time.Second)
		c.now(c.seat(bot.User(), bot.ID()))
		check("somebody looks after the restart", true)
	})
}
