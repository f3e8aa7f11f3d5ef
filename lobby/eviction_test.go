package lobby

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

const day = 24 * time.Hour

// people returns accounts that have finished so many matches each.
func (c *club) people(name string, n, finished int) []User {
	c.t.Helper()
	all := make([]User, n)
	for i := range all {
		all[i] = c.account(fmt.Sprintf("%s%d", name, i))
		for range finished {
			s := c.seat(all[i], c.open(all[i], Spec{Game: "fourmation", Hotseat: true}).ID)
			c.play(s, s, win...)
		}
	}
	return all
}

// TestQuota: how many matches a player may have grows with the days of the account and the matches that it has finished.
func TestQuota(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *Config) {
			cfg.Limits.NewUnfinished, cfg.Limits.Unfinished, cfg.Limits.MatchBurst = 10, 100, 1000
		})
		now := c.account("cid")
		fill := func(u User) (n int) {
			t.Helper()
			var err error
			for n = -1; err == nil; n++ {
				_, err = c.Open(t.Context(), u, Spec{Game: "fourmation", Hotseat: true})
			}
			wantErr(t, "one too many", err, ErrTooMany)
			return n
		}
		want := func(name string, u User, want int) {
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
		if n := fill(c.Guest("connection 9")); n != c.limits.GuestUnfinished {
			t.Errorf("a guest has %d matches", n)
		}
	})
}

