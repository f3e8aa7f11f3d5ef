package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// TestSeek: two who look for the same are paired as soon as each is in reach of the other, and told how far they are meanwhile.
func TestSeek(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.store.rate(map[string]float64{"ana": 1500, "rui": 1700, "eva": 1600})
		a, stop := c.seek(c.ana, quick4)
		defer stop()
		if got := c.looking(a); got.From != 1400 || got.To != 1600 || got.Others != 0 || got.Waited != 0 || got.Match != (lobby.Ref{}) {
			t.Errorf("ana is told %+v", got)
		}
		time.Sleep(4 * time.Second)
		r, stopRui := c.seek(c.rui, quick4)
		defer stopRui()
		other := quick4
		other.Rated = false
		e, stopEva := c.seek(c.account("eva"), other)
		defer stopEva()
		time.Sleep(3500 * time.Millisecond)
		if got := c.looking(a); got.From != 1330 || got.To != 1670 || got.Others != 1 || got.Waited != 7*time.Second {
			t.Errorf("ana is told %+v", got)
		}
		time.Sleep(7 * time.Second) // 14.5 s and 10.5 s: rui reaches ana
		ref := c.found(a)
		if got := c.found(r); got != ref {
			t.Errorf("rui has found %v, ana %v", got, ref)
		}
		v := c.now(c.seat(c.ana, ref.ID))
		_, anaSits := v.Side(c.ana)
		_, ruiSits := v.Side(c.rui)
		if !anaSits || !ruiSits || v.Started.IsZero() || !v.Rated || v.Clock.Setting != fivePlus3 || !v.Public {
			t.Errorf("the match: %v, rated %v, clock %v", v.Seats, v.Rated, v.Clock.Setting)
		}
		if waited := time.Since(v.Started); waited > everySecond {
			t.Errorf("they met %v ago", waited)
		}
		if got := c.looking(e); got.Match != (lobby.Ref{}) || got.Others != 0 {
			t.Errorf("eva, who wants a casual match, is told %+v", got)
		}
		if l := c.Load(); l.Matches != 1 || l.Offers != 0 {
			t.Errorf("%d matches, %d offers", l.Matches, l.Offers)
		}
	})
}

// everySecond is how often those who look for a match are looked at again.
const everySecond = time.Second

// endOf waits for the error with which a search ends.
func (c *club) endOf(s quick.Search) error {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	for after := uint64(0); ; {
		_, seq, err := s.Next(ctx, after)
		if err != nil {
			return err
		}
		after = seq
	}
}

// TestFoundMatchStays: a match goes on when a user who has learned of it ends the search. One of which the user has not learned is called off.
func TestFoundMatchStays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, stopA := c.seek(c.ana, quick4)
		r, stopR := c.seek(c.rui, quick4)
		ref := c.found(a)
		stopA()
		if got := c.found(r); got != ref {
			t.Errorf("rui has found %v, ana %v", got, ref)
		}
		stopR()
		time.Sleep(time.Second)
		synctest.Wait()
		if v := c.now(c.seat(c.ana, ref.ID)); v.Over || v.Started.IsZero() {
			t.Errorf("the match is over: %v, %q", v.Over, v.Reason)
		}
		wantErr(t, "resigning", c.seat(c.ana, ref.ID).Resign(t.Context()), nil)

		unread, stop := c.seek(c.ana, quick4)
		eva, stopEva := c.seek(c.account("eva"), quick4)
		defer stopEva()
		ref = c.found(eva)
		stop()
		synctest.Wait()
		if v := c.now(c.seat(c.rui, ref.ID)); !v.Over || v.Reason != "aborted" {
			t.Errorf("after ana has left before she learned of it: over %v, %q", v.Over, v.Reason)
		}
		if _, _, err := unread.Next(t.Context(), 0); !errors.Is(err, context.Canceled) {
			t.Errorf("ana, who has left, is told %v", err)
		}
	})
}

