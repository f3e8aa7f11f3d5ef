package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/kv"
)

// poolOwner returns the node that owns the pool of quick matches, or -1, and the others.
func (c *cluster) poolOwner() (owner int, others []int) {
	owner = c.owner("quick")
	for i := range c.clubs {
		if i != owner {
			others = append(others, i)
		}
	}
	return owner, others
}

// rows returns the searches that have rows in the store.
func (c *cluster) rows() (all []clusterstore.Seeker) {
	c.t.Helper()
	err := c.engine.View(context.WithoutCancel(c.t.Context()), func(r kv.Reader) (err error) {
		all, err = clusterstore.Seekers.All().Values(r)
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

// TestOwnerPairs: people at nodes that don't own the pool are paired by the one that does, and told how far they are as at a single node.
func TestOwnerPairs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		owner, others := c.poolOwner()
		a, stopA := c.seekAt(others[0], "ana", quick4)
		defer stopA()
		other := quick4
		other.Rated = false
		_, stopE := c.seekAt(owner, "eva", other)
		defer stopE()
		time.Sleep(7500 * time.Millisecond)
		want := pairing.Looking{From: 1080, To: 1920, Waited: 7 * time.Second}
		if got := c.clubs[others[0]].looking(a); got.Looking != want || got.Match != (lobby.Ref{}) {
			t.Errorf("ana is told %+v, want %+v", got, want)
		}
		b, stopB := c.seekAt(others[1], "rui", quick4)
		defer stopB()
		first, second := c.clubs[others[0]].found(a), c.clubs[others[1]].found(b)
		if first != second || first.Code == "" {
			t.Fatalf("ana found %v, rui %v", first, second)
		}
		synctest.Wait()
		if n := len(c.rows()); n != 1 {
			t.Errorf("%d rows, want that of eva alone", n)
		}
	})
}

// TestOwnerPairsSeveral: a player who looks for several games on one node is paired once, with players of other nodes who look for one of them each.
func TestOwnerPairsSeveral(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		looks := func(node int, name string, w quick.Wanted) quick.Search {
			t.Helper()
			s, err := c.clubs[node].Quick.Seek(ctx, c.clubs[node].account(name), w)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		want := quick.Wanted{Games: []quick.Choice{{Game: "petteia"}, {Game: "4mation"}}, Class: clock.Blitz}
		searches := []quick.Search{looks(0, "ana", want)}
		time.Sleep(2 * time.Second)
		if all, _ := c.clubs[2].Quick.Sought(); len(all) != 1 || len(all[0].Games) != 2 || all[0].Class != clock.Blitz || all[0].Who.Name != "ana" {
			t.Errorf("another node says that others look for %+v", all)
		}
		searches = append(searches, looks(1, "rui", quick.Wanted{Games: want.Games[:1], Clock: clock.NewFischer(5, 3)}),
			looks(2, "eva", quick.Wanted{Games: want.Games[1:], Clock: clock.NewFischer(3, 2)}))
		ref := c.clubs[0].found(searches[0])
		time.Sleep(5 * time.Second)
		synctest.Wait()
		found := 0
		for i, s := range searches[1:] {
			switch l := c.clubs[i+1].looking(s); l.Match {
			case ref:
				found++
			case lobby.Ref{}:
			default:
				t.Errorf("somebody is in another match: %v", l.Match)
			}
		}
		if v := c.clubs[1].now(c.clubs[1].seat(c.clubs[1].account("rui"), ref.ID)); found != 1 || len(c.rows()) != 1 || v.Clock.Setting.Class() != clock.Blitz {
			t.Errorf("%d others are in the match, at %s, and %d rows are left", found, v.Clock.Setting, len(c.rows()))
		}
	})
}