// TestOrderOfEviction: which of two matches goes first.
func TestOrderOfEviction(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	person := func(id string) storage.Occupant {
		return storage.Occupant{Kind: storage.Person, ID: id, Name: id}
	}
	bot := storage.Occupant{Kind: storage.Bot, ID: "random", Name: "Random"}
	var x *index
	var have share // of the one who wants room
	add := func(id string, first, second storage.Occupant, idle time.Duration) *entry {
		s := &match.Summary{Ref: Ref{ID: storage.MatchID(id)}, Seats: [2]storage.Occupant{first, second}, LastAt: now.Add(-idle)}
		if first.Kind != storage.Free && second.Kind != storage.Free {
			s.Started = s.LastAt
		}
		e := &entry{id: s.ID}
		x.replace(e, s)
		return e
	}
	// many gives somebody so many matches, none of which may go.
	many := func(id string, n int) storage.Occupant {
		for i := range n {
			add(fmt.Sprint(id, " ", i), person(id), bot, 0)
		}
		return person(id)
	}
	// behind has that many accounts at an address have so many matches each, none of which may go.
	behind := func(addr string, accounts, n int) (all []storage.Occupant) {
		for i := range accounts {
			o := many(fmt.Sprint(addr, " ", i), n)
			x.comeFrom(match.KeyOf(o), netip.MustParseAddr(addr))
			all = append(all, o)
		}
		return all
	}
	free := storage.Occupant{}
	for _, tt := range []struct {
		name string
		add  func() // the matches that may go, in order; others don't
		want []string
	}{
		{"offers, then alone, then between people", func() {
			a, b := many("a", 20), many("b", 20)
			add("people", a, b, 4*day)
			add("bot", a, bot, time.Hour)
			add("offer", free, a, time.Minute)
			add("hotseat", a, a, 2*time.Hour)
		}, []string{"offer", "hotseat", "bot", "people"}},
		{"the person with the most", func() {
			add("some", many("a", 20), bot, 2*time.Hour)
			add("most", many("b", 21), bot, time.Hour)
		}, []string{"most", "some"}},
		{"of two people the one with fewer", func() {
			a, b, d := many("a", 50), many("b", 10), many("d", 20)
			add("a-b", a, b, 5*day)
			add("a-d", a, d, 4*day)
		}, []string{"a-d", "a-b"}},
		{"the longest silence", func() {
			a := many("a", 20)
			add("newer", a, bot, time.Hour)
			add("older", a, bot, 2*time.Hour)
		}, []string{"older", "newer"}},
		{"people with few matches last", func() {
			add("few", free, many("a", fewMatches-1), 20*day)
			add("many", many("b", fewMatches), many("d", fewMatches), 4*day)
		}, []string{"many", "few"}},
		{"those who moved lately stay", func() {
			a, b := many("a", 90), many("b", 90)
			add("people", a, b, 3*day-time.Second)
			add("offer", free, a, moment-time.Second)
			add("bot", b, bot, moment-time.Second)
			add("old", a, b, 3*day)
			few := many("few", fewMatches-2)
			add("a few people", a, few, 30*day-time.Second)
			add("a few bots", few, bot, 5*time.Minute-time.Second)
		}, []string{"old"}},
		{"those of people with few matches go at last", func() {
			a, few := many("a", 90), many("few", fewMatches-2)
			add("people", a, few, 30*day)
			add("bot", few, bot, 5*time.Minute)
		}, []string{"bot", "people"}},
		{"nobody makes those go who have fewer", func() {
			have = share{15, 15}
			add("fewer", many("a", 10), bot, time.Hour)
			add("more", many("b", 20), bot, time.Hour)
			add("show", bot, bot, time.Hour)
		}, []string{"show", "more"}},
		{"many accounts behind an address count as one person", func() { // 4 people may be behind it
			add("one with as many", many("a", 9), bot, 2*time.Hour)
			add("of the address", behind("192.0.2.1", 20, 3)[7], bot, time.Hour) // with this one 61, of 4 people 15 each
			add("a few of somebody", many("b", fewMatches-1), bot, 20*day)
		}, []string{"of the address", "one with as many", "a few of somebody"}},
		{"a block counts by its weight", func() {
			a, b := behind("2001:db8::1", 30, 4), behind("192.0.2.1", 30, 4) // at single addresses
			wide := func(format string, accounts int) (o storage.Occupant) {
				for i := range accounts {
					o = behind(fmt.Sprintf(format, i), 1, 4)[0]
				}
				return o
			}
			fromThe24, fromThe48 := wide("198.51.100.%d", 60), wide("2001:db8:1:%x00::1", 90)
			add("/48", fromThe48, bot, 4*time.Hour) // 361 of 64 people
			add("/24", fromThe24, bot, 3*time.Hour) // 241 of 32 people
			add("/32", b[0], bot, 2*time.Hour)      // 121 of 4 people
			add("/64", a[0], bot, time.Hour)        // 121 of 4 people
		}, []string{"/32", "/64", "/24", "/48"}},
		{"of a block the account with the most", func() {
			all := behind("192.0.2.1", 20, 6)
			neighbour := many("neighbour", 1)
			x.comeFrom(match.KeyOf(neighbour), netip.MustParseAddr("192.0.2.1"))
			for i := range 3 {
				add(fmt.Sprint("neighbour ", i), neighbour, bot, time.Duration(20-i)*time.Hour)
				add(fmt.Sprint("one of many ", i), all[i], bot, time.Duration(10-i)*time.Hour)
			}
		}, []string{"one of many 0", "one of many 1", "one of many 2", "neighbour 0", "neighbour 1", "neighbour 2"}},
		{"a household is many people", func() {
			few := behind("192.0.2.1", 3, fewMatches-1)
			add("many", many("a", fewMatches+1), bot, time.Hour)
			add("household", few[0], bot, 2*time.Hour)
		}, []string{"many", "household"}},
		{"people behind a block make nobody's go who has a smaller share", func() {
			all := behind("192.0.2.1", 20, 3)
			newcomer := match.Key{Kind: storage.Person, ID: "newcomer"}
			x.homes[newcomer] = homesOf(netip.MustParseAddr("192.0.2.1"))
			have = x.shareOf(newcomer, 0)
			add("fewer", many("a", 10), bot, 2*time.Hour)
			add("one of many", all[0], bot, time.Hour)
		}, []string{"one of many"}},
		{"somebody who has moved counts where they are now", func() {
			all := behind("192.0.2.1", 20, 3)
			add("moved", all[0], bot, 3*time.Hour)
			add("stayed", all[1], bot, 2*time.Hour)
			x.comeFrom(match.KeyOf(all[0]), netip.MustParseAddr("198.51.100.1"))
			x.comeFrom(match.KeyOf(all[1]), netip.Addr{}) // unknown: as before
		}, []string{"stayed", "moved"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			have = share{1, 1}
			x = newIndex(limits.NewInForce(DefaultLimits()), new(live.Config))
			tt.add()
			var got []string
			for _, c := range x.search(now, have) {
				got = append(got, string(c.entry.id))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// TestManyIdleMatchesDontCloseTheClub: many people fill the club with idle matches of every kind as far as their quotas go. Newcomers open
// matches and play all the same, nobody is told that the club is full, and a person with three running matches keeps them.
func TestManyIdleMatchesDontCloseTheClub(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const attackers, quota = 40, 30
		c := newClub(t, func(cfg *Config) {
			cfg.Limits.NewUnfinished, cfg.Limits.Unfinished, cfg.Limits.OpenOffers = quota, quota, quota
			cfg.Limits.Matches = attackers * quota / 2
		})
		// Three matches between ana and rui, in which nothing has happened for a long time, and an offer of ana's to a friend.
		var running []*Seat
		for range fewMatches {
			a, r := c.start()
			c.play(a, r, win[:3]...)
			running = append(running, a)
		}
		time.Sleep(20 * day)
		full := 0
		for i, u := range c.people("attacker", attackers, 0) {
			for n := range quota {
				spec := Spec{Game: "fourmation", Side: PlayFirst}
				switch (i + n) % 4 {
				case 1:
					spec.Bot = "first"
				case 2:
					spec.Hotseat = true
				}
				ref, err := c.Open(t.Context(), u, spec)
				if err == nil && (i+n)%4 == 3 {
					_, err = c.Join(t.Context(), c.account(fmt.Sprintf("attacker%d", (i+1)%attackers)), origin.Origin{}, ref.Code)
				}
				if err != nil {
					full++ // an attacker may be told so
				}
			}
			time.Sleep(time.Second)
		}
		if n := c.Load().Matches; n != c.limits.Matches || full == 0 {
			t.Fatalf("the club has %d matches of %d; the attackers were refused %d times", n, c.limits.Matches, full)
		}
		time.Sleep(moment)
		for i, u := range c.people("newcomer", 50, 0) {
			bot := c.seat(u, c.open(u, Spec{Game: "fourmation", Side: PlayFirst, Bot: "first"}).ID)
			c.play(bot, bot, "d4")
			offer := c.open(u, Spec{Game: "fourmation", Side: PlayFirst})
			friend := c.account(fmt.Sprint("friend", i))
			if _, err := c.Join(t.Context(), friend, origin.Origin{}, offer.Code); err != nil {
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
		if n := c.Load().Matches; n > c.limits.Matches {
			t.Errorf("%d matches of %d", n, c.limits.Matches)
		}
	})
}

// TestWatchedMatchesStay: a match that somebody looks at is not evicted, and when all are looked at, the club is full.
func TestWatchedMatchesStay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *Config) { cfg.Limits.Matches = 2 })
		var seats []*Seat
		ctx, leave := context.WithCancel(t.Context())
		var reading sync.WaitGroup
		for range 2 {
			s := c.seat(c.ana, c.open(c.ana, Spec{Game: "fourmation", Hotseat: true}).ID)
			seats = append(seats, s)
			seq := c.now(s).Seq
			reading.Go(func() { s.Next(ctx, seq) })
		}
		time.Sleep(40 * day)
		_, err := c.Open(t.Context(), c.rui, Spec{Game: "fourmation"})
		wantErr(t, "while somebody looks at all matches", err, ErrFull)
		leave()
		reading.Wait()
		time.Sleep(time.Hour)
		c.open(c.rui, Spec{Game: "fourmation"})
		synctest.Wait()
		if a, b := c.now(seats[0]).Over, c.now(seats[1]).Over; a == b {
			t.Errorf("evicted: %v, %v", a, b)
		}
	})
}

