package lobby_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
)

// aside has a user look for a match while they do something else.
func (c *club) aside(who lobby.User) (quick.Search, context.CancelFunc) {
	c.t.Helper()
	s, stop := c.seek(who, quick4)
	s.SetAway(true)
	synctest.Wait()
	return s, stop
}

// called checks the call of a search: whether there is one, whom it calls, and how long that lasts.
func (c *club) called(what string, s quick.Search, you bool, left time.Duration) {
	c.t.Helper()
	got := c.looking(s)
	if got.Match != (lobby.Ref{}) || got.Call.Want.Game != "fourmation" || got.Call.Want.Clock != fivePlus3 || got.Call.You != you || got.Call.Left != left {
		c.t.Errorf("%s: told %+v, want a call with %v left (you: %v)", what, got, left, you)
	}
}

// looks checks that a search goes on, without a call, since a time ago.
func (c *club) looks(what string, s quick.Search, waited time.Duration) {
	c.t.Helper()
	if got := c.looking(s); got.Match != (lobby.Ref{}) || got.Call != (quick.Call{}) || got.Waited != waited {
		c.t.Errorf("%s: told %+v, want that they look for %v", what, got, waited)
	}
}

// TestCalled: a player who does something else is called when an opponent is found. The match is opened when they come, and not before.
func TestCalled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, stopA := c.aside(c.ana)
		defer stopA()
		time.Sleep(3 * time.Second)
		c.looks("ana, before anybody fits", a, 3*time.Second)
		r, stopR := c.seek(c.rui, quick4)
		defer stopR()
		c.called("ana", a, true, quick.CallTime)
		c.called("rui", r, false, quick.CallTime)
		time.Sleep(4 * time.Second)
		c.called("ana, later", a, true, 6*time.Second)
		if l := c.Load(); l.Matches != 0 || l.Offers != 0 {
			t.Errorf("%d matches, %d offers before ana has come", l.Matches, l.Offers)
		}
		a.SetAway(false)
		ref := c.found(a)
		if got := c.found(r); got != ref {
			t.Errorf("rui has found %v, ana %v", got, ref)
		}
		v := c.now(c.seat(c.ana, ref.ID))
		if v.Started.IsZero() || time.Since(v.Started) > 0 || v.Clock.Setting != fivePlus3 || !v.Rated {
			t.Errorf("the match began %v ago, at %s", time.Since(v.Started), v.Clock.Setting)
		}
	})
}

// TestMissedCall: the search of a player who doesn't come ends, and nothing is counted against them. The other one goes on looking with their place,
// and is not made to wait for the same player again, but plays them once they are there.
func TestMissedCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.store.rate(map[string]float64{"ana": 1500, "rui": 1700}) // in reach of each other after 10 s
		r, stopR := c.seek(c.rui, quick4)
		defer stopR()
		a, stopA := c.aside(c.ana)
		defer stopA()
		time.Sleep(10500 * time.Millisecond)
		c.called("ana", a, true, quick.CallTime)
		time.Sleep(quick.CallTime - time.Second)
		c.called("ana, at the last moment", a, true, time.Second)
		time.Sleep(2 * time.Second)
		wantErr(t, "ana, who has not come", c.endOf(a), lobby.ErrMissedCall)
		time.Sleep(time.Second)
		c.looks("rui", r, 22*time.Second)

		a, stopA = c.aside(c.ana)
		defer stopA()
		time.Sleep(30700 * time.Millisecond)
		c.looks("rui, when ana looks again", r, 53*time.Second)
		c.looks("ana, who would be called to rui again", a, 30*time.Second)
		a.SetAway(false)
		time.Sleep(time.Second)
		ref := c.found(a)
		if got := c.found(r); got != ref {
			t.Errorf("rui has found %v, ana %v", got, ref)
		}
		if l := c.Load(); l.Matches != 1 {
			t.Errorf("%d matches", l.Matches)
		}
	})
}

// TestLeavesWhileCalled: a player who leaves during a call lets the other one go at once.
func TestLeavesWhileCalled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		eva := c.account("eva")
		a, stopA := c.aside(c.ana)
		r, stopR := c.seek(c.rui, quick4)
		c.called("ana", a, true, quick.CallTime)
		time.Sleep(time.Second)
		stopA()
		synctest.Wait()
		time.Sleep(time.Second)
		c.looks("rui", r, 2*time.Second)
		stopR()
		synctest.Wait()

		a, stopA = c.aside(c.ana)
		defer stopA()
		_, stopR = c.seek(c.rui, quick4)
		c.called("ana, who has not missed a call", a, true, quick.CallTime)
		stopR()
		synctest.Wait()
		time.Sleep(time.Second)
		c.looks("ana, when rui has gone", a, time.Second)
		e, stopE := c.seek(eva, quick4)
		defer stopE()
		c.called("ana, by eva", a, true, quick.CallTime)
		again, stopAgain := c.seek(eva, quick4) // in another window
		defer stopAgain()
		synctest.Wait()
		wantErr(t, "eva's search before", c.endOf(e), lobby.ErrElsewhere)
		time.Sleep(2 * time.Second)
		a.SetAway(false)
		if ref, got := c.found(a), c.found(again); got != ref {
			t.Errorf("eva has found %v, ana %v", got, ref)
		}
	})
}

