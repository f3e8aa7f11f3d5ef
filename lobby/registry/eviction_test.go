package registry

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"ludoteca/lobby/limits"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

const day = 24 * time.Hour

// TestOrderOfEviction: which of two matches goes first.
func TestOrderOfEviction(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	person := func(id string) storage.Occupant {
		return storage.Occupant{Kind: storage.Person, ID: id, Name: id}
	}
	bot := storage.Occupant{Kind: storage.Bot, ID: "random", Name: "Random"}
	var d *directory
	var have share // of the person who needs room
	add := func(id string, first, second storage.Occupant, idle time.Duration) *entry {
		s := &match.Summary{Ref: match.Ref{ID: storage.MatchID(id)}, Seats: [2]storage.Occupant{first, second}, LastAt: now.Add(-idle)}
		if first.Kind != storage.Free && second.Kind != storage.Free {
			s.Started = s.LastAt
		}
		e := &entry{id: s.ID}
		d.replace(e, s)
		return e
	}
	// many gives a person n matches that may not go.
	many := func(id string, n int) storage.Occupant {
		for i := range n {
			add(fmt.Sprint(id, " ", i), person(id), bot, 0)
		}
		return person(id)
	}
	from := func(o storage.Occupant, addr string) {
		d.setBlocks(match.KeyOf(o), BlocksOf(netip.MustParseAddr(addr)))
	}
	// behind gives n matches that may not go to each of some accounts at an address.
	behind := func(addr string, accounts, n int) (all []storage.Occupant) {
		for i := range accounts {
			o := many(fmt.Sprint(addr, " ", i), n)
			from(o, addr)
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
		{"matches with a recent move stay", func() {
			a, b := many("a", 90), many("b", 90)
			add("people", a, b, 3*day-time.Second)
			add("offer", free, a, moment-time.Second)
			add("bot", b, bot, moment-time.Second)
			add("old", a, b, 3*day)
			few := many("few", fewMatches-2)
			add("a few people", a, few, 30*day-time.Second)
			add("a few bots", few, bot, 5*time.Minute-time.Second)
		}, []string{"old"}},
		{"matches of people with few go at last", func() {
			a, few := many("a", 90), many("few", fewMatches-2)
			add("people", a, few, 30*day)
			add("bot", few, bot, 5*time.Minute)
		}, []string{"bot", "people"}},
		{"matches of people with a smaller share stay", func() {
			have = share{15, 15}
			add("fewer", many("a", 10), bot, time.Hour)
			add("more", many("b", 20), bot, time.Hour)
			add("show", bot, bot, time.Hour)
		}, []string{"show", "more"}},
		{"many accounts behind an address count as one person", func() { // 4 people may be behind it
			add("one with as many", many("a", 9), bot, 2*time.Hour)
			add("of the address", behind("192.0.2.1", 20, 3)[7], bot, time.Hour) // with this one 61, of 4 people 15 each
			add("of few", many("b", fewMatches-1), bot, 20*day)
		}, []string{"of the address", "one with as many", "of few"}},
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
			from(neighbour, "192.0.2.1")
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
		{"a newcomer in a block has the share of the block", func() {
			all := behind("192.0.2.1", 20, 3)
			newcomer := match.Key{Kind: storage.Person, ID: "newcomer"}
			d.setBlocks(newcomer, BlocksOf(netip.MustParseAddr("192.0.2.1")))
			have = d.shareOf(newcomer, 0)
			add("fewer", many("a", 10), bot, 2*time.Hour)
			add("one of many", all[0], bot, time.Hour)
		}, []string{"one of many"}},
		{"a person who has moved counts by the new address", func() {
			all := behind("192.0.2.1", 20, 3)
			add("moved", all[0], bot, 3*time.Hour)
			add("stayed", all[1], bot, 2*time.Hour)
			from(all[0], "198.51.100.1")
			d.setBlocks(match.KeyOf(all[1]), BlocksOf(netip.Addr{})) // unknown: as before
		}, []string{"stayed", "moved"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			have = share{1, 1}
			all := newDirectory(func(storage.MatchID) bool { return false })
			d = &all
			v := eviction{limits: limits.NewInForce(limits.Default()), directory: d}
			tt.add()
			var got []string
			for _, c := range v.search(now, have) {
				got = append(got, string(c.entry.id))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// TestFailedSearch: after a search that found nothing, there is no search for a person with the same share until searchEvery has passed. A person
// with a smaller share need not wait.
func TestFailedSearch(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	d := newDirectory(func(storage.MatchID) bool { return false })
	v := eviction{limits: limits.NewInForce(limits.Default()), directory: &d}
	idle := func(id string) *entry {
		e := &entry{id: storage.MatchID(id)}
		o := storage.Occupant{Kind: storage.Person, ID: "a"}
		d.replace(e, &match.Summary{Ref: match.Ref{ID: e.id}, Seats: [2]storage.Occupant{o, o}, Started: now.Add(-day), LastAt: now.Add(-day)})
		return e
	}
	if e := v.evict(now, share{2, 2}); e != nil {
		t.Fatalf("%s is evicted in an empty club", e.id)
	}
	first, second := idle("first"), idle("second") // the share of their person is 2
	if e := v.evict(now.Add(searchEvery/2), share{2, 2}); e != nil {
		t.Errorf("%s is evicted too soon after a search that failed", e.id)
	}
	if e := v.evict(now.Add(searchEvery/2), share{1, 1}); e != first && e != second {
		t.Errorf("for a person with a smaller share %v is evicted", e)
	}
	if e := v.evict(now.Add(searchEvery), share{2, 2}); e != first && e != second || v.evicting != 2 {
		t.Errorf("later %v is evicted; %d are marked, want 2", e, v.evicting)
	}
	v.keep(first)
	v.keep(first)
	if v.evicting != 1 || first.evicting {
		t.Errorf("one is kept, and %d are marked, want 1", v.evicting)
	}
}