// TestAccountsOfOneBlock: many accounts from one /24, each with fewer matches than an ordinary player, fill the club. Their matches make
// room for everybody's; after a restart they do so again as soon as the accounts are back.
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
				limits := func(cfg *Config) {
					cfg.Limits.Matches, cfg.KeepAddresses = accounts*each+3*mine, tt.plain
				}
				c := newClub(t, limits)
				come := func(u User, format string, i int) {
					from := origin.Origin{Addr: netip.MustParseAddr(fmt.Sprintf(format, i))}
					t.Cleanup(c.Connect(u, from))
				}
				fill := func(u User, n int) {
					t.Helper()
					for range n {
						c.open(u, Spec{Game: "fourmation", Side: PlayFirst, Bot: "first"})
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
				_, err := c.Open(t.Context(), late, Spec{Game: "fourmation"})
				wantErr(t, "while all their matches are new, one more of them", err, ErrFull)
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
				newcomers := c.people("newcomer", 40, 0)
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
					if n := len(c.Yours(u).Matches); n != want {
						t.Errorf("%s has %d matches, want %d", u.Name, n, want)
					}
				}
			})
		})
	}
}

// TestMatchesAreCountedByBlock: whatever people do, the matches behind each block are those of the people who come from there, and
// nothing is kept of people without matches.
func TestMatchesAreCountedByBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newIndex(limits.NewInForce(DefaultLimits()), &live.Config{Now: time.Now})
		people := []User{{Kind: storage.Person, ID: "a"}, {Kind: storage.Person, ID: "b"}, {Kind: storage.Guest, ID: "c"}}
		person := rapid.SampledFrom(people)
		addr := rapid.SampledFrom([]netip.Addr{{}, netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"),
			netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8:0:1::1")})
		seat := rapid.SampledFrom([]storage.Occupant{{}, {Kind: storage.Bot, ID: "bot"}, people[0].Occupant(), people[1].Occupant(), people[2].Occupant()})
		most := rapid.IntRange(0, 4)
		entries := make([]*entry, 6)
		for i := range entries {
			entries[i] = &entry{id: storage.MatchID(fmt.Sprint(i))}
		}
		var releases []func()
		check := func(t *rapid.T) {
			want := map[home]int{}
			for k, blocks := range x.homes {
				if x.people[k] == nil && x.pending[k] == (pending{}) {
					t.Fatalf("%v has no matches, and a home", k)
				}
				for _, b := range blocks {
					if n := len(x.people[k]); n > 0 {
						want[b] += n
					}
				}
			}
			if !maps.Equal(x.behind, want) {
				t.Fatalf("behind blocks: %v, want %v", x.behind, want)
			}
		}
		end := func(e *entry) {
			if e.summary != nil {
				x.replace(e, nil)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) { x.comeFrom(person.Draw(t, "who").Key(), addr.Draw(t, "from")) },
			"kept": func(t *rapid.T) {
				from := rapid.SampledFrom([]string{"SHA256:key", "hash:one", "hash6:two", "192.0.2.0/24"}).Draw(t, "visit")
				if h, ok := keptHome([]storage.Visit{{From: from}}); ok {
					x.cameFrom(person.Draw(t, "who").Key(), h)
				}
			},
			"reserve": func(t *rapid.T) {
				release, err := x.reserve(person.Draw(t, "who"), addr.Draw(t, "from"), pending{matches: 1, opened: 1}, most.Draw(t, "most"), time.Now())
				if err == nil {
					releases = append(releases, release)
				}
			},
			"release": func(t *rapid.T) {
				if len(releases) > 0 {
					releases[0]()
					releases = releases[1:]
				}
			},
			"change": func(t *rapid.T) {
				s := &match.Summary{Seats: [2]storage.Occupant{seat.Draw(t, "first"), seat.Draw(t, "second")}, Reserved: seat.Draw(t, "reserved")}
				x.replace(rapid.SampledFrom(entries).Draw(t, "match"), s)
			},
			"end": func(t *rapid.T) { end(rapid.SampledFrom(entries).Draw(t, "match")) },
			"":    check,
		})
		for _, release := range releases {
			release()
		}
		for _, e := range entries {
			end(e)
		}
		if len(x.homes)+len(x.behind) > 0 {
			t.Fatalf("left over: %v, %v", x.homes, x.behind)
		}
	})
}

