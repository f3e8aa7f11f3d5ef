package nodes

import (
	"context"

	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// A watcher follows the heartbeats of all nodes, this one included.
type watcher struct {
	config   Config
	identity *identity
	members  *members
	clock    *clock
}

// run follows the rows of all nodes until ctx ends.
func (w *watcher) run(ctx context.Context) {
	repeat(ctx, w.config.Log, "nodes are not followed", func(ctx context.Context) error {
		return w.config.Store.FollowNodes(ctx, w.rows())
	})
}

// rows returns what keeps the members equal to the rows of all nodes.
func (w *watcher) rows() storage.Follower[cluster.NodeID, cluster.Node] {
	return Mirror[cluster.NodeID, cluster.Node]{
		Key:   func(node cluster.Node) cluster.NodeID { return node.ID },
		Known: w.members.ids,
		Put:   func(node cluster.Node, _ bool) { w.put(node) },
		Gone:  w.gone,
	}.Follower(func(_ string, err error) { w.config.Log.Error("the row of a node can't be read", "err", err) })
}

// put handles a heartbeat. At each heartbeat of this node it compares the clocks.
func (w *watcher) put(node cluster.Node) {
	before, isNew := w.members.put(node, w.clock.ahead(node.At))
	changed := isNew || before.ClockOff != node.ClockOff
	if node.ID == w.identity.ID() && (isNew || before.Beat != node.Beat) {
		if self, others, ok := w.members.offsets(node.ID); ok && w.clock.compare(self, others) {
			changed = true
		}
	}
	if node.ClockOff && !before.ClockOff && !w.identity.Own(node.ID) {
		w.config.Log.Warn("the clock of another node is off, and it owns no matches", "node", node.Name)
	}
	if isNew && node.HostKey != w.config.HostKey {
		w.config.Log.Error("another node has another host key, or one more or less, and clients warn of an attack: give all nodes the same", "node", node.Name, "hostkey", node.HostKey)
	}
	if changed {
		w.config.Listener.Changed()
	}
}

// gone handles the removal of a node.
func (w *watcher) gone(id cluster.NodeID) {
	if w.members.remove(id) {
		w.config.Listener.Changed()
	}
}
