package lobby_test

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// TestRange: only players with a rating in the range of an offer can take it, in any way.
func TestRange(t *testing.T) {
	c := newClub(t)
	eva := c.account("eva")
	c.store.rate(map[string]float64{"rui": 1400.4, "eva": 1600.6})
	for _, tt := range []struct {
		r       [2]int
		who     lobby.User
		refused int // with this rating
	}{
		{[2]int{1400, 1600}, c.rui, 0},
		{[2]int{1401, 1600}, c.rui, 1400},
		{[2]int{1400, 1600}, eva, 1601},
		{[2]int{1400, 1601}, eva, 0},
		{[2]int{1400, 1600}, c.guest, 0},
		{[2]int{1501, 1600}, c.guest, 1500},
		{[2]int{0, 1600}, c.rui, 0},
	} {
		for _, public := range []bool{false, true} {
			ref := c.open(c.ana, seats.Spec{Game: "fourmation", Public: public, Range: tt.r})
			_, err := c.Seats.Join(t.Context(), tt.who, origin.Origin{}, ref.Code)
			if e, ok := errors.AsType[*lobby.RangeError](err); ok != (tt.refused > 0) || ok && (e.Rating != tt.refused || e.Range != tt.r) || !ok && err != nil {
				t.Errorf("%s joins an offer for %v: %v, want a refusal of %d", tt.who.Name, tt.r, err, tt.refused)
			}
			v := c.now(c.seat(c.ana, ref.ID))
			if v.Started.IsZero() != (tt.refused > 0) || v.Range != tt.r {
				t.Errorf("%s, %v: started %v, range %v", tt.who.Name, tt.r, v.Started, v.Range)
			}
			if tt.refused > 0 {
				wantErr(t, "withdrawing it", c.seat(c.ana, ref.ID).Abort(t.Context()), nil)
			}
		}
	}
}

// TestTermsRefused: what can't be said of a match.
func TestTermsRefused(t *testing.T) {
	c := newClub(t)
	for name, tt := range map[string]struct {
		who  lobby.User
		spec seats.Spec
		want error
	}{
		"a range upside down":           {c.ana, seats.Spec{Range: [2]int{1600, 1400}}, lobby.ErrSpec},
		"a range from below zero":       {c.ana, seats.Spec{Range: [2]int{-1, 1400}}, lobby.ErrSpec},
		"a range up to the sky":         {c.ana, seats.Spec{Range: [2]int{1400, 4001}}, lobby.ErrSpec},
		"a range against the computer":  {c.ana, seats.Spec{Range: [2]int{1400, 1600}, Bot: "first"}, lobby.ErrSpec},
		"a challenge with a range":      {c.ana, seats.Spec{Range: [2]int{1400, 1600}, To: "rui"}, lobby.ErrSpec},
		"a public challenge":            {c.ana, seats.Spec{Public: true, To: "rui"}, lobby.ErrSpec},
		"a challenge at one keyboard":   {c.ana, seats.Spec{Hotseat: true, To: "rui"}, lobby.ErrSpec},
		"a challenge to nobody":         {c.ana, seats.Spec{To: "nobody"}, lobby.ErrNoSuchPlayer},
		"a challenge to no name at all": {c.ana, seats.Spec{To: "\x1b"}, lobby.ErrNoSuchPlayer},
		"a challenge to oneself":        {c.ana, seats.Spec{To: "ANA"}, lobby.ErrOwnChallenge},
		"a guest's rated challenge":     {c.guest, seats.Spec{To: "rui", Rated: true}, lobby.ErrRatedGuest},
	} {
		tt.spec.Game = "fourmation"
		_, err := c.Seats.Open(t.Context(), tt.who, tt.spec)
		wantErr(t, name, err, tt.want)
	}
	if n := c.Load().Matches; n != 0 {
		t.Errorf("%d matches were opened", n)
	}
}

