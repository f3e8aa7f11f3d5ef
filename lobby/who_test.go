package lobby_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// doings is who is here and what they do, as text.
func doings(w *lists.Who) (all []string) {
	for _, p := range w.Here {
		words := fmt.Sprintf("%s %s", p.Name, p.Doing)
		if p.Game != "" {
			words += " " + p.Game
		}
		if p.Strength.Known {
			words += " rated"
		}
		if p.Match != "" {
			words += " public"
		}
		if p.Opponent.Name != "" {
			words += " against " + p.Opponent.Name
		}
		all = append(all, words)
	}
	return all
}

// TestWho: the list says what each of those who are here does most, and names no private match.
func TestWho(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.guest.Name = "guest-otter"
		expect := func(w *lists.Who, want ...string) {
			t.Helper()
			if got := doings(w); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("here are %q, want %q", got, want)
			}
		}
		first, second := c.start(func(s *seats.Spec) { s.Rated = true })
		c.play(first, second, win...) // both have a rating now
		public, _ := c.start(func(s *seats.Spec) { s.Public = true })
		private, _ := c.start()
		expect(c.People.Who(t.Context(), lobby.User{}))

		ana, rui, guest := c.Presence.Visit(c.ana, true), c.Presence.Visit(c.rui, true), c.Presence.Visit(c.guest, true)
		defer rui.Leave(false)
		w, err := c.People.NextWho(t.Context(), lobby.User{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		expect(w, "ana lobby fourmation rated", "rui lobby fourmation rated", "guest-otter lobby")
		next := func() *lists.Who {
			t.Helper()
			if w, err = c.People.NextWho(t.Context(), lobby.User{}, w.Seq); err != nil {
				t.Fatal(err)
			}
			return w
		}
		time.Sleep(2 * time.Second)
		ana.At(public.ID())
		guest.At(public.ID())
		synctest.Wait()
		expect(next(), "ana playing fourmation rated public against rui", "rui lobby fourmation rated", "guest-otter watching fourmation public")
		ana.At(private.ID())
		guest.At(private.ID())
		expect(next(), "ana playing fourmation rated", "rui lobby fourmation rated", "guest-otter watching")
		second2 := c.Presence.Visit(c.ana, true)
		second2.At(first.ID()) // it is over
		expect(c.People.Who(t.Context(), lobby.User{}), "ana playing fourmation rated", "rui lobby fourmation rated", "guest-otter watching")
		ana.Leave(false)
		began := time.Now()
		time.Sleep(4 * time.Minute)
		second2.Pressed()
		time.Sleep(90 * time.Second)
		w = c.People.Who(t.Context(), lobby.User{})
		expect(w, "ana lobby fourmation rated", "rui away fourmation rated", "guest-otter away")
		if since := w.Here[1].Since; began.Sub(since) > 10*time.Second {
			t.Errorf("away since %v, want about %v", since, began)
		}
		guest.Leave(true)
		second2.Leave(true)
		expect(c.People.Who(t.Context(), lobby.User{}), "rui away fourmation rated")
	})
}

// TestWhoShowsMoves: a move in a public match makes a new list, because the list shows clocks.
func TestWhoShowsMoves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		first, second := c.start(func(s *seats.Spec) { s.Public, s.Clock = true, fivePlus3 })
		c.Presence.Visit(c.ana, true).At(first.ID())
		c.Presence.Visit(c.rui, true).At(second.ID())
		synctest.Wait()
		w, err := c.People.NextWho(t.Context(), c.guest, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		c.play(first, second, win[:3]...)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if w, err = c.People.NextWho(ctx, c.guest, w.Seq); err != nil || len(w.Here) != 2 || w.Here[0].Clock.Running || !w.Here[1].Clock.Running {
			t.Errorf("after three moves: %+v, %v", w, err)
		}
	})
}