// TestBothCalled: of two who both do something else, the match begins when both have come; who has come alone goes on looking.
func TestBothCalled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, stopA := c.aside(c.ana)
		defer stopA()
		r, stopR := c.seek(c.rui, quick4)
		r.SetAway(true)
		defer stopR()
		synctest.Wait()
		c.called("ana", a, true, quick.CallTime)
		c.called("rui", r, true, quick.CallTime)
		time.Sleep(time.Second)
		a.SetAway(false)
		c.called("ana, who has come", a, false, quick.CallTime-time.Second)
		time.Sleep(quick.CallTime + time.Second)
		wantErr(t, "rui", c.endOf(r), lobby.ErrMissedCall)
		c.looks("ana", a, quick.CallTime+2*time.Second)

		a.SetAway(true)
		e, stopE := c.seek(c.account("eva"), quick4)
		e.SetAway(true)
		defer stopE()
		time.Sleep(time.Second)
		e.SetAway(false)
		time.Sleep(time.Second)
		a.SetAway(false)
		if ref, got := c.found(a), c.found(e); got != ref {
			t.Errorf("eva has found %v, ana %v", got, ref)
		}

		x, stopX := c.aside(c.account("xu"))
		defer stopX()
		y, stopY := c.aside(c.account("yan"))
		defer stopY()
		time.Sleep(quick.CallTime + 2*time.Second)
		for _, s := range []quick.Search{x, y} {
			wantErr(t, "one of two who don't come", c.endOf(s), lobby.ErrMissedCall)
		}
		if n := c.Quick.Counts().Rows; n != 0 {
			t.Errorf("%d searches are left", n)
		}
	})
}

// TestCalledToOffer: a player who does something else is called to an offer before their seat is taken. The offer stays open until then.
func TestCalledToOffer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		eva := c.account("eva")
		for _, who := range []lobby.User{c.rui, eva} {
			c.Presence.Enter(who)
		}
		public := quick4
		public.Public = true
		a, stopA := c.aside(c.ana)
		defer stopA()
		offer := c.open(c.rui, public)
		time.Sleep(time.Second)
		c.called("ana", a, true, quick.CallTime)
		if l := c.Load(); l.Offers != 1 {
			t.Errorf("%d offers are open", l.Offers)
		}
		if got, err := c.Seats.Take(t.Context(), eva, offer.ID); got != offer || err != nil { // she is faster
			t.Fatal(got, err)
		}
		time.Sleep(2 * time.Second)
		c.looks("ana, when eva has taken it", a, 3*time.Second)
		wantErr(t, "resigning", c.seat(eva, offer.ID).Resign(t.Context()), nil)

		// A quick match by command opens an offer for a player who has to be called first.
		offer, err := c.Quick.Quick(t.Context(), eva, quick.One(quick4))
		if err != nil || !c.now(c.seat(eva, offer.ID)).Started.IsZero() {
			t.Fatalf("%v, %v", offer, err)
		}
		synctest.Wait()
		time.Sleep(time.Second)
		if got := c.looking(a); got.Call.Want.Game == "" || !got.Call.You {
			t.Errorf("ana is told %+v", got)
		}
		a.SetAway(false)
		if got := c.found(a); got != offer {
			t.Errorf("ana has found %v, want %v", got, offer)
		}
		wantErr(t, "resigning", c.seat(eva, offer.ID).Resign(t.Context()), nil)

		a, stopA = c.aside(c.ana)
		defer stopA()
		kim := c.account("kim")
		c.Presence.Enter(kim)
		offer = c.open(kim, public)
		time.Sleep(quick.CallTime + 2*time.Second)
		wantErr(t, "ana, who has not come", c.endOf(a), lobby.ErrMissedCall)
		if v := c.now(c.seat(kim, offer.ID)); v.Over || !v.Started.IsZero() {
			t.Errorf("kim's offer is over: %v %q", v.Over, v.Reason)
		}
	})
}

// TestQuickWhileCalled: a player who is called and asks for a quick match by a command is in no second match.
func TestQuickWhileCalled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, stopA := c.aside(c.ana)
		defer stopA()
		r, stopR := c.seek(c.rui, quick4)
		defer stopR()
		c.called("ana", a, true, quick.CallTime)
		ref, err := c.Quick.Quick(t.Context(), c.ana, quick.One(quick4))
		wantErr(t, "ana's command", err, nil)
		wantErr(t, "ana's search", c.endOf(a), lobby.ErrElsewhere)
		a.SetAway(false)
		time.Sleep(2 * time.Second)
		if got := c.found(r); got != ref {
			t.Errorf("rui has found %v, want %v", got, ref)
		}
		if l := c.Load(); l.Matches != 1 || l.Offers != 0 {
			t.Errorf("%d matches, %d offers", l.Matches, l.Offers)
		}
	})
}