// TestOwnerGone: when the owner of the pool is lost, another one pairs those who wait; a match that was entered in its last moment is found.
func TestOwnerGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		owner, others := c.poolOwner()
		c.cables[owner].cut()
		a, stopA := c.seekAt(others[0], "ana", quick4)
		defer stopA()
		b, stopB := c.seekAt(others[1], "rui", quick4)
		defer stopB()
		time.Sleep(2 * time.Second)
		if got := c.clubs[others[0]].looking(a); got.Match != (lobby.Ref{}) {
			t.Errorf("ana found %v although the owner is not declared gone yet", got.Match)
		}
		time.Sleep(nodes.ExpireAfter + time.Second)
		synctest.Wait()
		if first, second := c.clubs[others[0]].looking(a).Match, c.clubs[others[1]].looking(b).Match; first != second || first == (lobby.Ref{}) {
			t.Errorf("ana found %v, rui %v", first, second)
		}
		c.cables[owner].mend()
		time.Sleep(20 * time.Second)
		synctest.Wait()

		// The owner writes the match and is gone before it hears so.
		owner, others = c.poolOwner()
		a, stopA = c.seekAt(others[0], "eva", quick4)
		defer stopA()
		c.cables[owner].answerLate(func() {
			c.cables[owner].answerLate(nil)
			c.cables[owner].cut()
		})
		b, stopB = c.seekAt(others[1], "fay", quick4)
		defer stopB()
		time.Sleep(nodes.ExpireAfter + 3*time.Second)
		synctest.Wait()
		if first, second := c.clubs[others[0]].looking(a).Match, c.clubs[others[1]].looking(b).Match; first != second || first == (lobby.Ref{}) {
			t.Errorf("eva found %v, fay %v", first, second)
		}
		c.cables[owner].mend()
		synctest.Wait()
		if n := len(c.rows()); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// TestSeekersElsewhereWhoCant: of two who are paired by a third node one can't play: they are told why, and the other one looks on.
func TestSeekersElsewhereWhoCant(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3, func(cfg *lobby.Config) { cfg.Limits.NewUnfinished = 1 })
		_, others := c.poolOwner()
		one := c.clubs[others[1]]
		one.open(one.rui, seats.Spec{Game: "4mation", Bot: "first"})
		a, stopA := c.seekAt(others[0], "ana", quick4)
		defer stopA()
		time.Sleep(5 * time.Second)
		b, stopB := c.seekAt(others[1], "rui", quick4)
		defer stopB()
		if _, err := one.lookingErr(b); !errors.Is(err, lobby.ErrTooMany) {
			t.Errorf("rui, who has too many matches, is told %v", err)
		}
		time.Sleep(2 * time.Second)
		if got := c.clubs[others[0]].looking(a); got.Match != (lobby.Ref{}) || got.Waited < 7*time.Second || got.Others != 0 {
			t.Errorf("ana is told %+v", got)
		}
		if n := len(c.rows()); n != 1 {
			t.Errorf("%d rows, want that of ana alone", n)
		}
	})
}

// TestOffersForOtherNodes: the node of a person takes the offer that the owner of the pool has found for them. The range and the blocks of who
// offers hold, and a search whose offer another user takes goes on.
func TestOffersForOtherNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		owner, others := c.poolOwner()
		one, two := c.clubs[others[0]], c.clubs[others[1]]
		spec := lobby.Spec{Game: "4mation", Rated: true, Clock: fivePlus3, Public: true}
		open := func(name string, in *club, change func(*lobby.Spec)) lobby.Ref {
			t.Helper()
			who := in.account(name)
			visit := in.Presence.Visit(who, true)
			t.Cleanup(func() { visit.Leave(false) })
			s := spec
			change(&s)
			ref := in.open(who, s)
			synctest.Wait()
			return ref
		}
		open("narrow", two, func(s *lobby.Spec) { s.Range = [2]int{2000, 2100} })
		open("blocker", two, func(*lobby.Spec) {})
		if _, err := two.Relations.Relate(t.Context(), two.account("blocker"), relations.Blocked, "ana", true); err != nil {
			t.Fatal(err)
		}
		a, stopA := c.seekAt(others[0], "ana", quick4)
		defer stopA()
		time.Sleep(150 * time.Second)
		if got := one.looking(a); got.Match != (lobby.Ref{}) {
			t.Fatalf("ana found %v", got.Match)
		}

		// The node of ana is told of an offer that is taken meanwhile.
		slow := "seekers"
		c.cables[others[0]].lags.Store(&slow)
		late := open("late", two, func(*lobby.Spec) {})
		time.Sleep(time.Second)
		synctest.Wait()
		if rows := c.rows(); len(rows) != 1 || rows[0].Offer != late.ID {
			t.Fatalf("ana isn't to take the offer %v: %+v", late, rows)
		}
		third := c.clubs[owner]
		if _, err := third.Seats.Take(t.Context(), third.account("kim"), late.ID); err != nil {
			t.Fatal(err)
		}
		c.cables[others[0]].lags.Store(nil)
		time.Sleep(3 * time.Second)
		if got := one.looking(a); got.Match != (lobby.Ref{}) || got.Waited < 153*time.Second {
			t.Errorf("ana is told %+v", got)
		}
		want := open("rui", two, func(*lobby.Spec) {})
		if got := one.found(a); got != want {
			t.Errorf("ana found %v, want %v", got, want)
		}
		synctest.Wait()
		if n := len(c.rows()); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// TestBlocksAtSeveralNodes: two who have blocked each other, at two nodes, aren't paired by a third one, nor counted; each meets another person.
func TestBlocksAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		owner, others := c.poolOwner()
		if err := relate(c.clubs[0]); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		a, stopA := c.seekAt(others[0], "ana", quick4)
		defer stopA()
		b, stopB := c.seekAt(others[1], "rui", quick4)
		defer stopB()
		time.Sleep(time.Minute)
		for node, s := range map[int]quick.Search{others[0]: a, others[1]: b} {
			if got := c.clubs[node].looking(s); got.Match != (lobby.Ref{}) || got.Others != 0 {
				t.Errorf("at node %d: %+v", node+1, got)
			}
		}
		k, stopK := c.seekAt(owner, "kim", quick4)
		defer stopK()
		e, stopE := c.seekAt(others[0], "eva", quick4)
		defer stopE()
		met := map[lobby.Ref]int{c.clubs[others[0]].found(a): 1}
		met[c.clubs[others[1]].found(b)]++
		met[c.clubs[owner].found(k)]++
		met[c.clubs[others[0]].found(e)]++
		if len(met) != 2 {
			t.Errorf("they are in %d matches", len(met))
		}
	})
}

// TestFoundBeforeDeclaredGone: a person whose node is declared gone, and back, gets the match that was opened meanwhile.
func TestFoundBeforeDeclaredGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		_, others := c.poolOwner()
		a, stopA := c.seekAt(others[0], "ana", quick4)
		defer stopA()
		c.cables[others[0]].cut()
		lost := "seekers"
		c.cables[others[0]].missing.Store(&lost) // it never reads the row that has the match
		b, stopB := c.seekAt(others[1], "rui", quick4)
		defer stopB()
		ref := c.clubs[others[1]].found(b)
		time.Sleep(nodes.ExpireAfter + 2*time.Second)
		c.cables[others[0]].mend()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := c.clubs[others[0]].looking(a); got.Match != ref {
			t.Errorf("ana found %v, want %v", got.Match, ref)
		}
		if n := len(c.rows()); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// TestPairedBeforeItsNodeKnows: a search that is paired before its own node has read its row ends with its match.
func TestPairedBeforeItsNodeKnows(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		_, others := c.poolOwner()
		slow := "seekers"
		c.cables[others[0]].lags.Store(&slow)
		b, stopB := c.seekAt(others[1], "rui", quick4)
		defer stopB()
		a, stopA := c.seekAt(others[0], "ana", quick4)
		defer stopA()
		time.Sleep(500 * time.Millisecond) // rui's node hears of the match, ana's does not yet
		ref := c.clubs[others[1]].looking(b).Match
		if ref == (lobby.Ref{}) || c.clubs[others[0]].looking(a).Match != (lobby.Ref{}) {
			t.Fatalf("rui found %v, ana %v", ref, c.clubs[others[0]].looking(a).Match)
		}
		if got := c.clubs[others[0]].found(a); got != ref {
			t.Errorf("ana found %v, rui %v", got, ref)
		}
	})
}