// TestChallenge: a challenge is for one person, who takes or declines it; nobody else sees or takes it.
func TestChallenge(t *testing.T) {
	c := newClub(t)
	eva := c.account("eva")
	challenge := func() lobby.Ref {
		return c.open(c.ana, seats.Spec{Game: "fourmation", To: "Rui", Rated: true, Side: seats.PlaySecond, Clock: fivePlus3})
	}
	ref := challenge()
	yours := c.Lists.Yours(c.rui)
	if len(yours.Invitations) != 1 || yours.Invitations[0].Ref != ref || !c.ana.Is(yours.Invitations[0].By) || yours.Invitations[0].Side != games.First {
		t.Fatalf("rui sees %+v", yours.Invitations)
	}
	if o := yours.Invitations[0]; !c.rui.Is(o.To) || o.Clock != fivePlus3 || !o.Rated || !o.Until.IsZero() {
		t.Errorf("the challenge: %+v", o)
	}
	if mine := c.Lists.Yours(c.ana).Matches; len(mine) != 1 || !c.rui.Is(mine[0].Reserved) {
		t.Errorf("ana sees %+v", mine)
	}
	if n := len(c.Lists.Offers(eva, "")) + len(c.Lists.Yours(eva).Invitations); n != 0 {
		t.Errorf("others see %d offers", n)
	}
	_, err := c.Seats.Join(t.Context(), eva, origin.Origin{}, ref.Code)
	wantErr(t, "another one joins", err, lobby.ErrReserved)
	if got, err := c.Seats.Join(t.Context(), c.rui, origin.Origin{}, ref.Code); got != ref || err != nil {
		t.Fatalf("rui joins: %v, %v", got, err)
	}
	if v := c.now(c.seat(c.rui, ref.ID)); !v.Holds(c.rui, games.First) || !v.Rated || v.Started.IsZero() {
		t.Errorf("the match: %v, rated %v", v.Seats, v.Rated)
	}

	again := challenge()
	wantErr(t, "another one declines", c.seat(eva, again.ID).Abort(t.Context()), lobby.ErrNotSeated)
	wantErr(t, "rui declines", c.seat(c.rui, again.ID).Abort(t.Context()), nil)
	if v := c.now(c.seat(c.ana, again.ID)); !v.Over || v.Result != "" || len(c.Lists.Yours(c.rui).Invitations) != 0 {
		t.Errorf("declined: over %v, %q", v.Over, v.Result)
	}
}

// TestChallengeExpires: a challenge between two who are here and could play at once waits for a minute, also over a restart, in memory or
// not; others wait as invitations.
func TestChallengeExpires(t *testing.T) {
	for _, tt := range []struct {
		name     string
		ana, rui bool // who is here
		clock    lobby.ClockSetting
		leaves   bool // ana, after it
		restart  bool // half a minute after it
		lasts    time.Duration
	}{
		{"both here", true, true, fivePlus3, false, false, seats.ChallengeWait},
		{"both here, without a clock", true, true, lobby.ClockSetting{}, false, false, seats.ChallengeWait},
		{"both here, a restart", true, true, fivePlus3, false, true, seats.ChallengeWait},
		{"both here, then one leaves", true, true, fivePlus3, true, false, seats.ChallengeWait},
		{"both here, days for a move", true, true, threeDays, false, false, 30 * 24 * time.Hour},
		{"rui is gone", true, false, fivePlus3, false, false, 30 * 24 * time.Hour},
		{"ana is gone", false, true, fivePlus3, false, true, 30 * 24 * time.Hour},
		{"both are gone", false, false, lobby.ClockSetting{}, false, false, 30 * 24 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				leave := func() {}
				if tt.ana {
					leave = c.Presence.Enter(c.ana)
				}
				if tt.rui {
					c.Presence.Enter(c.rui)
				}
				start := time.Now()
				id := c.open(c.ana, seats.Spec{Game: "fourmation", To: "rui", Clock: tt.clock}).ID
				if tt.leaves {
					leave()
				}
				if tt.restart {
					time.Sleep(seats.ChallengeWait / 2)
					c.Close()
					c = reopen(t, c.store)
				}
				until := time.Time{}
				if tt.lasts == seats.ChallengeWait {
					until = start.Add(seats.ChallengeWait).UTC().Truncate(time.Millisecond)
				}
				if o := c.Lists.Yours(c.rui).Invitations; len(o) != 1 || !o[0].Until.Equal(until) {
					t.Errorf("rui sees %+v, want one until %v", o, until)
				}
				s := c.seat(c.rui, id)
				v := c.until(s, over)
				if took := time.Since(start).Round(time.Second); took != tt.lasts || v.Reason != "aborted" {
					t.Errorf("it ended after %v, want %v: %q", took, tt.lasts, v.Reason)
				}
			})
		})
	}
}