// TestCandidateThatHasEnded: a match that was about to be evicted next and has ended by itself makes room for nobody a second time.
func TestCandidateThatHasEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const matches = 3
		c := newClub(t, func(cfg *Config) { cfg.Limits.Matches = matches })
		var seats []*Seat
		for range matches {
			seats = append(seats, c.seat(c.ana, c.open(c.ana, Spec{Game: "fourmation", Hotseat: true}).ID))
			time.Sleep(time.Minute)
		}
		time.Sleep(time.Hour)
		c.open(c.rui, Spec{Game: "fourmation", Hotseat: true}) // the first goes, and the others are found to be next
		synctest.Wait()
		if err := seats[1].Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, u := range c.people("newcomer", 2, 0) {
			c.open(u, Spec{Game: "fourmation", Hotseat: true})
			synctest.Wait()
		}
		if n := c.Load().Matches; n != matches || !c.now(seats[0]).Over || !c.now(seats[2]).Over {
			t.Errorf("%d matches of %d; the first is over: %v, the last: %v", n, matches, c.now(seats[0]).Over, c.now(seats[2]).Over)
		}
	})
}

// TestCandidatesAreFoundAnew: while a crowd that fills the club has only just opened its matches, those of a person with fewer go. A moment
// later they don't, although they were found to be next.
func TestCandidatesAreFoundAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const few, many = fewMatches + 2, fewMatches + 4
		c := newClub(t, func(cfg *Config) { cfg.Limits.Matches = few + many })
		var seats []*Seat
		for range few {
			seats = append(seats, c.seat(c.ana, c.open(c.ana, Spec{Game: "fourmation", Hotseat: true}).ID))
		}
		time.Sleep(time.Hour)
		for range many {
			c.open(c.rui, Spec{Game: "fourmation", Hotseat: true})
		}
		newcomers := c.people("newcomer", few, 0)
		c.open(newcomers[0], Spec{Game: "fourmation", Hotseat: true}) // one of ana's goes, and the others are found to be next
		time.Sleep(moment)
		for _, u := range newcomers[1:] {
			c.open(u, Spec{Game: "fourmation", Hotseat: true})
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
