// Package quick finds opponents for quick matches.
//
// Each search is a row (cluster.Seeker), which lives as long as the search. All nodes of a club follow all rows: a pool is what a node knows from
// them, and tells its own people how far their searches have come. The node that owns the pool of a game pairs the people who want to play it with
// each other and with the open offers. It opens the match of a pair in a transaction that enters it in both rows, and writes into the row of
// a search which offer is to be taken. The node of the person does so, or tells the person of the match.
//
// Nothing depends on there being one owner at a time. Two that pair the same person are told apart by the transaction, and a new one knows
// everything from the rows. A club with one node owns all pools, and its rows are in memory alone.
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
	pool   *pool
	rows   rows
	turn   *tasks.Turn   // held by the user who takes the fairest match at once
	last   atomic.Uint64 // the number of the last search, so that those of a node sort by age
}

// New returns a service with which nobody looks for a match. The caller must run Run and Follow.
func New(c Config) *Service {
	m := &Service{config: c, turn: c.Tasks.NewTurn()}
	m.pool = newPool(m)
	if m.rows = (memory{m.pool}); c.Shared != nil {
		m.rows = stored{c.Shared}
	}
	return m
}

// Run pairs those who wait, and tells people here how far their searches have come, until ctx ends.
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

// Counts are how many people look for a quick match, as a node knows it.
type Counts struct {
	Waiting   int // in the pool, those of other nodes included
	Elsewhere int // of these, at other nodes
	Rows      int // searches of this node
}

// Counts returns how many people look for a match; the zero value once the club closes.
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