// TestApartAtSeveralNodes: a guest who has called a match off isn't paired with the same player again, by a node that knows neither, after
// connecting once more.
func TestApartAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		_, others := c.poolOwner()
		one, two := c.clubs[others[0]], c.clubs[others[1]]
		from := origin.Origin{Addr: netip.MustParseAddr("192.0.2.1")}
		guest := one.Accounts.Guest("connection 2")
		disconnect := one.Connect(guest, from)
		spec := seats.Spec{Game: "4mation"}
		g, stopG := one.seek(guest, spec)
		defer stopG()
		b, stopB := two.seek(two.rui, spec)
		defer stopB()
		ref := one.found(g)
		if got := two.found(b); got != ref {
			t.Fatalf("the guest found %v, rui %v", ref, got)
		}
		if err := one.seat(guest, ref.ID).Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		disconnect()
		again := one.Accounts.Guest("connection 3")
		defer one.Connect(again, from)()
		for _, guestFirst := range []bool{true, false} {
			var stops []context.CancelFunc
			for _, isGuest := range []bool{guestFirst, !guestFirst} {
				in, who := two, two.rui
				if isGuest {
					in, who = one, again
				}
				s, stop := in.seek(who, spec)
				stops = append(stops, stop)
				time.Sleep(2 * time.Second)
				if got := in.looking(s); got.Match != (lobby.Ref{}) || got.Others != 0 {
					t.Errorf("%s is told %+v", who.Name, got)
				}
			}
			for _, stop := range stops {
				stop()
			}
			synctest.Wait()
		}
	})
}

// TestSearchesProperty has people look for matches at several nodes, and leave, while nodes are cut off, join, and know late who owns what.
// Some do something else meanwhile, and come back late or in time. No search gives two matches, no player is brought to one while they are away,
// blocked players are never paired, in the end no two players who can be paired wait, and no row is left.
func TestSearchesProperty(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rapid.Check(struct{ rapid.TB }{t}, func(r *rapid.T) { searchesProperty(t, r) })
	})
}

// A sought is one search of TestSearchesProperty, each of another person.
type sought struct {
	quick.Search
	who  lobby.User
	stop context.CancelFunc
	left bool
	away bool

	// Of the goroutine that waits for it.
	found lobby.Ref
	seats [2]storage.Occupant
	err   error
	done  chan struct{} // closed when it is over
}

// wait notes what a search finds at its node.
func (s *sought) wait(ctx context.Context, at *club) {
	defer close(s.done)
	for after := uint64(0); ; {
		var l quick.Looking
		if l, after, s.err = s.Next(ctx, after); s.err != nil {
			return
		}
		if s.found = l.Match; s.found != (lobby.Ref{}) {
			if m := at.Registry().Find(s.found.ID).Summary; m != nil {
				s.seats = m.Seats
			}
			return
		}
	}
}

