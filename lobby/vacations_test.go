package lobby_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/vacations"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// away has a player begin a vacation that lasts for a time; 0: for as long as possible.
func (c *club) away(u lobby.User, long time.Duration) vacations.State {
	c.t.Helper()
	var until time.Time
	if long > 0 {
		until = time.Now().Add(long)
	}
	v, err := c.Vacations.Begin(c.t.Context(), u, until)
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

// later lets a time pass.
func later(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

var oneDay = lobby.ClockSetting{Kind: lobby.Correspondence, Base: clock.Day}

// While a player is on vacation no flag falls in their matches with days, for neither side. When the vacation has ended by itself, time passes again:
// exactly what was left before.
func TestVacation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(oneDay))
		c.play(a, r, win[:2]...)
		quick, _ := c.start(with(lobby.ClockSetting{Kind: lobby.Fischer, Base: time.Hour}))
		later(20 * time.Hour)
		v := c.away(c.ana, 5*clock.Day)
		if v.DaysLeft != 9 || !v.Until.Equal(time.Now().Add(5*clock.Day).Truncate(time.Millisecond)) {
			t.Errorf("the vacation is %+v", v)
		}
		now := c.now(r)
		if p := now.Pauses.At(time.Now()); len(p) != 1 || p[0] != (match.Pause{Kind: match.OnVacation, By: storage.FirstSeat, Until: v.Until}) {
			t.Errorf("the opponent sees the pauses %+v", p)
		}
		later(4 * clock.Day)
		if !c.now(quick).Over {
			t.Error("a match without days stands too")
		}
		if err := a.Move(t.Context(), win[2], lobby.AnyPly); err != nil { // moving is allowed
			t.Fatal(err)
		}
		later(clock.Day + 23*time.Hour)
		if c.now(r).Over {
			t.Fatal("the opponent's time has run out on the vacation")
		}
		later(2 * time.Hour)
		if now := c.now(r); !now.Over || now.Reason != "timeout" || now.Result != "first" {
			t.Errorf("a day after the vacation the match is %q, %q", now.Result, now.Reason)
		}
	})
}

// The clock of a match against a computer player stands too, and the computer player agrees to no adjournment.
func TestVacationFromComputer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first", Clock: oneDay}).ID)
		if err := a.Move(t.Context(), win[0], lobby.AnyPly); err != nil {
			t.Fatal(err)
		}
		later(20 * time.Hour)
		c.away(c.ana, 5*clock.Day)
		later(4 * clock.Day)
		if now := c.now(a); now.Over || !now.YourTurn(c.ana) {
			t.Errorf("on vacation the match is %q", now.Reason)
		}
		wantErr(t, "adjourn", a.Adjourn(t.Context()), match.ErrNoAdjourn)
		later(2 * clock.Day)
		if now := c.now(a); now.Reason != "timeout" {
			t.Errorf("a day after the vacation the match is %q", now.Reason)
		}
	})
}

// A vacation ends when its player says so, or its end moves; it stands in a log once. What was left before is left after it.
func TestVacationEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(oneDay))
		c.play(a, r, win[:2]...)
		later(20 * time.Hour)
		c.away(c.ana, 0)
		later(clock.Day)
		c.away(c.ana, 6*clock.Day)
		later(clock.Day)
		v, err := c.Vacations.End(t.Context(), c.ana)
		if err != nil || v.DaysLeft != 12 || !v.Until.IsZero() {
			t.Errorf("ended it is %+v, %v", v, err)
		}
		if left := c.now(a).Clock.LeftAt(0, time.Now()); left.Round(time.Second) != 4*time.Hour {
			t.Errorf("%v are left", left)
		}
		later(2 * time.Minute) // nothing is written again
		log := c.kindsOf(a.ID())
		n := 0
		for _, k := range log {
			if k == matches.Vacation {
				n++
			}
		}
		if n != 3 {
			t.Errorf("the log has %v", log)
		}
		later(5 * time.Hour)
		if now := c.now(r); !now.Over || now.Reason != "timeout" {
			t.Error("after the vacation no flag falls")
		}
		_, err = c.Vacations.End(t.Context(), c.ana)
		wantErr(t, "ended twice", err, lobby.ErrNoVacation)
		_, err = c.Vacations.Begin(t.Context(), c.ana, time.Now().Add(-time.Hour))
		wantErr(t, "in the past", err, lobby.ErrVacationPast)
		_, err = c.Vacations.Begin(t.Context(), c.guest, time.Time{})
		wantErr(t, "a guest", err, lobby.ErrNeedsKey)
	})
}

