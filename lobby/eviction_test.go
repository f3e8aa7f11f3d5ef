package lobby_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
)

const day = 24 * time.Hour

// As the registry has them.
const (
	fewMatches = 3                // how large a share a person may have without being the first to lose a match
	moment     = 10 * time.Second // how long matches of one person alone stay who has many
)

// people returns n new accounts with finished matches.
func (c *club) people(name string, n, finished int) []lobby.User {
	c.t.Helper()
	all := make([]lobby.User, n)
	for i := range all {
		all[i] = c.account(fmt.Sprintf("%s%d", name, i))
		for range finished {
			s := c.seat(all[i], c.open(all[i], lobby.Spec{Game: "fourmation", Hotseat: true}).ID)
			c.play(s, s, win...)
		}
	}
	return all
}

// TestQuota: how many matches a player may have grows with the days of the account and the matches that it has finished.
func TestQuota(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) {
			cfg.Limits.NewUnfinished, cfg.Limits.Unfinished, cfg.Limits.MatchBurst = 10, 100, 1000
		})
		now := c.account("cid")
		fill := func(u lobby.User) (n int) {
			t.Helper()
			var err error
			for n = -1; err == nil; n++ {
				_, err = c.Seats.Open(t.Context(), u, lobby.Spec{Game: "fourmation", Hotseat: true})
			}
			wantErr(t, "one too many", err, lobby.ErrTooMany)
			return n
		}
		want := func(name string, u lobby.User, want int) {
			t.Helper()
			if n := fill(u); n != want {
				t.Errorf("%s: %d matches, want %d", name, n, want)
			}
		}
		played := c.people("played", 1, 25)[0]
		want("on the first day", played, 10)
		half := c.people("half", 1, 10)[0]
		idle := c.account("idle")
		time.Sleep(15 * day)
		late := c.people("late", 1, 25)[0]
		time.Sleep(15 * day)
		want("a month and 20 matches", c.people("played", 1, 0)[0], 90) // 10 are there already
		want("a month and half of the matches", half, 55)
		want("a month and no match", idle, 10)
		want("half a month and 20 matches", late, 55)
		want("a month and nobody to play with", now, 10)
		if n := fill(c.Accounts.Guest("connection 9")); n != c.AtStart().GuestUnfinished {
			t.Errorf("a guest has %d matches", n)
		}
	})
}

// TestManyIdleMatchesDontCloseTheClub: many people fill the club with idle matches of every kind as far as their quotas go. Newcomers open
// matches and play all the same, nobody is told that the club is full, and a person with three running matches keeps them.
func TestManyIdleMatchesDontCloseTheClub(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const attackers, quota = 40, 30
		c := newClub(t, func(cfg *lobby.Config) {
			cfg.Limits.NewUnfinished, cfg.Limits.Unfinished, cfg.Limits.OpenOffers = quota, quota, quota
			cfg.Limits.Matches = attackers * quota / 2
		})
		// Three matches between ana and rui, in which nothing has happened for a long time, and an offer of ana's to a friend.
		var running []*lobby.Seat
		for range fewMatches {
			a, r := c.start()
			c.play(a, r, win[:3]...)
			running = append(running, a)
		}
		time.Sleep(20 * day)
		full := 0
		for i, u := range c.people("attacker", attackers, 0) {
			for n := range quota {
				spec := lobby.Spec{Game: "fourmation", Side: lobby.PlayFirst}
				switch (i + n) % 4 {
				case 1:
					spec.Bot = "first"
				case 2:
					spec.Hotseat = true
				}
				ref, err := c.Seats.Open(t.Context(), u, spec)
				if err == nil && (i+n)%4 == 3 {
					_, err = c.Seats.Join(t.Context(), c.account(fmt.Sprintf("attacker%d", (i+1)%attackers)), origin.Origin{}, ref.Code)
				}
				if err != nil {
					full++ // an attacker may be told so
				}
			}
			time.Sleep(time.Second)
		}
		if n := c.Load().Matches; n != c.AtStart().Matches || full == 0 {
			t.Fatalf("the club has %d matches of %d; the attackers were refused %d times", n, c.AtStart().Matches, full)
		}
		time.Sleep(moment)
		for i, u := range c.people("newperson", 50, 0) {
			bot := c.seat(u, c.open(u, lobby.Spec{Game: "fourmation", Side: lobby.PlayFirst, Bot: "first"}).ID)
			c.play(bot, bot, "d4")
			offer := c.open(u, lobby.Spec{Game: "fourmation", Side: lobby.PlayFirst})
			friend := c.account(fmt.Sprint("friend", i))
			if _, err := c.Seats.Join(t.Context(), friend, origin.Origin{}, offer.Code); err != nil {
				t.Fatalf("newcomer %d is joined: %v", i, err)
			}
			c.play(c.seat(u, offer.ID), c.seat(friend, offer.ID), win...)
			synctest.Wait()
		}
		for i, s := range running {
			if v := c.now(s); v.Over {
				t.Errorf("match %d of a person with %d is over: %s", i, fewMatches, v.Reason)
			}
		}
		if n := c.Load().Matches; n > c.AtStart().Matches {
			t.Errorf("%d matches of %d", n, c.AtStart().Matches)
		}
	})
}