// TestSeekEnds: a search ends with its session, at once, and another one of the same user ends it; nobody plays with themselves.
func TestSeekEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		gone, stop := c.seek(c.ana, quick4)
		stop()
		synctest.Wait()
		r, stopRui := c.seek(c.rui, quick4)
		defer stopRui()
		if got := c.looking(r); got.Others != 0 || got.Match != (lobby.Ref{}) {
			t.Errorf("rui, after ana has gone, is told %+v", got)
		}
		if got := c.looking(gone); got.Match != (lobby.Ref{}) {
			t.Errorf("ana, who has gone, has found %v", got.Match)
		}
		again, stopAgain := c.seek(c.rui, quick4)
		defer stopAgain()
		synctest.Wait()
		wantErr(t, "the search before", c.endOf(r), lobby.ErrElsewhere)
		time.Sleep(time.Hour)
		if got := c.looking(again); got.Match != (lobby.Ref{}) || got.Others != 0 || got.From != 0 || got.To != 0 || got.Waited != time.Hour {
			t.Errorf("alone for an hour: %+v", got)
		}
		// Of the three searches the last one alone waits: it is paired, and nobody is left.
		eva, stopEva := c.seek(c.account("eva"), quick4)
		defer stopEva()
		if got := c.found(again); got != c.found(eva) {
			t.Errorf("rui has found %v", got)
		}
		zoe, stopZoe := c.seek(c.account("zoe"), quick4)
		defer stopZoe()
		time.Sleep(time.Hour)
		if got := c.looking(zoe); got.Match != (lobby.Ref{}) || got.Others != 0 {
			t.Errorf("zoe, who comes last, is told %+v", got)
		}
		c.Close()
		wantErr(t, "when the club closes", c.endOf(zoe), lobby.ErrClosed)
	})
}

// TestSeekTakesOffers: a search takes an open offer in reach, the fairest, and one that is opened later.
func TestSeekTakesOffers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.store.rate(map[string]float64{"ana": 1500, "rui": 1580, "eva": 1520, "zoe": 2500})
		eva, zoe := c.account("eva"), c.account("zoe")
		for _, who := range []lobby.User{c.rui, eva, zoe} {
			c.Presence.Enter(who)
		}
		public := quick4
		public.Public = true
		ruis, evas := c.open(c.rui, public), c.open(eva, public)
		narrow := public
		narrow.Range = [2]int{1501, 1600}
		c.open(zoe, narrow)
		for _, want := range []lobby.Ref{evas, ruis} {
			a, stop := c.seek(c.ana, quick4)
			if got := c.found(a); got != want {
				t.Errorf("ana gets %v, want %v", got, want)
			}
			stop()
		}
		a, stop := c.seek(c.ana, quick4)
		defer stop()
		time.Sleep(200 * time.Second)
		if got := c.looking(a); got.Match != (lobby.Ref{}) {
			t.Fatalf("ana has found %v", got.Match)
		}
		kim := c.account("kim")
		c.Presence.Enter(kim)
		later := c.open(kim, public)
		time.Sleep(everySecond)
		if got := c.found(a); got != later {
			t.Errorf("ana gets %v, want %v, which was opened later", got, later)
		}
	})
}

func relate(c *club) error {
	_, err := c.Relations.Relate(c.t.Context(), c.ana, relations.Blocked, "rui", true)
	return err
}

// TestSeekBlocked: a quick match never pairs two players of whom one has blocked the other.
func TestSeekBlocked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		wantErr(t, "block", relate(c), nil)
		a, stop := c.seek(c.ana, quick4)
		defer stop()
		r, stopRui := c.seek(c.rui, quick4)
		defer stopRui()
		time.Sleep(time.Hour)
		if x, y := c.looking(a), c.looking(r); x.Match != (lobby.Ref{}) || y.Match != (lobby.Ref{}) {
			t.Errorf("they have found %v and %v", x.Match, y.Match)
		}
		stop()
		stopRui()
		synctest.Wait()
		for _, pair := range [][2]lobby.User{{c.ana, c.rui}, {c.rui, c.ana}} {
			offer := c.open(pair[0], seats.Spec{Game: "4mation", Public: true})
			if got, err := c.Quick.Quick(t.Context(), pair[1], quick.One(seats.Spec{Game: "4mation"})); got == offer || err != nil {
				t.Errorf("%s takes %s's offer in a quick match: %v", pair[1].Name, pair[0].Name, err)
			}
			_, err := c.Seats.Take(t.Context(), pair[1], offer.ID)
			wantErr(t, "taking the offer", err, lobby.ErrUnavailable)
			_, err = c.Seats.Open(t.Context(), pair[0], seats.Spec{Game: "4mation", To: pair[1].Name})
			wantErr(t, "a challenge", err, lobby.ErrUnavailable)
		}
	})
}