// TestGuestChallenged: a guest who is here is challenged to a casual match under the name that others see, and sits down.
func TestGuestChallenged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.guest = c.Accounts.Guest("1")
		c.Presence.Enter(c.ana)
		for _, name := range []string{c.guest.Name, "guest-", "GUEST"} {
			_, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation", To: name})
			wantErr(t, name+", who is not here", err, lobby.ErrNoSuchPlayer)
		}
		leave := c.Presence.Enter(c.guest)
		_, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation", To: c.guest.Name, Rated: true})
		wantErr(t, "rated", err, lobby.ErrRated)
		_, err = c.Seats.Open(t.Context(), c.guest, seats.Spec{Game: "fourmation", To: c.guest.Name})
		wantErr(t, "oneself", err, lobby.ErrOwnChallenge)

		opponent, err := c.Challenges.Opponent(t.Context(), c.ana, strings.ToLower(c.guest.Name))
		if err != nil || !c.guest.Is(opponent.Occupant) || opponent.Wait(fivePlus3) != seats.ChallengeWait || opponent.Wait(threeDays) != 0 {
			t.Errorf("ana can challenge %+v, %v", opponent, err)
		}
		ref := c.open(c.ana, seats.Spec{Game: "fourmation", To: strings.ToLower(c.guest.Name), Clock: fivePlus3})
		if o := c.Lists.Yours(c.guest).Invitations; len(o) != 1 || o[0].Ref != ref || o[0].Until.IsZero() {
			t.Errorf("the guest sees %+v", o)
		}
		if _, err := c.Seats.Take(t.Context(), c.guest, ref.ID); err != nil {
			t.Error(err)
		}
		if v := c.now(c.seat(c.ana, ref.ID)); v.Started.IsZero() {
			t.Error("the match has not begun")
		}

		invitation := c.open(c.ana, seats.Spec{Game: "fourmation", To: c.guest.Name, Clock: threeDays})
		start := time.Now()
		leave()
		v := c.until(c.seat(c.ana, invitation.ID), over)
		if took := time.Since(start); took != lobby.DefaultLimits().AwayGuest || v.EndedBy != storage.Nobody {
			t.Errorf("the invitation of a guest who has left ends after %v, by seat %d", took, v.EndedBy)
		}
	})
}

// TestChallengeEnds: the challenger learns whether the challenge was declined or not answered.
func TestChallengeEnds(t *testing.T) {
	type end struct{ declined, lapsed bool }
	for _, tt := range []struct {
		name    string
		side    seats.Choice
		restart bool
		end     func(c *club, id storage.MatchID)
		want    end
	}{
		{"declined", seats.PlayFirst, false, func(c *club, id storage.MatchID) { _ = c.seat(c.rui, id).Abort(c.t.Context()) }, end{declined: true}},
		{"declined, the other side", seats.PlaySecond, false, func(c *club, id storage.MatchID) { _ = c.seat(c.rui, id).Abort(c.t.Context()) }, end{declined: true}},
		{"declined after a restart", seats.PlayFirst, true, func(c *club, id storage.MatchID) { _ = c.seat(c.rui, id).Abort(c.t.Context()) }, end{declined: true}},
		{"withdrawn", seats.PlaySecond, false, func(c *club, id storage.MatchID) { _ = c.seat(c.ana, id).Abort(c.t.Context()) }, end{}},
		{"not answered", seats.PlayFirst, false, func(c *club, id storage.MatchID) {}, end{lapsed: true}},
		{"taken", seats.PlayFirst, false, func(c *club, id storage.MatchID) {
			_, _ = c.Seats.Take(c.t.Context(), c.rui, id)
			_ = c.seat(c.rui, id).Abort(c.t.Context())
		}, end{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				c.Presence.Enter(c.ana)
				c.Presence.Enter(c.rui)
				id := c.open(c.ana, seats.Spec{Game: "fourmation", To: "rui", Side: tt.side}).ID
				if tt.restart {
					c.Close()
					c = reopen(t, c.store)
				}
				tt.end(c, id)
				v := c.until(c.seat(c.ana, id), over)
				got := end{lapsed: v.EndedBy == storage.Nobody}
				got.declined = !got.lapsed && v.Seats[v.EndedBy.Side()].Kind == storage.Free
				if got != tt.want {
					t.Errorf("%+v, want %+v", got, tt.want)
				}
			})
		})
	}
}

