package lists

import (
	"strconv"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// alone is the only node of a club.
type alone struct{ live.Nodes }

func (alone) Owns(storage.MatchID) bool { return true }

func (alone) OutageOf(storage.MatchID, time.Time) (none cluster.Outage) { return none }

// TestIdleFeeds: the publisher keeps a feed for every user with matches, and at most maxIdle for others.
func TestIdleFeeds(t *testing.T) {
	empty := presence.NewRegistry(time.Now)
	x := registry.New(limits.NewInForce(limits.Default()), &live.Schedule{Presence: empty, Nodes: alone{}, Now: time.Now}, false)
	s := newPublisher(MaxListed, x, func() int { return 0 }, nil, nil, feed.NewGroup())
	want := func(when string, feeds, idle int) {
		t.Helper()
		s.collect()
		s.publish()
		if len(s.own) != feeds || s.idle != idle {
			t.Errorf("%s: %d feeds, %d of them idle, want %d and %d", when, len(s.own), s.idle, feeds, idle)
		}
	}
	ana := match.User{Kind: storage.Person, ID: "ana"}
	offer := &match.Summary{Ref: match.Ref{ID: "offer", Code: "ABC234"}, Game: fourmation.New()}
	offer.Seats[games.First] = ana.Occupant()
	s.Note(x.Add(offer))
	want("ana has a match", 1, 0)
	s.Forget(ana.Key())
	want("ana has left", 1, 0)
	for i := range maxIdle {
		s.read(match.Key{Kind: storage.Guest, ID: strconv.Itoa(i)})
	}
	want("many guests look", 1+maxIdle, maxIdle)
	s.Forget(match.Key{Kind: storage.Guest, ID: "0"})
	want("one of them has left", maxIdle, maxIdle-1)
	var reading numbers
	for _, id := range []string{"one", "two"} {
		_, reading = s.read(match.Key{Kind: storage.Guest, ID: id})
	}
	want("too many guests look", 1, 0)
	select {
	case <-reading.newOwn:
	default:
		t.Error("a guest whose feed is dropped waits for it for ever")
	}
}
