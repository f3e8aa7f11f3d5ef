package lobby

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ludoteca/lobby/attempts"
	"ludoteca/lobby/nodes"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/chat"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/relations"
)

// # Several nodes
//
// A club may run on several nodes over one store. Each node keeps its own registry of all matches, its own lists and its own view of who is
// online, and follows the changes of the other nodes in the store. Any node accepts an act in any match: the log takes each event number
// once, so a node whose copy is out of date is refused, reads the new events, and checks the act again. Computer players and timers of a
// match run only on the node that owns it (package nodes).
//
//	nodes.go                who is up, and what follows when the store doesn't answer
//	quick/                  quick matches between people of different nodes
//	registry/               the same matches in the registry (Several nodes)
//	live/others.go          reading what other nodes have written to a log
//	presence.go, presence/  people connected to other nodes
//	sessions.go             sessions that end because their key has another owner
//	matches/                matches that other nodes open, change and end; time that clocks get back
//
// Relations, decisions of operators and lines of the chat are followed beside the rest about them.
//
// In a club with one node Lobby.node is a nodes.Alone, which owns all matches, is never cut off and has nothing to follow. New chooses; nothing else
// asks whether there are several.

// A Shared is the part of the store through which nodes share their state; the parts of schema.Store say more about the methods.
type Shared interface {
	nodes.Store
	ShowPresent(ctx context.Context, node clusterstore.NodeID, rows []clusterstore.Present) error
	FollowPresent(ctx context.Context, f storage.Follower[clusterstore.PresentID, clusterstore.Present]) error
	FollowSummaries(ctx context.Context, f storage.Follower[storage.MatchID, matches.Summary]) error

	OpenMatch(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary, t clusterstore.Terms) error
	Place(ctx context.Context, place string) (storage.MatchID, error)
	AddSeeker(ctx context.Context, who clusterstore.Seeker) error
	ChangeSeeker(ctx context.Context, id clusterstore.SeekerID, change func(who *clusterstore.Seeker)) error
	RemoveSeeker(ctx context.Context, id clusterstore.SeekerID) (was clusterstore.Seeker, err error)
	FollowSeekers(ctx context.Context, f storage.Follower[clusterstore.SeekerID, clusterstore.Seeker]) error

	FollowDecisions(ctx context.Context, changed func()) error
	FollowRelations(ctx context.Context, f storage.Follower[storage.PlayerID, relations.Of]) error
	FollowChat(ctx context.Context, f storage.Follower[chat.LineID, chat.LineID]) error
	FollowKeys(ctx context.Context, missed func() error, changed func(fingerprint string, owner storage.PlayerID)) error

	FollowNotices(ctx context.Context, told func(clusterstore.Notice), bad func(key string, err error)) error

	TakeAttempts(ctx context.Context, what string, of []accounts.Attempt, now time.Time) (wait time.Duration, ok bool, err error)
	ReturnAttempts(ctx context.Context, what string, of []accounts.Attempt, now time.Time) error
}

// A node is this one: *nodes.Nodes, or *nodes.Alone in a club with one node.
type node interface {
	ownership
	reach
	following
	otherNodes

	Run(ctx context.Context)
	KeepTime(ctx, writes context.Context)
	Leave(ctx context.Context) error
}

// An ownership says which matches this node owns.
type ownership interface {
	Owns(id storage.MatchID) bool
}

// A reach says whether the store can be reached.
type reach interface {
	CutOff() bool
	Settled() bool
	Ready() bool
	WhileReached(ctx context.Context) (reached context.Context, done func())
}

// A following is how this node hears of what others do, and they of what this one does.
type following interface {
	Follow(ctx context.Context, f func(context.Context) error)
	Tell(ctx context.Context, kind string, what any) error
	Await(ctx context.Context, known func(context.Context) bool, news func() <-chan struct{})
	RemovedElsewhere(err error) bool
	Now() time.Time
	TimeOf(now, event time.Time) time.Time
}

// An otherNodes says who the nodes of the club are.
type otherNodes interface {
	ID() clusterstore.NodeID
	Own(id clusterstore.NodeID) bool
	Gone(ctx context.Context, id clusterstore.NodeID) bool
	LastBeat(id clusterstore.NodeID) time.Time
	Alone() bool
	Len() int
	Names() (up, missing []string)
}

// openNode makes l.node: one of several if the store is shared, else the only one of its club. last is when a club with one node was closed.
func (l *Lobby) openNode(ctx context.Context, cfg Config) (last clusterstore.Outage, err error) {
	if cfg.Shared != nil {
		l.shared, l.limiter = cfg.Shared, &attempts.InStore{Store: cfg.Shared, Tasks: l.tasks, Now: l.now, Log: l.log}
		l.node = nodes.New(nodes.Config{
			Store: cfg.Shared, Name: cfg.Node, HostKey: cfg.HostKey, Now: l.now, Log: l.log,
			Changed: l.nodesChanged, StillCutOff: l.tellCutOff, Outage: func(o clusterstore.Outage) { l.Matches.ClubDown(o) }, Rejoined: func() { l.Presence.Rejoined() },
		})
	} else {
		l.limiter = attempts.InMemory{}
		l.node, last, err = nodes.OpenAlone(ctx, nodes.AloneConfig{
			Store: l.store, Now: l.now, Log: l.log, Clocks: l.clocks, Ticks: l.registry.Ticks,
		})
		if err != nil {
			return last, fmt.Errorf("lobby: %w", err)
		}
	}
	l.matchNodes.Owner, l.reach.Node = l.node, l.node
	return last, nil
}

// clocks reports whether any match is played with a clock that counts seconds, and whether any clock is yet to be resumed.
func (l *Lobby) clocks() (ticking, interrupted bool) {
	c := l.registry.Counts()
	return c.Ticking > 0, c.Interrupted > 0
}

// joinNodes makes this node known to the others, and runs what it needs until endNode is called. last is when the club was closed, if this node
// is alone.
func (l *Lobby) joinNodes(ctx context.Context, last clusterstore.Outage) (err error) {
	if several, ok := l.node.(*nodes.Nodes); ok {
		if last, err = several.Join(ctx); err != nil {
			return fmt.Errorf("lobby: %w", err)
		}
	}
	l.matchNodes.ClubDown(last)
	running, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { l.node.Run(running) })
	l.leave = sync.OnceFunc(l.leaveNodes)
	l.endNode = func() {
		l.leave()
		stop()
		all.Wait()
	}
	return nil
}

// nodesChanged is nodes.Config.Changed: the live nodes have changed, or this node was cut off or reached the store again.
func (l *Lobby) nodesChanged() {
	l.Matches.OwnersChanged()
	l.tellCutOff()
}

// tellCutOff publishes whether this node is cut off, and whether that is because the store is full, if it is something new.
func (l *Lobby) tellCutOff() {
	l.Notices.CutOff(func() (cutOff, full bool) {
		cutOff = l.node.CutOff()
		return cutOff, cutOff && l.reach.StoreFull()
	})
}

// leaveNodes hands this node's matches over to the others.
func (l *Lobby) leaveNodes() {
	ctx, cancel := context.WithTimeout(context.Background(), nodes.CutOffAfter)
	defer cancel()
	if err := l.node.Leave(ctx); err != nil {
		l.log.Warn("other nodes take over only after a while", "err", err)
	}
}
