package quick

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// TestRefusals: another node reads the same reason that was written; an error that is none ends no search there.
func TestRefusals(t *testing.T) {
	for _, r := range refusals {
		err := r.err
		if err == refusal.ErrTooFast {
			err = &refusal.TooFastError{Wait: 7 * time.Second}
		}
		read := errorOf(refusalOf(fmt.Errorf("opening: %w", err)))
		if !errors.Is(read, r.err) || read.Error() != err.Error() {
			t.Errorf("%v is read as %v", err, read)
		}
	}
	for _, err := range []error{refusal.ErrBusy, refusal.ErrCutOff, cluster.ErrTaken, context.Canceled} {
		if got := refusalOf(err); got != nil {
			t.Errorf("%v is written as %+v", err, got)
		}
	}
}

// row returns a search of a person that began a number of seconds ago at a node.
func row(person string, node cluster.NodeID, second int) cluster.Seeker {
	return cluster.Seeker{
		ID: cluster.SeekerID{Node: node, Ticket: fmt.Sprint(second)}, Who: storage.Occupant{Kind: storage.Person, ID: person, Name: person},
		Wish: cluster.Wish{Game: "tanks", Rating: 1500, Deviation: 60}, Since: time.UnixMilli(1_700_000_000_000).Add(time.Duration(second) * time.Second),
	}
}

// TestNewestWaits: of the searches of each person the newest that goes on waits, in whatever order a node learns of them and of their ends: at
// once if it has just come or changed, else when all entries are settled. At no time two of one person wait, nor one that has ended.
func TestNewestWaits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := newPool(&Service{})
		there := make(map[cluster.SeekerID]cluster.Seeker)
		var all []cluster.Seeker
		for i := range 6 {
			all = append(all, row(fmt.Sprint("p", i%2), cluster.NodeID(fmt.Sprint("n", i%3)), i))
		}
		held := func(who match.Key) bool { // a search of a person is held
			for _, now := range there {
				if match.KeyOf(now.Who) == who && now.IsHeld() {
					return true
				}
			}
			return false
		}
		newest := func() map[match.Key]cluster.SeekerID {
			ids := make(map[match.Key]cluster.SeekerID)
			for _, one := range all { // the oldest first
				if now, ok := there[one.ID]; ok && now.Waits() && !held(match.KeyOf(one.Who)) {
					ids[match.KeyOf(one.Who)] = one.ID
				}
			}
			return ids
		}
		waiting := func() map[match.Key]cluster.SeekerID {
			ids := make(map[match.Key]cluster.SeekerID)
			for ticket, e := range p.waiting {
				who := match.KeyOf(e.row.Who)
				if now := there[e.row.ID]; e.ticket != ticket || p.pairing.Of(who) != ticket || !now.Waits() || ids[who] != (cluster.SeekerID{}) {
					r.Fatalf("%v waits as ticket %d, its row is %+v, and another of the same person: %v", e.row.ID, ticket, now, ids[who])
				}
				ids[who] = e.row.ID
			}
			for id := range p.held {
				if now := there[id]; !now.IsHeld() {
					r.Fatalf("%v is held, its row is %+v", id, now)
				}
			}
			if p.pairing.Len() != len(ids) || len(p.entries) != len(there) {
				r.Fatalf("%d wait, %d in pairing; %d entries of %d rows", len(ids), p.pairing.Len(), len(p.entries), len(there))
			}
			return ids
		}
		put := func(one cluster.Seeker) {
			there[one.ID] = one
			p.put(one)
			who := match.KeyOf(one.Who)
			if now := waiting()[who]; one.Waits() && newest()[who] == one.ID && now != one.ID {
				r.Fatalf("%v, the newest, has come, and %v waits", one.ID, now)
			}
		}
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			one := rapid.SampledFrom(all).Draw(r, "row")
			switch rapid.IntRange(0, 8).Draw(r, "step") {
			case 8:
				one.Held = &cluster.Hold{With: cluster.SeekerID{Node: "n9", Ticket: "9"}}
				put(one)
			case 0, 1, 2:
				put(one)
			case 3:
				delete(there, one.ID)
				p.gone(one.ID)
			case 4:
				one.Match = "match1"
				put(one)
			case 5:
				one.Offer = "offer1"
				put(one)
			case 6:
				var rows []cluster.Seeker
				for _, old := range all { // rows are lost, come and change meanwhile
					row := rapid.SampledFrom([]cluster.Seeker{{}, old, there[old.ID]}).Draw(r, "read")
					if row.ID == (cluster.SeekerID{}) {
						delete(there, old.ID)
						continue
					}
					there[row.ID] = row
					rows = append(rows, row)
				}
				p.replace(rows)
			case 7:
				for _, e := range p.entries { // as every second
					p.settle(e)
				}
				if got, want := waiting(), newest(); !maps.Equal(got, want) {
					r.Fatalf("%v wait, want %v", got, want)
				}
			}
			waiting()
		}
	})
}

// TestOwnSearchIsTold: a search of this node is woken by what its row says, by its loss, and by a newer search of the same person.
func TestOwnSearchIsTold(t *testing.T) {
	p := newPool(&Service{})
	begin := func(row cluster.Seeker) *search {
		s := &search{feed: feed.New[Looking](feed.NewGroup()), changed: make(chan struct{}, 1), id: row.ID}
		p.begin(s, row)
		return s
	}
	woken := func(what string, s *search, want bool) {
		t.Helper()
		select {
		case <-s.changed:
			if !want {
				t.Errorf("%s wakes the search", what)
			}
		default:
			if want {
				t.Errorf("%s doesn't wake the search", what)
			}
		}
	}
	ana := row("ana", "n1", 1)
	s := begin(ana)
	p.put(ana)
	woken("its row", s, false)
	if len(p.waiting) != 1 {
		t.Errorf("%d wait", len(p.waiting))
	}
	ana.Offer = "offer1"
	p.put(ana)
	woken("an offer", s, true)
	p.gone(ana.ID)
	woken("the loss of its row", s, true)
	if e := p.entries[ana.ID]; e == nil || e.there || len(p.waiting) != 0 {
		t.Errorf("after the loss: %+v, %d wait", e, len(p.waiting))
	}
	ana.Offer = ""
	p.put(ana)
	woken("its row again", s, false)
	p.put(row("ana", "n2", 2))
	woken("a newer search", s, true)
	if e := p.entries[ana.ID]; e.ended != refusal.ErrElsewhere {
		t.Errorf("it has ended with %v", e.ended)
	}
	p.forget(ana.ID)
	p.gone(ana.ID)
	if len(p.entries) != 1 || len(p.waiting) != 1 {
		t.Errorf("%d searches, %d wait, want the newer one", len(p.entries), len(p.waiting))
	}
}