// TestWatchedMatchesStay: a match that a user looks at is not evicted. While users look at all matches, the club is full.
func TestWatchedMatchesStay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Matches = 2 })
		var seats []*lobby.Seat
		ctx, leave := context.WithCancel(t.Context())
		var reading sync.WaitGroup
		for range 2 {
			s := c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Hotseat: true}).ID)
			seats = append(seats, s)
			seq := c.now(s).Seq
			reading.Go(func() { s.Next(ctx, seq) })
		}
		time.Sleep(40 * day)
		_, err := c.Seats.Open(t.Context(), c.rui, lobby.Spec{Game: "fourmation"})
		wantErr(t, "while users look at all matches", err, lobby.ErrFull)
		leave()
		reading.Wait()
		time.Sleep(time.Hour)
		c.open(c.rui, lobby.Spec{Game: "fourmation"})
		synctest.Wait()
		if a, b := c.now(seats[0]).Over, c.now(seats[1]).Over; a == b {
			t.Errorf("evicted: %v, %v", a, b)
		}
	})
}

// TestAccountsOfOneBlock: many accounts from one /24, each with fewer matches than an ordinary player, fill the club. Their matches make room for
// the matches of others. After a restart they do so again as soon as the accounts are back.
func TestAccountsOfOneBlock(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		restart, back, plain bool
	}{
		{"no restart", false, false, false},
		{"all are back after a restart", true, true, false},
		{"nobody is back after a restart", true, false, false},
		{"nobody is back after a restart, addresses are kept", true, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				const accounts, each, mine = 80, 5, 9
				limits := func(cfg *lobby.Config) {
					cfg.Limits.Matches, cfg.KeepAddresses = accounts*each+3*mine, tt.plain
				}
				c := newClub(t, limits)
				come := func(u lobby.User, format string, i int) {
					from := origin.Origin{Addr: netip.MustParseAddr(fmt.Sprintf(format, i))}
					t.Cleanup(c.Connect(u, from))
				}
				fill := func(u lobby.User, n int) {
					t.Helper()
					for range n {
						c.open(u, lobby.Spec{Game: "fourmation", Side: lobby.PlayFirst, Bot: "first"})
					}
				}
				ordinary := c.people("ordinary", 3, 0)
				for i, u := range ordinary {
					come(u, "198.51.%d.1", i)
					fill(u, mine)
				}
				time.Sleep(day) // nothing happens in these for longest
				attackers := c.people("attacker", accounts, 0)
				for i, u := range attackers {
					come(u, "192.0.2.%d", i)
					fill(u, each)
				}
				late := c.account("latecomer")
				come(late, "192.0.2.%d", 250)
				_, err := c.Seats.Open(t.Context(), late, lobby.Spec{Game: "fourmation"})
				wantErr(t, "while all their matches are new, one more of them", err, lobby.ErrFull)
				synctest.Wait() // where they come from is kept
				if tt.restart {
					c.Close()
					c = reopen(t, c.store, limits)
				}
				if tt.back {
					for i, u := range attackers {
						come(u, "192.0.2.%d", i)
					}
				}
				time.Sleep(time.Hour)
				newcomers := c.people("newperson", 40, 0)
				for i, u := range newcomers {
					come(u, "203.0.%d.1", i)
					fill(u, 2)
					time.Sleep(time.Second)
				}
				for _, u := range append(ordinary, newcomers...) {
					want := mine
					if u.Name[0] == 'n' {
						want = 2
					}
					if n := len(c.Lists.Yours(u).Matches); n != want {
						t.Errorf("%s has %d matches, want %d", u.Name, n, want)
					}
				}
			})
		})
	}
}

// TestCandidateThatHasEnded: a match that was about to be evicted next and has ended by itself makes room for nobody a second time.
func TestCandidateThatHasEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const matches = 3
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Matches = matches })
		var seats []*lobby.Seat
		for range matches {
			seats = append(seats, c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Hotseat: true}).ID))
			time.Sleep(time.Minute)
		}
		time.Sleep(time.Hour)
		c.open(c.rui, lobby.Spec{Game: "fourmation", Hotseat: true}) // the first goes, and the others are found to be next
		synctest.Wait()
		if err := seats[1].Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, u := range c.people("newperson", 2, 0) {
			c.open(u, lobby.Spec{Game: "fourmation", Hotseat: true})
			synctest.Wait()
		}
		if n := c.Load().Matches; n != matches || !c.now(seats[0]).Over || !c.now(seats[2]).Over {
			t.Errorf("%d matches of %d; the first is over: %v, the last: %v", n, matches, c.now(seats[0]).Over, c.now(seats[2]).Over)
		}
	})
}

// TestCandidatesAreFoundAnew: while the matches of a block that fills the club are too new to evict, matches of a person with fewer are evicted. A
// moment later they aren't, although they were found to be next.
func TestCandidatesAreFoundAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const few, many = fewMatches + 2, fewMatches + 4
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.Matches = few + many })
		var seats []*lobby.Seat
		for range few {
			seats = append(seats, c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Hotseat: true}).ID))
		}
		time.Sleep(time.Hour)
		for range many {
			c.open(c.rui, lobby.Spec{Game: "fourmation", Hotseat: true})
		}
		newcomers := c.people("newperson", few, 0)
		c.open(newcomers[0], lobby.Spec{Game: "fourmation", Hotseat: true}) // one of ana's goes, and the others are found to be next
		time.Sleep(moment)
		for _, u := range newcomers[1:] {
			c.open(u, lobby.Spec{Game: "fourmation", Hotseat: true})
			synctest.Wait()
		}
		lost := 0
		for _, s := range seats {
			if c.now(s).Over {
				lost++
			}
		}
		if lost != 1 {
			t.Errorf("a person with %d matches beside one with %d loses %d", few, many, lost)
		}
	})
}
