package quick

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// known are matches that have all arrived, and with which nobody does anything.
type known struct{}

func (known) Do(_ context.Context, _ storage.MatchID, _ match.Act, release func()) error {
	release()
	return nil
}

func (known) UntilKnown(context.Context, storage.MatchID) {}

// noRow is a store from which rows of searches are removed alone.
type noRow struct{ Shared }

func (noRow) RemoveSeeker(context.Context, cluster.SeekerID) (cluster.Seeker, error) {
	return cluster.Seeker{}, nil
}

// aNode is one of several.
type aNode struct{ Node }

func (aNode) Own(id cluster.NodeID) bool { return id == "node1" }

func (aNode) Now() time.Time { return time.Now() }

// alone returns a service of which the test owns the searches, and a search of ana.
func alone(t *testing.T) (m *Service, s *search, seeker pairing.Seeker) {
	t.Helper()
	group := tasks.NewGroup()
	go group.Run(time.Second, func() {})
	t.Cleanup(group.Close)
	feeds := feed.NewGroup()
	m = &Service{
		config: Config{Matches: known{}, Shared: noRow{}, Node: aNode{}, Feeds: feeds, Tasks: group, Log: slog.New(slog.DiscardHandler)},
		owner:  newOwner(func(a, b match.Key) bool { return false }, group.Closing()), turn: group.NewTurn(),
	}
	ana := match.User{Kind: storage.Person, ID: "ana", Name: "ana"}
	s = &search{user: ana, feed: feed.New[Looking](feeds), gone: t.Context().Done(), since: time.Now(), row: cluster.SeekerID{Node: "node1", Ticket: "1"}}
	seeker = pairing.Seeker{
		Person: ana.Key(), Want: pairing.Want{Game: "fourmation", Clock: clock.Setting{}}, Since: s.since, Tried: make(map[match.Key]bool),
	}
	m.owner.rows[s.row] = s
	return m, s, seeker
}

// TestPairedBeforeWaiting: a search that another node pairs before it is in its own node's pool ends, and publishes its match.
func TestPairedBeforeWaiting(t *testing.T) {
	m, s, seeker := alone(t)
	m.owner.putRow(m, cluster.Seeker{ID: s.row, Match: "match1", Code: "ABC234"})
	m.owner.add(m, s, seeker)
	if n := m.owner.pool.Len(); n != 0 {
		t.Errorf("%d wait", n)
	}
	found, _, err := s.Next(t.Context(), 0)
	if want := (match.Ref{ID: "match1", Code: "ABC234"}); err != nil || found.Match != want {
		t.Errorf("found %v, %v, want %v", found.Match, err, want)
	}
}

// TestWaitsTwice: a search that is added to the pool twice is there once, and still waits.
func TestWaitsTwice(t *testing.T) {
	m, s, seeker := alone(t)
	for range 2 {
		m.owner.add(m, s, seeker)
	}
	if n := m.owner.pool.Len(); n != 1 {
		t.Errorf("%d wait, want 1", n)
	}
	m.owner.publish(m)
	if at, _, err := s.Next(t.Context(), 0); err != nil || at.Match != (match.Ref{}) {
		t.Errorf("it is told %+v, %v", at, err)
	}
	if m.owner.rows[s.row] != s {
		t.Error("its row is forgotten")
	}
}
