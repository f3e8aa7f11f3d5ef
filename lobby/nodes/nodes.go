// Package nodes keeps track of the nodes of a club: which of them are up, and which one owns each match. Nodes is one of several nodes,
// Alone the only one of its club. Both have the same methods, so that callers need not know which of them they have.
//
// Each node writes a heartbeat to the store once a second. The owner of a match follows from the list of live nodes by rendezvous hashing,
// so ownership is never written anywhere, and nodes that know the same list agree on it. While their lists differ, a match may have two
// owners or none for a moment. That is harmless, because the log of a match takes each event once.
package nodes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

const (
	beatEvery = time.Second

	// CutOffAfter is how long a node keeps working after its last successful heartbeat. It is less than cluster.MaxSilence, so a node
	// has stopped working by the time an outage of the whole club is recorded.
	CutOffAfter = 3 * time.Second

	// ExpireAfter is how long a node may go without a heartbeat, while others can write theirs, before they declare it gone.
	ExpireAfter = 5 * time.Second

	retry = 250 * time.Millisecond // pause after an error of the store
)

// ErrNameTaken means that a live node already has this name.
var ErrNameTaken = errors.New("another node has this name, and is up")

// A Store keeps a row for each live node; see cluster.Store for the methods.
type Store interface {
	BeatNode(ctx context.Context, n cluster.Node, now func() time.Time) (last cluster.Outage, err error)
	RemoveNode(ctx context.Context, id cluster.NodeID) error
	ExpireNode(ctx context.Context, id cluster.NodeID, beat uint64) (gone bool, err error)
	Nodes(ctx context.Context) ([]cluster.Node, error)
	FollowNodes(ctx context.Context, f storage.Follower[cluster.NodeID, cluster.Node]) error
	Tell(ctx context.Context, m cluster.Message, number uint64) error
}

// A Listener is told what becomes of the nodes. The goroutines of Run call its methods, which must not block.
type Listener interface {
	// Changed is called after a change of the live nodes, and so of the owners of matches, or of whether the store answers.
	Changed()

	// Outage is called with the club's last outage after each heartbeat, before CutOff becomes false.
	Outage(cluster.Outage)
}

// A Config configures New.
type Config struct {
	Store Store
	Name  string           // of this node; unique in the club
	Now   func() time.Time // the clock of events
	Log   *slog.Logger

	// HostKey is the fingerprints of the host keys, separated by spaces. It should be the same on all nodes.
	HostKey string

	Listener Listener
}

// Nodes is one node's view of all nodes of the club. Each of its parts answers one question: which node this is, which ones are up, whether the
// store can be reached, what time it is, who owns a match, what other nodes write, and which messages they get. It is safe for concurrent use.
type Nodes struct {
	*identity
	*members
	*connection
	*clock
	*owners
	*follower
	*sender

	config     Config
	heartbeats *heartbeats
	watcher    *watcher
}

// New returns a Nodes without other nodes. The caller must call Join before anything else.
func New(c Config) *Nodes {
	self := &identity{mine: make(map[cluster.NodeID]bool)}
	n := &Nodes{
		identity: self, members: newMembers(c.Store, self), connection: newConnection(c), clock: newClock(c.Now, c.Log),
		follower: &follower{c.Log}, sender: &sender{store: c.Store, self: self.ID}, config: c,
	}
	n.owners = &owners{self, n.members, n.connection, n.clock}
	n.heartbeats = &heartbeats{config: c, identity: self, members: n.members, connection: n.connection, clock: n.clock}
	n.watcher = &watcher{c, self, n.members, n.clock}
	return n
}

// Join announces this node to the others and returns the club's last outage. It removes a dead node of the same name; if that node is alive
// the error wraps ErrNameTaken. Other errors are the store's. After success the caller must call Run.
func (n *Nodes) Join(ctx context.Context) (last cluster.Outage, err error) {
	if err := takeName(ctx, n.config.Store, n.config.Name); err != nil {
		return cluster.Outage{}, err
	}
	if last, err = n.heartbeats.first(ctx); err != nil {
		return cluster.Outage{}, fmt.Errorf("nodes: %w", err)
	}
	all, err := n.config.Store.Nodes(ctx)
	if err != nil {
		return cluster.Outage{}, fmt.Errorf("nodes: %w", err)
	}
	n.watcher.rows().All(all)
	return last, nil
}

// Run sends heartbeats and follows the heartbeats of other nodes until ctx ends. Unless Leave was called, the others take over this node's
// matches ExpireAfter later.
func (n *Nodes) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { n.heartbeats.run(ctx) })
	all.Go(func() { n.watcher.run(ctx) })
	all.Go(func() { n.connection.watch(ctx) })
	all.Wait()
}

// KeepTime does nothing: Run sends heartbeats.
func (n *Nodes) KeepTime(context.Context) error { return nil }

// Leave hands this node's matches over to the others. It owns none from then on.
func (n *Nodes) Leave(ctx context.Context) error {
	if err := n.config.Store.RemoveNode(ctx, n.identity.leave()); err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	return nil
}

// Ready reports whether new users should connect to this node: it has settled since it started or was last cut off, isn't cut off now and isn't
// stopping. A single late heartbeat doesn't change the result.
func (n *Nodes) Ready() bool { return n.connection.isReady() && !n.identity.leaving() }
