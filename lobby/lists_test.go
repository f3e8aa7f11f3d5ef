package lobby_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
)

func TestListsFollow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		defer c.Presence.Enter(c.ana)()
		secret := c.open(c.ana, seats.Spec{Game: "fourmation"})
		time.Sleep(time.Second)
		public := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true, Side: seats.PlayFirst})
		l := c.settled(c.ana)
		if len(l.Offers) != 1 || l.Offers[0].Ref != public || l.Offers[0].By.Name != "ana" || l.Offers[0].Side.String() != "second" {
			t.Errorf("offers: %+v", l.Offers)
		}
		if y := l.Yours; len(y.Matches) != 2 || y.Matches[0].Ref != secret || y.Matches[0].YourTurn || !y.Matches[0].Started.IsZero() {
			t.Errorf("ana's matches: %+v", y.Matches)
		}
		if y := c.Lists.Now(c.rui).Yours; len(y.Matches) != 0 {
			t.Errorf("rui's matches: %+v", y.Matches)
		}
		if _, err := c.Seats.Take(t.Context(), c.rui, public.ID); err != nil {
			t.Fatal(err)
		}
		a := c.seat(c.ana, public.ID)
		c.play(a, c.seat(c.rui, public.ID), "d4", "e5", "e4")
		l = c.settled(c.ana)
		if len(l.Offers) != 0 || len(l.Running) != 1 || l.Running[0].Ref != (lobby.Ref{ID: public.ID}) || l.Running[0].Ply != 3 {
			t.Errorf("offers %+v, running %+v", l.Offers, l.Running)
		}
		anas, ruis := l.Yours.Matches, c.Lists.Now(c.rui).Yours.Matches
		if len(anas) != 2 || anas[0].Ref != public || anas[0].YourTurn || anas[0].Opponent.Name != "rui" || anas[1].Ref != secret {
			t.Errorf("ana's matches: %+v", anas)
		}
		if len(ruis) != 1 || !ruis[0].YourTurn || ruis[0].Side.String() != "second" || ruis[0].Ply != 3 {
			t.Errorf("rui's matches: %+v", ruis)
		}
		wantErr(t, "resign", a.Resign(t.Context()), nil)
		l = c.settled(c.rui)
		if len(l.Running) != 0 || len(l.Yours.Matches) != 0 || len(c.Lists.Now(c.ana).Yours.Matches) != 1 {
			t.Errorf("after the end: %+v, %+v", l.Running, l.Yours)
		}
	})
}

// TestSharedIsMadeOnce: users who ask while something is made wait for it.
func TestSharedIsMadeOnce(t *testing.T) {
	const users = 10
	c := newClub(t)
	l := c.Lists.Now(c.ana)
	asking, release := make(chan struct{}), make(chan struct{})
	var made atomic.Int32
	var all sync.WaitGroup
	for range users {
		all.Go(func() {
			asking <- struct{}{}
			l.Shared("English", func() any {
				made.Add(1)
				<-release
				return nil
			})
		})
	}
	for range users {
		<-asking
	}
	close(release)
	all.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("it is made %d times", n)
	}
}

// TestListsAreShared: readers share the result of Lists.Shared until the public part of the lists changes.
func TestListsAreShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		made := 0
		ask := func(l *lists.Lists, key string) any {
			return l.Shared(key, func() any { made++; return fmt.Sprint(key, made) })
		}
		c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
		first := c.settled(c.ana)
		if a, b := ask(first, "en"), ask(c.Lists.Now(c.rui), "en"); a != "en1" || b != a {
			t.Errorf("made for one %v, for another %v", a, b)
		}
		if a := ask(first, "pt"); a != "pt2" {
			t.Errorf("another key gets %v", a)
		}
		c.open(c.ana, seats.Spec{Game: "fourmation"}) // which nobody else sees
		second := c.settled(c.ana)
		if second.Seq == first.Seq {
			t.Fatal("the lists are the same")
		}
		if a := ask(second, "en"); a != "en1" {
			t.Errorf("after something private %v is made", a)
		}
		c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
		if a := ask(c.settled(c.ana), "en"); a != "en3" {
			t.Errorf("after something public it is still %v", a)
		}
		if a := ask(&lists.Lists{}, "en"); a != "en4" {
			t.Errorf("for lists of nobody's making it is %v", a)
		}
	})
}