// No vacation begins with a move overdue, even before the flag falls.
func TestVacationWithMoveOverdue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(oneDay))
		c.play(a, r, win[:2]...)
		deadline := c.now(a).Clock.Deadline()
		later(time.Until(deadline))
		_, err := c.Vacations.Begin(t.Context(), c.ana, time.Time{})
		wantErr(t, "overdue", err, lobby.ErrOverdue)
		if v, err := c.Vacations.Of(t.Context(), c.ana); err != nil || v != (vacations.State{DaysLeft: vacations.DaysAYear}) {
			t.Errorf("the vacation is %+v, %v", v, err)
		}
		later(time.Second)
		if !c.now(a).Over {
			t.Error("no flag has fallen")
		}
		c.away(c.ana, 0)
	})
}

// The program is killed after a vacation is on disk, and before the matches know of it; or after its end is. They know a moment after the start, and
// time is neither given nor taken twice.
func TestKilledBeforeMatchesKnow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(oneDay))
		c.play(a, r, win[:2]...)
		later(20 * time.Hour)
		killed := errors.New("killed")
		fail := func(events []matches.Event) error {
			if events[0].Kind == matches.Vacation {
				return killed
			}
			return nil
		}
		restart := func() {
			c.Close()
			c.store.set(nil, nil, nil)
			c = reopen(t, c.store)
			later(time.Second)
		}
		c.store.set(fail, nil, nil)
		v := c.away(c.ana, 10*clock.Day)
		restart()
		later(clock.Day)
		now := c.now(c.seat(c.ana, a.ID()))
		if p := now.Pauses.At(time.Now()); len(p) != 1 || !p[0].Until.Equal(v.Until) {
			t.Fatalf("after the start the pauses are %+v", p)
		}
		left := now.Clock.LeftAt(0, time.Now())
		if left < 3*time.Hour+59*time.Minute || left > 4*time.Hour {
			t.Errorf("%v are left", left)
		}
		c.store.set(fail, nil, nil)
		if _, err := c.Vacations.End(t.Context(), c.ana); err != nil {
			t.Fatal(err)
		}
		restart()
		now = c.now(c.seat(c.ana, a.ID()))
		if p := now.Pauses.At(time.Now()); len(p) > 0 {
			t.Fatalf("after the second start the pauses are %+v", p)
		}
		if got := now.Clock.LeftAt(0, time.Now()); got > left || got < left-time.Minute {
			t.Errorf("%v are left, want %v", got, left)
		}
		restart() // in the middle of nothing
		if got := c.now(c.seat(c.ana, a.ID())).Clock.LeftAt(0, time.Now()); got > left || got < left-time.Minute {
			t.Errorf("%v are left, want %v", got, left)
		}
	})
}

// A match that begins while a player is on vacation stands too, and so does one that is not in memory.
func TestVacationOfNewMatches(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		old, r := c.start(with(oneDay))
		c.play(old, r, win[:2]...)
		later(time.Hour) // it leaves memory
		c.away(c.ana, 4*clock.Day)
		fresh, _ := c.start(with(oneDay))
		later(2 * time.Minute)
		for _, s := range []*lobby.Seat{old, fresh} {
			if now := c.now(s); !now.Clock.StandsAt(time.Now().Add(3 * clock.Day)) {
				t.Errorf("the pauses are %+v", now.Pauses.At(time.Now()))
			}
		}
		if until := c.Vacations.Until(c.ana.Player()); until.IsZero() {
			t.Error("ana is not on vacation")
		}
	})
}

