package lobby

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// settled returns the lists when all that has happened is in them.
func (c *club) settled() *Lists {
	time.Sleep(2 * time.Second)
	synctest.Wait()
	return c.Lists()
}

func TestListsFollow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		defer c.Enter(c.ana)()
		secret := c.open(c.ana, Spec{Game: "fourmation"})
		time.Sleep(time.Second)
		public := c.open(c.ana, Spec{Game: "fourmation", Public: true, Side: PlayFirst})
		l := c.settled()
		if len(l.Offers) != 1 || l.Offers[0].Ref != public || l.Offers[0].By.Name != "ana" || l.Offers[0].Side.String() != "second" {
			t.Errorf("offers: %+v", l.Offers)
		}
		if y := l.Of(c.ana); len(y.Matches) != 2 || y.Matches[0].Ref != secret || y.Matches[0].YourTurn || !y.Matches[0].Started.IsZero() {
			t.Errorf("ana's matches: %+v", y.Matches)
		}
		if y := l.Of(c.rui); len(y.Matches) != 0 {
			t.Errorf("rui's matches: %+v", y.Matches)
		}
		if p := l.Public(); p.Seq != l.Seq || len(p.Offers) != 1 || len(p.Of(c.ana).Matches) != 0 || p.Public() != p {
			t.Errorf("without ana's: %+v", p)
		}
		if _, err := c.Take(t.Context(), c.rui, public.ID); err != nil {
			t.Fatal(err)
		}
		a := c.seat(c.ana, public.ID)
		c.play(a, c.seat(c.rui, public.ID), "d4", "e5", "e4")
		l = c.settled()
		if len(l.Offers) != 0 || len(l.Running) != 1 || l.Running[0].Ref != public || l.Running[0].Ply != 3 {
			t.Errorf("offers %+v, running %+v", l.Offers, l.Running)
		}
		mine, his := l.Of(c.ana).Matches, l.Of(c.rui).Matches
		if len(mine) != 2 || mine[0].Ref != public || mine[0].YourTurn || mine[0].Opponent.Name != "rui" || mine[1].Ref != secret {
			t.Errorf("ana's matches: %+v", mine)
		}
		if len(his) != 1 || !his[0].YourTurn || his[0].Side.String() != "second" || his[0].Ply != 3 {
			t.Errorf("rui's matches: %+v", his)
		}
		wantErr(t, "resign", a.Resign(t.Context()), nil)
		l = c.settled()
		if len(l.Running) != 0 || len(l.Of(c.rui).Matches) != 0 || len(l.Of(c.ana).Matches) != 1 {
			t.Errorf("after the end: %+v, %+v", l.Running, l.Of(c.rui))
		}
	})
}

// Matches that wait for you come first, the longest wait first.
// TestListsAreShared: what a reader makes of the public lists serves the others until something that all see changes.
func TestListsAreShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		made := 0
		ask := func(l *Lists, key string) any {
			return l.Shared(key, func() any { made++; return fmt.Sprint(key, made) })
		}
		c.open(c.ana, Spec{Game: "fourmation", Public: true})
		first := c.settled()
		if a, b := ask(first, "en"), ask(first.Public(), "en"); a != "en1" || b != a {
			t.Errorf("made for one %v, for another %v", a, b)
		}
		if a := ask(first, "pt"); a != "pt2" {
			t.Errorf("another key gets %v", a)
		}
		c.open(c.ana, Spec{Game: "fourmation"}) // which nobody else sees
		second := c.settled()
		if second == first {
			t.Fatal("the lists are the same")
		}
		if a := ask(second, "en"); a != "en1" {
			t.Errorf("after something private %v is made", a)
		}
		c.open(c.ana, Spec{Game: "fourmation", Public: true})
		if a := ask(c.settled(), "en"); a != "en3" {
			t.Errorf("after something public it is still %v", a)
		}
		if a := ask(&Lists{}, "en"); a != "en4" {
			t.Errorf("for lists of nobody's making it is %v", a)
		}
	})
}

func TestYoursInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		var want []string
		offer := c.open(c.ana, Spec{Game: "fourmation"}).Code
		first, _ := c.start()
		time.Sleep(time.Minute)
		second, _ := c.start()
		time.Sleep(time.Minute)
		moved, _ := c.start()
		c.play(moved, moved, "d4")
		for _, s := range []*Seat{first, second, moved} {
			want = append(want, c.now(s).Code)
		}
		want = append(want, offer)
		var got []string
		for _, m := range c.Yours(c.ana).Matches {
			got = append(got, m.Code)
		}
		if !slices.Equal(got, want) {
			t.Errorf("matches in the order %v, want %v", got, want)
		}
		got = nil
		for _, m := range c.settled().Of(c.ana).Matches {
			got = append(got, m.Code)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the lists have the order %v, want %v", got, want)
		}
	})
}

// However much happens, new lists are made only so often; nobody is woken by what does not concern him.
func TestListsAreCoalesced(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var anaSaw, ruiSaw int
		ended := make(chan struct{})
		watch := func(who Who, saw *int) {
			defer func() { ended <- struct{}{} }()
			for after := uint64(0); ; {
				l, err := c.Next(ctx, who, after)
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
		s := c.seat(c.ana, c.open(c.ana, Spec{Game: "fourmation", Hotseat: true}).ID)
		c.settled()
		go watch(c.ana, &anaSaw)
		synctest.Wait()
		go watch(c.rui, &ruiSaw)
		synctest.Wait()
		for _, m := range win[:6] { // a private match: its moves concern ana alone
			c.play(s, s, m)
			time.Sleep(10 * time.Millisecond)
		}
		seq := c.Lists().Seq
		for range 100 {
			c.Enter(c.rui)()
			time.Sleep(10 * time.Millisecond)
		}
		if made := c.Lists().Seq - seq; made < 1 || made > 3 {
			t.Errorf("%d new lists while people came and went for a second", made)
		}
		for range 50 {
			offer := c.open(c.ana, Spec{Game: "fourmation", Public: true})
			time.Sleep(10 * time.Millisecond)
			if err := c.seat(c.ana, offer.ID).Abort(ctx); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		c.settled()
		stop()
		<-ended
		<-ended
		if anaSaw < 10 || anaSaw > 15 {
			t.Errorf("ana saw %d lists in about two seconds", anaSaw)
		}
		if ruiSaw > 7 {
			t.Errorf("rui saw %d public lists in about two seconds", ruiSaw)
		}
		before := c.Lists().Seq
		time.Sleep(time.Hour)
		if after := c.Lists().Seq; after != before {
			t.Errorf("%d new lists while nothing happened", after-before)
		}
	})
}

// A crowd in the lobby sees what is new soon, but not all of it at the same moment; what concerns somebody alone he sees at once.
func TestListsComeInTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		const crowd = 256
		every := c.limits.ListEvery
		saw := make(chan time.Time)
		wait := func(who Who, after uint64) {
			if _, err := c.Next(t.Context(), who, after); err != nil {
				t.Error(err)
			}
			saw <- time.Now()
		}
		seq := c.settled().Seq
		for i := range crowd {
			go wait(c.Guest(fmt.Sprint(i)), seq)
		}
		synctest.Wait()
		began := time.Now()
		c.open(c.ana, Spec{Game: "fourmation", Public: true})
		go wait(c.ana, seq)
		if d := (<-saw).Sub(began); d > every {
			t.Errorf("who opened the offer sees it after %v", d)
		}
		at := make(map[time.Duration]int)
		for range crowd {
			d := (<-saw).Sub(began)
			if at[d]++; d > 2*every {
				t.Errorf("somebody sees it after %v", d)
			}
			if at[d] > crowd/8 {
				t.Errorf("%d see it at the same moment", at[d])
			}
		}
		began = time.Now()
		go wait(c.Guest("late"), 0)
		if d := (<-saw).Sub(began); d != 0 {
			t.Errorf("who comes waits %v for his first lists", d)
		}
	})
}

func TestListsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *Config) { cfg.Limits.Listed, cfg.Limits.Here = 3, 2 })
		for i := range 5 {
			defer c.Enter(c.Guest(fmt.Sprint(i)))()
			c.open(c.ana, Spec{Game: "fourmation", Public: true})
			c.open(c.rui, Spec{Game: "fourmation", Public: true, Bot: "first"})
		}
		if l := c.settled(); len(l.Offers) != 3 || len(l.Running) != 3 || len(l.Here) != 2 || l.Count != 5 {
			t.Errorf("%d offers, %d running, %d of %d here", len(l.Offers), len(l.Running), len(l.Here), l.Count)
		}
	})
}

func TestShardsForgetThoseWithoutMatches(t *testing.T) {
	shard := map[key]yours{{"player", "busy"}: {Yours: Yours{Matches: make([]Mine, 1)}}}
	for i := range maxGone {
		shard[key{"guest", fmt.Sprint(i)}] = yours{}
	}
	if fresh, fewer := copyShard(shard); fewer || len(fresh) != maxGone+1 {
		t.Errorf("%d of %d kept", len(fresh), len(shard))
	}
	shard[key{"guest", "one more"}] = yours{}
	fresh, fewer := copyShard(shard)
	if !fewer || len(fresh) != 1 || len(shard) != maxGone+2 {
		t.Errorf("%d of %d kept", len(fresh), len(shard))
	}
}

func TestStrengthInLists(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(func(s *Spec) { s.Rated = true })
		c.play(a, r, win...)
		c.open(c.ana, Spec{Game: "fourmation", Public: true})
		time.Sleep(time.Second)
		c.open(c.ana, Spec{Game: "petteia", Public: true})
		l := c.settled()
		if got := l.Offers[0].Strength; !got.Known || got.Rating != c.now(a).Ratings[0].After.Rating || !got.Provisional {
			t.Errorf("ana in 4Mation: %+v", got)
		}
		if got := l.Offers[1].Strength; got.Known {
			t.Errorf("ana in Petteia: %+v", got)
		}
	})
}

// Finished matches that nobody looks at are forgotten; they come back from the records.
func TestShelfIsBounded(t *testing.T) {
	c := newClub(t, func(cfg *Config) { cfg.Limits.CachedPlies = 3 * (boardWeight + len(win)) })
	var seats []*Seat
	for range 6 {
		a, r := c.start()
		c.play(a, r, win...)
		seats = append(seats, a)
	}
	if n := len(c.finished.byID); n > 3 {
		t.Errorf("%d boards kept", n)
	}
	for _, s := range seats {
		if v := c.now(s); v.Result != "first" || v.Ply() != len(win) {
			t.Errorf("from the records: %s", text(v))
		}
	}
}

// A reader of a finished match that is being forgotten still hears of a rematch.
func TestReaderKeepsABoard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *Config) { cfg.Limits.CachedPlies = 1 })
		a, r := c.start()
		c.play(a, r, win...)
		seen := c.now(r)
		got := make(chan *View, 1)
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

// TestOnlyThoseConcernedWake: new lists wake everybody only if something has changed that all see.
func TestOnlyThoseConcernedWake(t *testing.T) {
	woken := func(p *listPage) (public bool, shards []int) {
		for n, c := range p.shards {
			if isClosed(c) {
				shards = append(shards, n)
			}
		}
		return isClosed(p.public), shards
	}
	for _, tt := range []struct {
		name   string
		public bool
		shards []int
	}{
		{"nothing", false, nil},
		{"what all see", true, nil},
		{"somebody's own", false, []int{3, 60}},
		{"both", true, []int{0}},
	} {
		p := newListPage()
		lists := &Lists{Seq: 7, public: 6}
		if tt.public {
			lists.public = 7
		}
		var own [yoursShards]bool
		for _, n := range tt.shards {
			own[n] = true
		}
		next, wake := p.follow(lists, own)
		if public, shards := woken(p); public || shards != nil {
			t.Errorf("%s: woken before it is shown: %v, %v", tt.name, public, shards)
		}
		wake()
		if public, shards := woken(p); public != tt.public || !slices.Equal(shards, tt.shards) {
			t.Errorf("%s: woken are all %v, shards %v", tt.name, public, shards)
		}
		if public, shards := woken(next); public || shards != nil || next.lists != lists {
			t.Errorf("%s: of the next lists, woken are all %v, shards %v", tt.name, public, shards)
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
