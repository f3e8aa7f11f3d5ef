package nodes

import (
	"crypto/rand"
	"sync"

	"ludoteca/storage/cluster"
)

// An identity knows which node this is: its id, the ids that it had before, and whether it is about to stop. It is safe for concurrent use.
type identity struct {
	rejoined signal // sent when this node is back under a new id

	mu   sync.RWMutex // guards what follows
	self cluster.NodeID
	mine map[cluster.NodeID]bool // the ids that this node has had
	left bool                    // this node is about to stop, and owns nothing
}

// Rejoined returns a channel that is closed when other nodes had declared this node gone and it has come back under a new id.
func (i *identity) Rejoined() <-chan struct{} { return i.rejoined.sent() }

// ID returns the current id of this node. It changes before the channel of Rejoined is closed.
func (i *identity) ID() cluster.NodeID {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.self
}

// Own reports whether this node has or had this id.
func (i *identity) Own(id cluster.NodeID) bool {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.mine[id]
}

// renew gives this node a new id, and returns the one before too. ok is false if this node is about to stop, and nothing has changed.
func (i *identity) renew() (id, before cluster.NodeID, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.left {
		return i.self, i.self, false
	}
	before, i.self = i.self, cluster.NodeID(rand.Text())
	i.mine[i.self] = true
	return i.self, before, true
}

// leave notes that this node is about to stop, and returns its id, which stays the same from then on.
func (i *identity) leave() cluster.NodeID {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.left = true
	return i.self
}

// leaving reports whether this node is about to stop.
func (i *identity) leaving() bool {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.left
}