// At several nodes a vacation holds wherever it begins and ends, and the flag falls at the owner of the match.
func TestVacationAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		a, r := c.start([2]int{0, 1}, func(s *lobby.Spec) { s.Clock = oneDay })
		c.play(a, r, win[:2]...)
		later(10 * time.Minute)
		one, two := c.clubs[1], c.clubs[2]
		one.away(one.ana, 9*clock.Day)
		later(time.Second)
		for node, n := range c.clubs {
			if now := n.now(n.seat(n.rui, a.ID())); len(now.Pauses.At(time.Now())) != 1 {
				t.Errorf("node %d sees no pause", node+1)
			}
			if n.Vacations.Until(n.ana.Player()).IsZero() {
				t.Errorf("node %d knows of no vacation", node+1)
			}
		}
		later(10 * time.Minute)
		if _, err := two.Vacations.End(t.Context(), two.ana); err != nil {
			t.Fatal(err)
		}
		later(2 * time.Minute) // the owner has looked
		for node, n := range c.clubs {
			now := n.now(n.seat(n.rui, a.ID()))
			want := clock.Day - 12*time.Minute
			if left := now.Clock.LeftAt(0, time.Now()); now.Over || left < want-2*time.Second || left > want || len(now.Pauses.At(time.Now())) > 0 {
				t.Errorf("at node %d %v are left, over %v", node+1, left, now.Over)
			}
		}
	})
}

// A vacation follows a player whose accounts are merged: it makes the clocks of the other account stand, its days count, and the player ends it there. When
// the merge is undone, it is the first account's again.
func TestVacationOfMergedAccounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := newOffice(t)
		c := &club{Lobby: o.Lobby, t: t, ana: o.ana, rui: o.rui}
		a, r := c.start(with(oneDay))
		c.play(a, r, win[:2]...)
		old := c.account("teresa")
		c.away(old, 10*clock.Day)
		if !c.Vacations.Until(c.ana.Player()).IsZero() {
			t.Fatal("ana is on vacation before the accounts are merged")
		}
		merge := o.must(o.Merge(t.Context(), "teresa", "ana", "one person"))
		if p := c.now(r).Pauses.At(time.Now()); len(p) != 1 || p[0].By != storage.FirstSeat {
			t.Errorf("after the merge the pauses are %+v", p)
		}
		v, err := c.Vacations.Of(t.Context(), c.ana)
		if err != nil || v.DaysLeft != 4 || !v.Until.Equal(c.Vacations.Until(old.Player())) {
			t.Errorf("ana's vacation is %+v, %v", v, err)
		}
		later(3*clock.Day - time.Hour)
		if c.now(r).Over {
			t.Fatal("a flag has fallen on vacation")
		}
		o.must(o.Undo(t.Context(), merge.Number, "two persons"))
		if p := c.now(r).Pauses.At(time.Now()); len(p) > 0 || !c.Vacations.Until(c.ana.Player()).IsZero() {
			t.Errorf("after the undo the pauses are %+v", p)
		}
		o.must(o.Merge(t.Context(), "teresa", "ana", "one person"))
		if v, err = c.Vacations.End(t.Context(), c.ana); err != nil || !v.Until.IsZero() || v.DaysLeft != 11 {
			t.Errorf("ended it is %+v, %v", v, err)
		}
		if p := c.now(r).Pauses.At(time.Now()); len(p) > 0 || !c.Vacations.Until(old.Player()).IsZero() {
			t.Errorf("after its end the pauses are %+v", p)
		}
		later(clock.Day + time.Minute)
		if !c.now(r).Over {
			t.Error("no flag has fallen after the vacation")
		}
	})
}