// TestQuickTakesTheFairest: a quick match of a command is with the nearest of those who wait, with an offer or in a search.
func TestQuickTakesTheFairest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.store.rate(map[string]float64{"ana": 1500, "rui": 1900, "eva": 1550, "zoe": 1400})
		eva, zoe := c.account("eva"), c.account("zoe")
		public := quick4
		public.Public = true
		far := c.open(c.rui, public)
		near := c.open(eva, public)
		z, stop := c.seek(zoe, quick4) // takes eva's offer only later: it is 150 points away
		defer stop()
		synctest.Wait()
		if got, err := c.Quick.Quick(t.Context(), c.ana, quick.One(quick4)); got != near || err != nil {
			t.Errorf("ana gets %v, %v, want %v", got, err, near)
		}
		got, err := c.Quick.Quick(t.Context(), c.ana, quick.One(quick4))
		if found := c.found(z); got != found || err != nil {
			t.Errorf("ana gets %v, %v, and zoe, who looks, %v", got, err, found)
		}
		if got, err := c.Quick.Quick(t.Context(), c.ana, quick.One(quick4)); got != far || err != nil {
			t.Errorf("ana gets %v, %v, want %v", got, err, far)
		}
		got, err = c.Quick.Quick(t.Context(), c.ana, quick.One(quick4))
		if err != nil || !c.now(c.seat(c.ana, got.ID)).Started.IsZero() {
			t.Errorf("with nobody left: %v, %v", got, err)
		}
	})
}

// TestSeekersWhoCant: one of two who are paired can't play: they are told why, and the other one looks on from when they came.
func TestSeekersWhoCant(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.NewUnfinished = 1 })
		c.open(c.rui, seats.Spec{Game: "4mation", Bot: "first"})
		a, stop := c.seek(c.ana, quick4)
		defer stop()
		time.Sleep(5 * time.Second)
		r, stopRui := c.seek(c.rui, quick4)
		defer stopRui()
		synctest.Wait()
		wantErr(t, "rui, who has too many matches", c.endOf(r), lobby.ErrTooMany)
		time.Sleep(everySecond)
		if got := c.looking(a); got.Match != (lobby.Ref{}) || got.Waited != 6*time.Second || got.Others != 0 {
			t.Errorf("ana is told %+v", got)
		}
	})
}

// TestSeekAtOnce: many players who come at the same moment are all paired, each in one match.
func TestSeekAtOnce(t *testing.T) {
	c := newClub(t)
	const people = 20
	got := make(chan lobby.Ref, people)
	for i := range people {
		who := c.account(fmt.Sprint("player", i))
		go func() {
			var ref lobby.Ref
			var err error
			if i%4 == 0 {
				ref, err = c.Quick.Quick(t.Context(), who, quick.One(quick4))
			} else {
				var s quick.Search
				if s, err = c.Quick.Seek(t.Context(), who, quick.One(quick4)); err == nil {
					ref = c.found(s)
				}
			}
			if err != nil {
				t.Errorf("%s: %v", who.Name, err)
			}
			got <- ref
		}()
	}
	seats := map[storage.MatchID]int{}
	for range people {
		seats[(<-got).ID]++
	}
	for id, n := range seats {
		if v := c.now(c.seat(c.ana, id)); n != 2 || v.Seats[games.First] == v.Seats[games.Second] {
			t.Errorf("match %s has %d of its two players: %v", id, n, v.Seats)
		}
	}
}

