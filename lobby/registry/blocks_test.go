package registry

import (
	"fmt"
	"maps"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// alone is the Node of a club with one node. No match is ever due.
type alone struct{}

func (alone) Owned(storage.MatchID) bool                      { return true }
func (alone) LookedAt(storage.MatchID) bool                   { return false }
func (alone) MustResume(*match.Summary) bool                  { return false }
func (alone) Due(*live.Waiting, *match.Summary) (t time.Time) { return t }

// TestMatchesAreCountedByBlock: after any changes, the count of each block is the number of matches of its people, and people without
// matches have no blocks.
func TestMatchesAreCountedByBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := New(limits.NewInForce(limits.Default()), alone{}, false)
		d := &r.directory
		people := []match.User{{Kind: storage.Person, ID: "a"}, {Kind: storage.Person, ID: "b"}, {Kind: storage.Guest, ID: "c"}}
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
			want := map[Block]int{}
			for k, blocks := range d.blocks.ofPerson {
				if d.byPerson[k] == nil && d.reserved.byPerson[k] == (Reservation{}) {
					t.Fatalf("%v has no matches, and blocks", k)
				}
				for _, b := range blocks {
					if n := len(d.byPerson[k]); n > 0 {
						want[b] += n
					}
				}
			}
			if !maps.Equal(d.blocks.matches, want) {
				t.Fatalf("matches by block: %v, want %v", d.blocks.matches, want)
			}
		}
		end := func(e *entry) {
			if e.summary != nil {
				r.replace(e, nil)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) { r.SetBlocks(person.Draw(t, "who").Key(), BlocksOf(addr.Draw(t, "from"))) },
			"kept": func(t *rapid.T) {
				from := rapid.SampledFrom([]string{"SHA256:key", "hash:one", "hash6:two", "192.0.2.0/24"}).Draw(t, "visit")
				r.SetBlocks(person.Draw(t, "who").Key(), LastBlock([]accounts.Visit{{From: from}}))
			},
			"reserve": func(t *rapid.T) {
				release, err := r.Reserve(person.Draw(t, "who"), addr.Draw(t, "from"), Reservation{Matches: 1, Opened: 1}, most.Draw(t, "most"), time.Now())
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
				s := &match.Summary{Seats: [2]storage.Occupant{seat.Draw(t, "first"), seat.Draw(t, "second")}, Opening: match.Opening{Reserved: seat.Draw(t, "reserved")}}
				r.replace(rapid.SampledFrom(entries).Draw(t, "match"), s)
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
		if len(d.blocks.ofPerson)+len(d.blocks.matches) > 0 {
			t.Fatalf("left over: %v, %v", d.blocks.ofPerson, d.blocks.matches)
		}
	})
}