// TestTakenChallengeStays: what is taken in time does not end when its time would be up.
func TestTakenChallengeStays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.Presence.Enter(c.ana)
		c.Presence.Enter(c.rui)
		ref := c.open(c.ana, seats.Spec{Game: "fourmation", To: "rui"})
		time.Sleep(seats.ChallengeWait - time.Millisecond)
		if _, err := c.Seats.Join(t.Context(), c.rui, origin.Origin{}, ref.Code); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if v := c.now(c.seat(c.ana, ref.ID)); v.Over {
			t.Errorf("it has ended: %q", v.Reason)
		}
	})
}

// The limits on challenges, see package seats.
const (
	sameBurst      = 3 // challenges in a row, by one person to the same one
	sameEvery      = 5 * time.Minute
	challengeBurst = 10 // challenges in a row, by one person
	household      = 4  // how many people one address may stand for
)

// TestChallengeBounds: there are limits on how many challenges one person has open, how many wait for one person, and how often one person may
// challenge the same other.
func TestChallengeBounds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Challenges, cfg.Limits.ChallengesTo = 2, 3 })
		people := []lobby.User{c.ana, c.rui}
		for i := range 5 {
			people = append(people, c.account(fmt.Sprint("player", i)))
		}
		challenge := func(from lobby.User, to lobby.User) error {
			_, err := c.Seats.Open(t.Context(), from, seats.Spec{Game: "fourmation", To: to.Name})
			return err
		}
		wantErr(t, "the first", challenge(c.ana, people[2]), nil)
		wantErr(t, "the same one again", challenge(c.ana, people[2]), lobby.ErrChallenged)
		wantErr(t, "the second", challenge(c.ana, people[3]), nil)
		wantErr(t, "the third", challenge(c.ana, people[4]), lobby.ErrTooMany)
		wantErr(t, "the first of a guest", challenge(c.guest, people[3]), nil)
		wantErr(t, "the second of a guest", challenge(c.guest, people[4]), lobby.ErrTooMany)
		wantErr(t, "the first to rui", challenge(people[2], c.rui), nil)
		wantErr(t, "the second to rui", challenge(people[3], c.rui), nil)
		wantErr(t, "the third to rui", challenge(people[4], c.rui), nil)
		wantErr(t, "the fourth to rui", challenge(people[5], c.rui), lobby.ErrUnavailable)
		wantErr(t, "rui's own", challenge(c.rui, people[5]), nil)

		// One who is declined asks a few times in a row, and then rarely.
		asks := func() (n int) {
			for range 20 {
				ref, err := c.Seats.Open(t.Context(), people[6], seats.Spec{Game: "fourmation", To: people[5].Name})
				if err != nil {
					wantErr(t, "too often", err, lobby.ErrTooFast)
					break
				}
				wantErr(t, "declining", c.seat(people[5], ref.ID).Abort(t.Context()), nil)
				n++
			}
			return n
		}
		if n := asks(); n != sameBurst {
			t.Errorf("%d challenges in a row to the same one, want %d", n, sameBurst)
		}
		time.Sleep(sameEvery)
		if n := asks(); n != 1 {
			t.Errorf("%d more after %v, want 1", n, sameEvery)
		}
	})
}

// TestChallengesOfOneAddress: many accounts behind one address are not many people.
func TestChallengesOfOneAddress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.ChallengesTo = 1000 })
		n := 0
		for i := range 10 * household {
			who := c.account(fmt.Sprint("player", i))
			defer c.Connect(who, origin.Origin{Person: "key", Addr: netip.MustParseAddr("192.0.2.7")})()
			for range sameBurst {
				ref, err := c.Seats.Open(t.Context(), who, seats.Spec{Game: "fourmation", To: "rui"})
				if err == nil {
					n++
					wantErr(t, "declining", c.seat(c.rui, ref.ID).Abort(t.Context()), nil)
				}
			}
		}
		if want := challengeBurst * household; n != want {
			t.Errorf("%d challenges from one address, want %d", n, want)
		}
	})
}