// TestYoursInOrder: matches that wait for the user come first, the longest wait first.
func TestYoursInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		var want []string
		offer := c.open(c.ana, seats.Spec{Game: "fourmation"}).Code
		first, _ := c.start()
		time.Sleep(time.Minute)
		second, _ := c.start()
		time.Sleep(time.Minute)
		moved, _ := c.start()
		c.play(moved, moved, "d4")
		for _, s := range []*seats.Seat{first, second, moved} {
			want = append(want, c.now(s).Code)
		}
		want = append(want, offer)
		var got []string
		for _, m := range c.Lists.Yours(c.ana).Matches {
			got = append(got, m.Code)
		}
		if !slices.Equal(got, want) {
			t.Errorf("matches in the order %v, want %v", got, want)
		}
		got = nil
		for _, m := range c.settled(c.ana).Yours.Matches {
			got = append(got, m.Code)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the lists have the order %v, want %v", got, want)
		}
	})
}

// TestListsAreCoalesced: however much happens, new lists are made no more often than the limits allow, and matches of others wake no user.
func TestListsAreCoalesced(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var anaSaw, ruiSaw int
		ended := make(chan struct{})
		watch := func(who lobby.User, saw *int) {
			defer func() { ended <- struct{}{} }()
			for after := uint64(0); ; {
				l, err := c.Lists.Next(ctx, who, after)
				if err != nil {
					return
				}
				if l.Seq <= after {
					t.Errorf("lists %d after %d", l.Seq, after)
				}
				after = l.Seq
				*saw++
			}
		}
		s := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Hotseat: true}).ID)
		c.settled(c.ana)
		go watch(c.ana, &anaSaw)
		synctest.Wait()
		go watch(c.rui, &ruiSaw)
		synctest.Wait()
		for _, m := range win[:6] { // a private match: its moves concern ana alone
			c.play(s, s, m)
			time.Sleep(10 * time.Millisecond)
		}
		seen := ruiSaw
		for range 100 {
			c.Presence.Enter(c.rui)()
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if made := ruiSaw - seen; made < 1 || made > 3 {
			t.Errorf("%d new lists while people came and went for a second", made)
		}
		for range 50 {
			offer := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
			time.Sleep(10 * time.Millisecond)
			if err := c.seat(c.ana, offer.ID).Abort(ctx); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		c.settled(c.ana)
		stop()
		<-ended
		<-ended
		if anaSaw < 10 || anaSaw > 15 {
			t.Errorf("ana saw %d lists in about two seconds", anaSaw)
		}
		if ruiSaw > 7 {
			t.Errorf("rui saw %d public lists in about two seconds", ruiSaw)
		}
		before := c.Lists.Now(c.ana).Seq
		time.Sleep(time.Hour)
		if after := c.Lists.Now(c.ana).Seq; after != before {
			t.Errorf("%d new lists while nothing happened", after-before)
		}
	})
}

// TestManyLobbiesInTurn: the more people are here, the longer the drawings of what is new are spread, up to the time until the next lists.
func TestManyLobbiesInTurn(t *testing.T) {
	for _, tt := range []struct {
		here   int
		within time.Duration
	}{{0, lists.UpdateEvery}, {100, lists.UpdateEvery}, {400, 200 * time.Millisecond}, {2000, lists.PublicEvery}} {
		bubble(t, func(t *testing.T) {
			c := newClub(t)
			for i := range tt.here {
				c.Presence.Enter(c.Accounts.Guest(fmt.Sprint("here ", i)))
			}
			seq := c.settled(c.ana).Seq
			const users = 1000
			saw := make(chan time.Time, users)
			var readers sync.WaitGroup
			for i := range users {
				readers.Go(func() {
					if _, err := c.Lists.Next(t.Context(), c.Accounts.Guest(fmt.Sprint(i)), seq); err != nil {
						t.Error(err)
					}
					saw <- time.Now()
				})
			}
			synctest.Wait()
			began := time.Now()
			c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
			readers.Wait()
			slots := make([]int, 5)
			for range users {
				d := (<-saw).Sub(began)
				if d < 0 || d >= tt.within {
					t.Fatalf("with %d people here a user sees it after %v, want within %v", tt.here, d, tt.within)
				}
				slots[int(d)*len(slots)/int(tt.within)]++
			}
			for i, n := range slots {
				if n < users/len(slots)/2 || n > users/len(slots)*2 {
					t.Errorf("with %d people here %d see it in part %d of the time", tt.here, n, i)
				}
			}
		})
	}
}

