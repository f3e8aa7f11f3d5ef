package quick

import (
	"context"
	"errors"
	"fmt"
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
		Game: "tanks", Rating: 1500, Deviation: 60, Since: time.UnixMilli(1_700_000_000_000).Add(time.Duration(second) * time.Second),
	}
}

// TestNewestWaits: of the searches of each person the newest that goes on waits, in whatever order a node learns of them and of their ends.
func TestNewestWaits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := newPool(&Service{})
		there := make(map[cluster.SeekerID]cluster.Seeker)
		var all []cluster.Seeker
		for i := range 6 {
			all = append(all, row(fmt.Sprint("p", i%2), cluster.NodeID(fmt.Sprint("n", i%3)), i))
		}
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			one := rapid.SampledFrom(all).Draw(r, "row")
			switch rapid.IntRange(0, 5).Draw(r, "step") {
			case 0, 1:
				there[one.ID] = one
				p.put(one)
			case 2:
				delete(there, one.ID)
				p.gone(one.ID)
			case 3:
				one.Match = "match1"
				there[one.ID] = one
				p.put(one)
			case 4:
				one.Offer = "offer1"
				there[one.ID] = one
				p.put(one)
			case 5:
				var rows []cluster.Seeker
				for _, row := range there {
					if rapid.Bool().Draw(r, "lost") {
						delete(there, row.ID)
					} else {
						rows = append(rows, row)
					}
				}
				p.replace(rows)
			}
		}
		for _, e := range p.entries { // as every second
			p.settle(e)
		}
		newest := make(map[match.Key]cluster.SeekerID)
		for _, one := range all {
			if now, ok := there[one.ID]; ok && now.Waits() {
				newest[match.KeyOf(one.Who)] = one.ID
			}
		}
		for _, e := range p.waiting {
			if who := match.KeyOf(e.row.Who); newest[who] != e.row.ID {
				r.Errorf("%v waits, want %v", e.row.ID, newest[who])
			}
		}
		if len(p.waiting) != len(newest) || p.pairing.Len() != len(newest) || len(p.entries) != len(there) {
			r.Errorf("%d wait, %d in pairing, %d rows, want %d, %d, %d", len(p.waiting), p.pairing.Len(), len(p.entries), len(newest), len(newest), len(there))
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