// TestFollowedFirst: those whom a user follows come first, also if more are here than the list has.
func TestFollowedFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.Here = 3 })
		for _, name := range []string{"abe", "bob", "eva", "zoe"} {
			c.Presence.Enter(c.account(name))
		}
		c.Presence.Enter(c.rui)
		c.Presence.Enter(c.Accounts.Guest("1"))
		for _, name := range []string{"bob", "zoe"} {
			if _, err := c.Relations.Relate(t.Context(), c.ana, relations.Following, name, true); err != nil {
				t.Fatal(err)
			}
		}
		for _, tt := range []struct {
			who  lobby.User
			want string
		}{
			{c.ana, "bob* zoe* abe eva"},
			{c.rui, "abe bob eva"},
			{c.guest, "abe bob eva"},
		} {
			next, err := c.People.NextWho(t.Context(), tt.who, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []*lists.Who{c.People.Who(t.Context(), tt.who), next} {
				var got []string
				for _, p := range w.Here {
					if p.Followed {
						p.Name += "*"
					}
					got = append(got, p.Name)
				}
				if strings.Join(got, " ") != tt.want || w.Count != 6 {
					t.Errorf("%s sees %v of %d, want %s", tt.who.Name, got, w.Count, tt.want)
				}
			}
		}
	})
}

// TestRatingsAreKept: the ratings of all users here are read from the store together, once in half a minute for all readers of the list.
func TestRatingsAreKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const kept = 30 * time.Second
		c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.Here = 2 })
		for _, name := range []string{"abe", "bob", "zoe"} {
			c.Presence.Enter(c.account(name))
		}
		if _, err := c.Relations.Relate(t.Context(), c.ana, relations.Following, "zoe", true); err != nil {
			t.Fatal(err)
		}
		before, reads := c.store.ratings.Load(), int32(len(c.Games()))
		for range 3 {
			c.People.Who(t.Context(), c.ana) // zoe as well, who isn't in the list
			c.People.Who(t.Context(), c.rui)
		}
		if n := c.store.ratings.Load() - before; n != 2*reads {
			t.Errorf("ratings were read %d times, want %d for the list and as many for zoe", n, reads)
		}
		time.Sleep(kept + time.Second)
		c.People.Who(t.Context(), c.rui)
		if n := c.store.ratings.Load() - before; n != 3*reads {
			t.Errorf("%v later ratings had been read %d times, want %d", kept, n, 3*reads)
		}
	})
}

// TestWhoIsNotOld: the first list that a user gets is up to date, however long ago any user last asked for one.
func TestWhoIsNotOld(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ana, rui := c.Presence.Visit(c.ana, true), c.Presence.Visit(c.rui, true)
		defer ana.Leave(false)
		first, err := c.People.NextWho(t.Context(), lobby.User{}, 0)
		if err != nil || first.Count != 2 {
			t.Fatalf("%v, %v, want two who are here", first, err)
		}
		time.Sleep(time.Hour)
		rui.Leave(false)
		time.Sleep(time.Hour)
		synctest.Wait()
		w, err := c.People.NextWho(t.Context(), lobby.User{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := doings(w); w.Count != 1 || len(got) != 1 || !strings.HasPrefix(got[0], "ana ") {
			t.Errorf("an hour after rui has left, here are %q, want ana alone", got)
		}
	})
}

// TestFollowingMakesNewList: a player who follows another one sees it in the list, even if nobody has come or gone.
func TestFollowingMakesNewList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.Presence.Enter(c.rui)
		synctest.Wait()
		w, err := c.People.NextWho(t.Context(), c.ana, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if _, err := c.Relations.Relate(t.Context(), c.ana, relations.Following, "rui", true); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if w, err = c.People.NextWho(ctx, c.ana, w.Seq); err != nil || !w.Here[0].Followed {
			t.Errorf("the next list: %+v, %v", w, err)
		}
	})
}

// TestWhoDoesMost: of several sessions of one user the list shows that in which they do most.
func TestWhoDoesMost(t *testing.T) {
	c := newClub(t)
	public, _ := c.start(func(s *seats.Spec) { s.Public = true })
	var visits []*presence.Session
	for _, at := range []storage.MatchID{"", public.ID(), ""} {
		v := c.Presence.Visit(c.ana, true)
		v.At(at)
		visits = append(visits, v)
	}
	if got := doings(c.People.Who(t.Context(), lobby.User{})); len(got) != 1 || got[0] != "ana playing fourmation public against rui" {
		t.Errorf("here are %q", got)
	}
	for _, v := range visits {
		v.Leave(false)
	}
}