// over reports whether a search is over.
func (s *sought) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func searchesProperty(t *testing.T, r *rapid.T) {
	const people = 12
	c := severalNodes(t, 3)
	defer c.engine.Close()
	defer func() {
		for _, one := range c.clubs {
			one.Close()
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var users []lobby.User
	for i := range people {
		users = append(users, c.clubs[0].account(fmt.Sprint("player", i)))
	}
	person := rapid.IntRange(0, people-1)
	blocked := make(map[[2]string]bool)
	for range rapid.IntRange(0, 6).Draw(r, "blocks") {
		a, b := users[person.Draw(r, "a")], users[person.Draw(r, "b")]
		if a == b || blocked[[2]string{a.Name, b.Name}] {
			continue
		}
		if _, err := c.clubs[0].Relations.Relate(ctx, a, relations.Blocked, b.Name, true); err != nil {
			r.Fatal(err)
		}
		blocked[[2]string{a.Name, b.Name}], blocked[[2]string{b.Name, a.Name}] = true, true
	}
	synctest.Wait()
	late, lost := "nodes", "seekers"
	cut := make(map[int]bool)
	var all []*sought
	for range rapid.IntRange(5, 60).Draw(r, "steps") {
		node := rapid.IntRange(0, len(c.clubs)-1).Draw(r, "node")
		switch rapid.IntRange(0, 12).Draw(r, "step") {
		case 11, 12:
			if len(all) > 0 {
				one := all[rapid.IntRange(0, len(all)-1).Draw(r, "away")]
				one.away = !one.away
				one.SetAway(one.away)
			}
		case 0, 1, 2, 3, 4:
			if len(all) == people {
				continue
			}
			own, stop := context.WithCancel(ctx)
			one := &sought{who: users[len(all)], stop: stop, done: make(chan struct{})}
			var err error
			if one.Search, err = c.clubs[node].Quick.Seek(own, one.who, quick.One(quick4)); err != nil {
				stop()
				continue // cut off
			}
			all = append(all, one)
			go one.wait(ctx, c.clubs[node])
		case 5:
			if len(all) > 0 {
				one := all[rapid.IntRange(0, len(all)-1).Draw(r, "leaves")]
				one.stop()
				one.left = true
			}
		case 6:
			if cut[node] = !cut[node]; cut[node] {
				c.cables[node].cut()
			} else {
				c.cables[node].mend()
			}
		case 7:
			if len(c.clubs) < 5 && len(cut) == 0 {
				for _, wire := range c.cables { // two nodes may own the pool for a second
					wire.lags.Store(&late)
				}
				c.join()
			}
		case 8:
			c.cables[node].missing.Store(&lost)
		default:
			time.Sleep(time.Duration(rapid.IntRange(1, 7000).Draw(r, "ms")) * time.Millisecond)
		}
		if rapid.Bool().Draw(r, "settle") {
			synctest.Wait()
		}
	}
	for _, one := range all { // who has missed no call
		one.SetAway(false)
	}
	for node, is := range cut {
		if is {
			c.cables[node].mend()
		}
	}
	for _, wire := range c.cables {
		wire.lags.Store(nil)
	}
	time.Sleep(30 * time.Second)
	synctest.Wait()

	var waiting []*sought
	found, playing := make(map[lobby.Ref][]*sought), make(map[string]map[lobby.Ref]bool)
	for _, s := range all {
		switch {
		case !s.over() && !s.left:
			waiting = append(waiting, s)
		case !s.over():
		case (errors.Is(s.err, lobby.ErrBusy) || errors.Is(s.err, lobby.ErrCutOff)) && len(cut) > 0: // its node was cut off while it opened the match
			s.left = true
		case errors.Is(s.err, context.Canceled) && s.left: // the match is called off
		case errors.Is(s.err, lobby.ErrMissedCall):
			s.left = true
		case s.err != nil:
			r.Errorf("%s: %v", s.who.Name, s.err)
		default:
			found[s.found] = append(found[s.found], s)
			for _, seat := range s.seats {
				if playing[seat.Name] == nil {
					playing[seat.Name] = make(map[lobby.Ref]bool)
				}
				playing[seat.Name][s.found] = true
			}
		}
	}
	for name, in := range playing {
		if len(in) > 1 && name != "" {
			r.Errorf("%s is in %d matches", name, len(in))
		}
	}
	for ref, of := range found {
		switch {
		case len(of) > 2:
			r.Errorf("%v was found by %d", ref, len(of))
		case len(of) == 2 && blocked[[2]string{of[0].who.Name, of[1].who.Name}]:
			r.Errorf("%s has met %s", of[0].who.Name, of[1].who.Name)
		case len(of) == 1:
			for _, s := range all { // the other one must have left
				if sits := s.who.Name == of[0].seats[0].Name || s.who.Name == of[0].seats[1].Name; sits && s != of[0] && !s.left {
					r.Errorf("%v was found by %s, and not by %s", ref, of[0].who.Name, s.who.Name)
				}
			}
		}
	}
	for i, a := range waiting {
		for _, b := range waiting[i+1:] {
			if !blocked[[2]string{a.who.Name, b.who.Name}] {
				r.Errorf("%s and %s wait, and may meet", a.who.Name, b.who.Name)
			}
		}
	}
	if n := len(c.rows()); n != len(waiting) {
		r.Errorf("%d rows, and %d wait", n, len(waiting))
	}
	for _, s := range all {
		s.stop()
	}
	synctest.Wait()
	if n := len(c.rows()); n != 0 {
		r.Errorf("%d rows are left", n)
	}
}
