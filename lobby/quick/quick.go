// Package quick finds opponents for quick matches.
//
// Each search has a row (cluster.Seeker), which lives as long as the search. All nodes of a club follow all rows: each node keeps them in a pool,
// from which it shows its own users the state of their searches. One node owns the pool and pairs its players with each other
// and with open offers. It opens the match of a pair in a transaction that also writes the match to both rows. For a search that should
// take an offer, it writes the offer to the row. The node of the searching user takes the offer, or shows the user the match.
//
// Correctness doesn't depend on a single owner. If two nodes pair the same player, only one transaction succeeds. A new owner learns
// everything from the rows. The node of a club with one node owns the pool, and keeps the rows only in memory.
package quick

import (
	"context"
	"log/slog"
	"sync/atomic"
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
	Owns(id storage.MatchID) bool
	Now() time.Time
	TimeOf(now, event time.Time) time.Time
	nodes.Follower
}

// Matches has the methods of matches.Service that searches need.
type Matches interface {
	Do(ctx context.Context, id storage.MatchID, act match.Act) error
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
	Now       func() time.Time // the clock of events
	Log       *slog.Logger
}

// A Service finds opponents. It is safe for concurrent use.
type Service struct {
	config Config
	pool   *pool
	rows   rows
	calls  calls
	turn   *tasks.Turn // held by the user who takes the fairest match at once
	sought *feed.Feed[[]Sought]
	last   atomic.Uint64 // the number of the last search, by which the searches of a node sort by age
}

// New returns a service without searches. The caller must run Run and Follow.
func New(c Config) *Service {
	m := &Service{config: c, turn: c.Tasks.NewTurn(), sought: feed.New[[]Sought](c.Feeds)}
	m.pool = newPool(m)
	if m.rows = (memory{m.pool}); c.Shared != nil {
		m.rows = stored{c.Shared}
	}
	m.calls = calls{m.pool, m.rows, m.time}
	return m
}

// Run pairs players and publishes the state of the searches of this node until ctx ends.
func (m *Service) Run(ctx context.Context) { m.pool.run(ctx) }

// Follow follows the rows of all searches until ctx ends.
func (m *Service) Follow(ctx context.Context) {
	do := func(f func()) { _ = m.pool.do(ctx, f) } // the error: the club closes
	m.config.Node.Follow(ctx, func(ctx context.Context) error {
		return m.rows.FollowSeekers(ctx, storage.Follower[cluster.SeekerID, cluster.Seeker]{
			All:  func(all []cluster.Seeker) { do(func() { m.pool.replace(all) }) },
			Put:  func(row cluster.Seeker) { do(func() { m.pool.put(row) }) },
			Gone: func(id cluster.SeekerID) { do(func() { m.pool.gone(id) }) },
			Bad:  m.config.Node.Unreadable,
		})
	})
}

// Counts counts the players who look for a quick match, as this node knows them.
type Counts struct {
	Waiting   int // players in the pool, on all nodes
	Elsewhere int // of these, on other nodes
	Rows      int // searches of this node
}

// Counts returns the counts; the zero value once the club closes.
func (m *Service) Counts() (c Counts) {
	_ = m.pool.do(context.Background(), func() { // the error: the club closes
		c.Waiting = len(m.pool.waiting)
		for _, e := range m.pool.waiting {
			if e.search == nil {
				c.Elsewhere++
			}
		}
		for _, e := range m.pool.entries {
			if e.search != nil {
				c.Rows++
			}
		}
	})
	return c
}

// time returns the time on the clock of searches, which all nodes share.
func (m *Service) time() time.Time { return m.config.Node.Now() }
