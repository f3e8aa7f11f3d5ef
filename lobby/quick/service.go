// Package quick finds opponents for quick matches.
//
// People who look for a quick match wait in a pairing.Pool, which one goroutine owns, Service.Run, with one timer for all of them. It pairs
// them with each other and with the open offers, and tells each how far the search has come. A match is opened, or an offer taken, in a
// goroutine of its own, so that a slow disk holds up nobody else.
//
// Of several nodes, each one's pool holds all people who look for a match: its own, and those of other nodes from rows in the store
// (cluster.Seeker). All pools find the same pairs, and pairing.Seeker says which node opens the match of a pair. It does so in a transaction that
// enters the match in both rows, so another node that has paired one of the two is refused.
package quick

import (
	"context"
	"log/slog"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// A Node is this one: *nodes.Nodes or *nodes.Alone.
type Node interface {
	ID() cluster.NodeID
	Own(id cluster.NodeID) bool
	Now() time.Time
	TimeOf(now, event time.Time) time.Time
	Follow(ctx context.Context, f func(context.Context) error)
}

// Shared is the store of a club with several nodes; see cluster.Store.
type Shared interface {
	AddSeeker(ctx context.Context, who cluster.Seeker) error
	RemoveSeeker(ctx context.Context, id cluster.SeekerID) (was cluster.Seeker, err error)
	EndSeeker(ctx context.Context, id cluster.SeekerID) error
	FollowSeekers(ctx context.Context, f storage.Follower[cluster.SeekerID, cluster.Seeker]) error
	Place(ctx context.Context, place string) (storage.MatchID, error)
}

// Matches are what searches ask of matches; matches.Service has the methods.
type Matches interface {
	Do(ctx context.Context, id storage.MatchID, act match.Act, release func()) error
	UntilKnown(ctx context.Context, id storage.MatchID)
}

// A Config configures New.
type Config struct {
	Seats     *seats.Service
	Manners   *seats.Manners
	Matches   Matches
	Registry  *registry.Registry
	Standings *standings.Service
	Node      Node
	Shared    Shared // nil in a club with one node
	Reach     *nodes.Reach
	Games     []games.Game
	Feeds     *feed.Group
	Tasks     *tasks.Group
	Log       *slog.Logger
}

// A Service finds opponents. It is safe for concurrent use.
type Service struct {
	config Config
	owner  *owner
	turn   *tasks.Turn // held by the user who takes the fairest match at once
	rows   rows
}

// New returns a service with which nobody looks for a match. The caller must run Run and Follow.
func New(c Config) *Service {
	m := &Service{config: c, owner: newOwner(c.Manners.NeverPaired, c.Tasks.Closing()), turn: c.Tasks.NewTurn()}
	m.rows = noRows{m}
	if c.Shared != nil {
		m.rows = storedRows{m}
	}
	return m
}

// Run pairs those who wait until ctx ends.
func (m *Service) Run(ctx context.Context) { m.owner.run(ctx, m) }

// Counts are how many people look for a quick match, as a node knows it.
type Counts struct {
	Waiting   int // in the pool, those of other nodes included
	Elsewhere int // of these, at other nodes
	Rows      int // of this node, in the store
}

// Counts returns how many people look for a match; the zero value once the club closes.
func (m *Service) Counts() (c Counts) {
	_ = m.owner.do(context.Background(), func() { // the error: the club closes
		c = Counts{m.owner.pool.Len(), len(m.owner.other), len(m.owner.rows)}
	})
	return c
}

func (m *Service) unreadable(key string, err error) {
	m.config.Log.Error("what another node has written can't be read", "key", key, "err", err)
}