// TestListsComeInTurn: many users in the lobby see what is new soon, but not all at the same moment; what concerns one user
// reaches that user at once.
func TestListsComeInTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		const users = 256
		every := lists.UpdateEvery
		saw := make(chan time.Time)
		wait := func(who lobby.User, after uint64) {
			if _, err := c.Lists.Next(t.Context(), who, after); err != nil {
				t.Error(err)
			}
			saw <- time.Now()
		}
		seq := c.settled(c.ana).Seq
		for i := range users {
			go wait(c.Accounts.Guest(fmt.Sprint(i)), seq)
		}
		synctest.Wait()
		began := time.Now()
		c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
		go wait(c.ana, seq)
		if d := (<-saw).Sub(began); d > every {
			t.Errorf("the user who opened the offer sees it after %v", d)
		}
		at := make(map[time.Duration]int)
		for range users {
			d := (<-saw).Sub(began)
			if at[d]++; d > 2*every {
				t.Errorf("a user sees it after %v", d)
			}
			if at[d] > users/8 {
				t.Errorf("%d see it at the same moment", at[d])
			}
		}
		began = time.Now()
		go wait(c.Accounts.Guest("late"), 0)
		if d := (<-saw).Sub(began); d != 0 {
			t.Errorf("a newcomer waits %v for the first lists", d)
		}
	})
}

func TestListsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.Listed, cfg.Bounds.Here = 3, 2 })
		for i := range 5 {
			defer c.Presence.Enter(c.Accounts.Guest(fmt.Sprint(i)))()
			c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
			c.open(c.rui, seats.Spec{Game: "fourmation", Public: true, Bot: "first"})
		}
		who := c.People.Who(t.Context(), lobby.User{})
		if l := c.settled(c.ana); len(l.Offers) != 3 || len(l.Running) != 3 || len(who.Here) != 2 || who.Count != 5 || l.Count != 5 {
			t.Errorf("%d offers, %d running, %d of %d here, or %d", len(l.Offers), len(l.Running), len(who.Here), who.Count, l.Count)
		}
	})
}

// TestStrengthInLists: lists show the ratings of the people in them, before and after a restart. The restart reads no other ratings.
func TestStrengthInLists(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(func(s *seats.Spec) { s.Rated = true })
		c.play(a, r, win...)
		c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
		time.Sleep(time.Second)
		c.open(c.ana, seats.Spec{Game: "petteia", Public: true})
		rating := c.now(a).Ratings[0].After.Rating
		for _, when := range []string{"before the restart", "after it"} {
			l := c.settled(c.ana)
			if got := l.Offers[0].Strength; !got.Known || got.Rating != rating || !got.Provisional {
				t.Errorf("%s: ana in 4Mation: %+v", when, got)
			}
			if got := l.Offers[1].Strength; got.Known {
				t.Errorf("%s: ana in Petteia: %+v", when, got)
			}
			c.Close()
			c = reopen(t, c.store)
		}
		if n := c.store.standings.Load(); n != 0 {
			t.Errorf("the ratings of all players were read %d times", n)
		}
	})
}

// TestFinishedCacheIsBounded: finished matches that nobody looks at are forgotten, and come back from the records.
func TestFinishedCacheIsBounded(t *testing.T) {
	const room = 3
	c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.CachedPlies = room * (20 + len(win)) }) // a match without moves costs twenty
	var seats []*seats.Seat
	for range 6 {
		a, r := c.start()
		c.play(a, r, win...)
		seats = append(seats, a)
	}
	read := c.store.finished.Load()
	for _, s := range slices.Backward(seats) { // those that ended last are kept
		if v := c.now(s); v.Result != "first" || v.Ply() != len(win) {
			t.Errorf("from the records: %s", text(v))
		}
	}
	if n := int(c.store.finished.Load() - read); n < len(seats)-room {
		t.Errorf("%d of %d matches kept, want %d", len(seats)-n, len(seats), room)
	}
}