// TestSeekRefused: what can't be played is refused at once.
func TestSeekRefused(t *testing.T) {
	c := newClub(t)
	_, err := c.Quick.Seek(t.Context(), c.ana, quick.One(seats.Spec{Game: "chess"}))
	wantErr(t, "an unknown game", err, lobby.ErrNoSuchGame)
	_, err = c.Quick.Seek(t.Context(), c.ana, quick.One(seats.Spec{Game: "4mation", Options: games.Options{"cols": 1}}))
	if _, ok := errors.AsType[*games.OptionError](err); !ok {
		t.Errorf("an option that can't be: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Quick.Seek(ended, c.ana, quick.One(quick4))
	wantErr(t, "a session that has ended", err, context.Canceled)
}

// TestSeekSeveral: a player who likes several games and any clock of a class gets the first match that fits; those who want the same class play at
// its usual clock, and nobody is paired twice.
func TestSeekSeveral(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		blitz := func(games ...string) quick.Wanted {
			w := quick.Wanted{Class: clock.Blitz}
			for _, g := range games {
				w.Games = append(w.Games, quick.Choice{Game: g})
			}
			return w
		}
		seek := func(who lobby.User, w quick.Wanted) (quick.Search, context.CancelFunc) {
			t.Helper()
			ctx, stop := context.WithCancel(t.Context())
			s, err := c.Quick.Seek(ctx, who, w)
			if err != nil {
				t.Fatal(err)
			}
			return s, stop
		}
		a, stopA := seek(c.ana, blitz("petteia", "4mation", "petteia"))
		defer stopA()
		e, stopE := seek(c.account("eva"), quick.Wanted{Games: []quick.Choice{{Game: "petteia"}}, Clock: clock.NewFischer(10, 5)})
		defer stopE()
		if got := c.looking(a); got.Others != 0 {
			t.Errorf("ana is told %+v", got)
		}
		three := clock.NewFischer(3, 2)
		r, stopR := seek(c.rui, quick.One(seats.Spec{Game: "4mation", Clock: three}))
		defer stopR()
		ref := c.found(a)
		if got := c.found(r); got != ref {
			t.Errorf("rui has found %v, ana %v", got, ref)
		}
		if v := c.now(c.seat(c.ana, ref.ID)); v.Game.About().ID != "fourmation" || v.Clock.Setting != three || v.Rated {
			t.Errorf("they play %s at %s", v.Game.About().ID, v.Clock.Setting)
		}
		fay, stopF := seek(c.account("fay"), blitz("fourmation"))
		defer stopF()
		gil, stopG := seek(c.account("gil"), blitz("petteia", "fourmation"))
		defer stopG()
		ref = c.found(fay)
		if got := c.found(gil); got != ref {
			t.Errorf("gil has found %v, fay %v", got, ref)
		}
		if v := c.now(c.seat(c.account("fay"), ref.ID)); v.Clock.Setting != clock.Blitz.Usual() {
			t.Errorf("they play at %s", v.Clock.Setting)
		}
		if got := c.looking(e); got.Match != (lobby.Ref{}) || got.Others != 0 {
			t.Errorf("eva is told %+v", got)
		}

		ref, err := c.Quick.Quick(t.Context(), c.account("kim"), quick.Wanted{Games: []quick.Choice{{Game: "4mation"}, {Game: "petteia"}}, Class: clock.Rapid})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.found(e); got != ref {
			t.Errorf("eva has found %v, kim %v", got, ref)
		}
		offer, err := c.Quick.Quick(t.Context(), c.account("kim"), blitz("4mation", "petteia"))
		again, _ := c.Quick.Quick(t.Context(), c.account("kim"), blitz("petteia", "4mation"))
		if v := c.now(c.seat(c.account("kim"), offer.ID)); err != nil || !v.Started.IsZero() || v.Clock.Setting != clock.Blitz.Usual() || again != offer {
			t.Errorf("kim opens %v at %s, and then %v: %v", offer, v.Clock.Setting, again, err)
		}
		if got, err := c.Quick.Quick(t.Context(), c.account("lou"), blitz("petteia", "4mation")); got != offer || err != nil {
			t.Errorf("lou takes %v, %v, want %v", got, err, offer)
		}
		if _, err := c.Quick.Seek(t.Context(), c.ana, quick.Wanted{}); !errors.Is(err, lobby.ErrNoSuchGame) {
			t.Errorf("looking for no game: %v", err)
		}
	})
}

// TestSought: the lists say what others look for, but not what the reader or a player in a block with the reader looks for.
func TestSought(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		eva := c.account("eva")
		look := func(who lobby.User, w quick.Wanted) context.CancelFunc {
			t.Helper()
			ctx, stop := context.WithCancel(t.Context())
			if _, err := c.Quick.Seek(ctx, who, w); err != nil {
				t.Fatal(err)
			}
			return stop
		}
		said := func(who lobby.User) (all []string) {
			for _, k := range c.settled(who).Sought {
				all = append(all, fmt.Sprintf("%d %v %s %s %v", len(k.People), k.Games, k.Clock, k.Class, k.Rated))
			}
			return all
		}
		check := func(who lobby.User, want ...string) {
			t.Helper()
			if got := said(who); !slices.Equal(got, want) {
				t.Errorf("%s reads %q, want %q", who.Name, got, want)
			}
		}
		check(eva)
		stopA := look(c.ana, quick.One(quick4))
		defer look(c.rui, quick.Wanted{Games: []quick.Choice{{Game: "petteia"}, {Game: "4mation"}}, Class: clock.Days})()
		check(eva, "1 [fourmation] 5+3  true", "1 [petteia fourmation] none days false")
		check(c.ana, "1 [petteia fourmation] none days false")
		defer look(c.account("fay"), quick.Wanted{Games: []quick.Choice{{Game: "petteia"}, {Game: "4mation"}, {Game: "petteia"}}, Class: clock.Days, Rated: true})()
		check(c.rui, "1 [fourmation] 5+3  true", "1 [petteia fourmation] none days true")
		if _, err := c.Relations.Relate(t.Context(), eva, relations.Blocked, "rui", true); err != nil {
			t.Fatal(err)
		}
		check(eva, "1 [fourmation] 5+3  true", "1 [petteia fourmation] none days true")
		stopA()
		check(eva, "1 [petteia fourmation] none days true")
	})
}