// TestCalledAtSeveralNodes: players of two nodes are called and paired by a third one. Nobody is stuck when the owner of the pool is lost meanwhile,
// or the node of the player who is called.
func TestCalledAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		owner, others := c.poolOwner()
		one, two := c.clubs[others[0]], c.clubs[others[1]]
		aside := func(at *club, name string) (quick.Search, context.CancelFunc) {
			t.Helper()
			return at.aside(at.account(name))
		}
		a, stopA := aside(one, "ana")
		defer stopA()
		b, stopB := c.seekAt(others[1], "rui", quick4)
		defer stopB()
		time.Sleep(2500 * time.Millisecond)
		one.called("ana", a, true, 8*time.Second)
		two.called("rui", b, false, 8*time.Second)
		a.SetAway(false)
		if ref, got := one.found(a), two.found(b); got != ref || ref.Code == "" {
			t.Errorf("ana has found %v, rui %v", ref, got)
		}

		// The owner is lost while eva is called: she comes all the same.
		a, stopA = aside(one, "eva")
		defer stopA()
		b, stopB = c.seekAt(others[1], "fay", quick4)
		defer stopB()
		time.Sleep(1500 * time.Millisecond)
		one.called("eva", a, true, 9*time.Second)
		c.cables[owner].cut()
		a.SetAway(false)
		time.Sleep(nodes.ExpireAfter + 3*time.Second)
		if ref, got := one.found(a), two.found(b); got != ref {
			t.Errorf("eva has found %v, fay %v", ref, got)
		}
		c.cables[owner].mend()
		time.Sleep(20 * time.Second)
		synctest.Wait()

		// The node of gil, who is called, is lost: hal goes on looking.
		_, others = c.poolOwner()
		one, two = c.clubs[others[0]], c.clubs[others[1]]
		a, stopA = aside(one, "gil")
		defer stopA()
		b, stopB = c.seekAt(others[1], "hal", quick4)
		defer stopB()
		time.Sleep(1500 * time.Millisecond)
		one.called("gil", a, true, 9*time.Second)
		c.cables[others[0]].cut()
		time.Sleep(quick.CallTime + nodes.ExpireAfter + 3*time.Second)
		if got := two.looking(b); got.Call != (quick.Call{}) || got.Match != (lobby.Ref{}) || got.Waited < 15*time.Second {
			t.Errorf("hal is told %+v", got)
		}
		c.cables[others[0]].mend()
		stopB()
		time.Sleep(20 * time.Second)
		stopA()
		synctest.Wait()
		if n := len(c.rows()); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// TestPracticeWaitsForTheCalled: a practice match that was running waits, with its clock standing, while its player is at the quick match, and goes on
// with their next move. One whose player doesn't come is not touched.
func TestPracticeWaitsForTheCalled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		practice := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Bot: "first", Side: seats.PlayFirst, Clock: fivePlus3}).ID)
		move := func() {
			t.Helper()
			if err := practice.Move(t.Context(), c.now(practice).Position.Legal()[0], lobby.AnyPly); err != nil {
				t.Fatal(err)
			}
			c.until(practice, func(v *lobby.View) bool { return v.Turn == games.First })
		}
		move()
		a, stopA := c.aside(c.ana)
		defer stopA()
		r, stopR := c.seek(c.rui, quick4)
		defer stopR()
		time.Sleep(2 * time.Second)
		if v := c.now(practice); v.Clock.StandsAt(time.Now()) || !v.Clock.Running() {
			t.Fatalf("the clock of the practice match is %+v before ana has come", v.Clock)
		}
		a.SetAway(false)
		c.found(a)
		c.found(r)
		synctest.Wait()
		v := c.now(practice)
		left := v.Clock.LeftAt(0, time.Now())
		time.Sleep(2 * time.Hour)
		if v = c.now(practice); v.Over || !v.Clock.StandsAt(time.Now()) || v.Clock.LeftAt(0, time.Now()) != left || left < 4*time.Minute {
			t.Errorf("after the quick match: over %v, the clock %+v, %v were left", v.Over, v.Clock, left)
		}
		if pauses := v.Pauses.At(time.Now()); len(pauses) != 1 || pauses[0].Kind != match.Adjourned {
			t.Errorf("it stands for %v", pauses)
		}
		move()
		time.Sleep(time.Minute)
		if v = c.now(practice); v.Clock.StandsAt(time.Now()) || v.Clock.LeftAt(0, time.Now()) > left-50*time.Second {
			t.Errorf("after the next move the clock is %+v", v.Clock)
		}
	})
}