// TestReaderKeepsAFinishedMatch: a finished match with a reader stays in memory, so that the reader sees a rematch.
func TestReaderKeepsAFinishedMatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.CachedPlies = 1 })
		a, r := c.start()
		c.play(a, r, win...)
		seen := c.now(r)
		got := make(chan *lobby.View, 1)
		go func() {
			v, _ := r.Next(t.Context(), seen.Seq)
			got <- v
		}()
		synctest.Wait()
		for range 3 {
			b, d := c.start()
			c.play(b, d, win...)
		}
		ref, err := a.Rematch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if v := <-got; v.Rematch == nil || v.Rematch.Ref != ref {
			t.Errorf("the reader sees %+v", v.Rematch)
		}
	})
}

// TestOnlyThoseConcernedWake: only changes of the public lists and of their own lists wake users.
func TestOnlyThoseConcernedWake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		secret := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Hotseat: true}).ID)
		woken := func(u lobby.User, what func()) bool {
			t.Helper()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			seq, got := c.settled(u).Seq, make(chan bool)
			go func() {
				_, err := c.Lists.Next(ctx, u, seq)
				got <- err == nil
			}()
			synctest.Wait()
			what()
			time.Sleep(2 * time.Second)
			stop()
			return <-got
		}
		for _, tt := range []struct {
			name     string
			what     func()
			ana, rui bool
		}{
			{"nothing", func() {}, false, false},
			{"a private match", func() { c.open(c.ana, seats.Spec{Game: "fourmation"}) }, true, false},
			{"a move in a private match", func() { c.play(secret, secret, c.now(secret).Position.Legal()[0]) }, true, false},
			{"a public offer", func() { c.open(c.guest, seats.Spec{Game: "fourmation", Public: true}) }, true, true},
			{"somebody comes", func() { c.Presence.Enter(c.guest) }, true, true},
		} {
			if got := woken(c.ana, tt.what); got != tt.ana {
				t.Errorf("%s: ana is woken: %v", tt.name, got)
			}
			if got := woken(c.rui, tt.what); got != tt.rui {
				t.Errorf("%s: rui is woken: %v", tt.name, got)
			}
		}
	})
}

// keptFeeds is for how many people without matches the lists keep what is new to them apart. When they are more, all must look again.
const keptFeeds = 50_000

// wakes reports whether a user sees new lists when ana opens a private match, which concerns nobody else, after some guests have looked at theirs.
func (c *club) wakes(u lobby.User, guests ...string) bool {
	c.t.Helper()
	seq := c.settled(u).Seq
	for _, name := range guests {
		c.Lists.Now(c.Accounts.Guest(name))
	}
	c.open(c.ana, seats.Spec{Game: "fourmation"})
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Second)
	defer cancel()
	_, err := c.Lists.Next(ctx, u, seq)
	return err == nil
}

// TestListsForgetThoseWhoLeft: lists keep nothing for guests who have left. Otherwise these would take the room of users who look at the lobby, and
// make them all read again.
func TestListsForgetThoseWhoLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		for i := range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			guest := c.Accounts.Guest(fmt.Sprint(i))
			leave := c.Presence.Enter(guest)
			seq := c.Lists.Now(guest).Seq
			var reading sync.WaitGroup
			reading.Go(func() { _, _ = c.Lists.Next(ctx, guest, seq) })
			synctest.Wait()
			cancel()
			leave()
			reading.Wait()
		}
		var many []string
		for i := range keptFeeds - 10 {
			many = append(many, fmt.Sprint("looks ", i))
		}
		if c.wakes(c.rui, many...) {
			t.Error("with guests who have left more are remembered than there is room for")
		}
		var few []string
		for i := range 20 {
			few = append(few, fmt.Sprint("looks too ", i))
		}
		if !c.wakes(c.rui, few...) {
			t.Error("when more look than there is room for, not all look again")
		}
	})
}

// TestListsOfASecondSession: a reader of a second session misses nothing when the first one leaves.
func TestListsOfASecondSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		leave := c.Presence.Enter(c.rui)
		seq := c.settled(c.rui).Seq
		var reading sync.WaitGroup
		reading.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for {
				l, err := c.Lists.Next(ctx, c.rui, seq)
				if err != nil {
					t.Errorf("a reader that is left does not see the match: %v", err)
					return
				}
				if len(l.Yours.Matches) == 1 {
					return
				}
				seq = l.Seq
			}
		})
		synctest.Wait()
		leave()
		c.open(c.rui, seats.Spec{Game: "fourmation"})
		reading.Wait()
	})
}

// TestListsForgetThoseWithoutMatches: lists keep the feeds of only a few users without matches, and no user misses the end of their last match.
func TestListsForgetThoseWithoutMatches(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start()
		seq := c.settled(c.rui).Seq
		c.play(a, r, win...) // rui is not looking
		time.Sleep(time.Second)
		for i := range keptFeeds {
			c.Lists.Now(c.Accounts.Guest(fmt.Sprint(i)))
		}
		offer := c.open(c.ana, seats.Spec{Game: "fourmation"}) // the next lists
		time.Sleep(time.Second)
		if l, err := c.Lists.Next(t.Context(), c.rui, seq); err != nil || l.Seq <= seq || len(l.Yours.Matches)+len(l.Yours.Invitations) > 0 {
			t.Errorf("rui's next lists: %+v, %v", l, err)
		}
		if err := c.seat(c.ana, offer.ID).Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if l := c.Lists.Now(c.ana); len(l.Yours.Matches)+len(l.Yours.Invitations) > 0 {
			t.Errorf("ana's lists: %+v", l.Yours)
		}
		if c.wakes(c.rui) {
			t.Error("those without matches are forgotten again, though few are remembered")
		}
	})
}

// TestListsTakeTurns: many offers by accounts of one block don't keep the offers of other players off a list. A list of one game has only offers of
// that game.
func TestListsTakeTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.Listed = 8 })
		days := clock.NewCorrespondence(1)
		crowd := func(network byte, accounts, offers int) {
			for i := range accounts {
				u := c.account(fmt.Sprintf("crowd-%d-%d", network, i))
				defer c.Connect(u, origin.Origin{Addr: netip.AddrFrom4([4]byte{192, 0, network, byte(i)})})()
				for range offers {
					c.open(u, seats.Spec{Game: "fourmation", Public: true, Clock: days})
				}
			}
		}
		crowd(1, 6, 5)
		crowd(2, 1, 10)
		honest := map[string]bool{}
		for i, u := range []lobby.User{c.ana, c.rui, c.account("eva"), c.account("zoe")} {
			time.Sleep(time.Minute)
			defer c.Connect(u, origin.Origin{Addr: netip.AddrFrom4([4]byte{198, 51, byte(i), 1})})()
			honest[string(c.open(u, seats.Spec{Game: "fourmation", Public: true, Clock: days}).ID)] = true
		}
		petteia := c.open(c.rui, seats.Spec{Game: "petteia", Public: true, Clock: days})
		for what, offers := range map[string][]lists.Offer{"the lobby": c.settled(c.ana).Offers, "at once": c.Lists.Offers(c.ana, "fourmation")} {
			listed, by := 0, map[string]bool{}
			for _, o := range offers {
				if honest[string(o.ID)] {
					listed++
				}
				by[o.By.Name] = true
			}
			if listed != 4 || len(offers) != 8 || len(by) < 6 {
				t.Errorf("%s: %d of 4 offers are listed, of %d people: %v", what, listed, len(by), by)
			}
			if !slices.IsSortedFunc(offers, func(a, b lists.Offer) int { return a.Since.Compare(b.Since) }) {
				t.Errorf("%s: not the oldest first", what)
			}
		}
		if all := c.Lists.Offers(c.ana, "petteia"); len(all) != 1 || all[0].Ref != petteia {
			t.Errorf("offers of Petteia: %+v", all)
		}
	})
}
