package nodes

import (
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// owners computes which node owns a match, by rendezvous hashing over the nodes that are up. It is safe for concurrent use.
type owners struct {
	identity   *identity
	members    *members
	connection *connection
	clock      *clock
}

// Owns reports whether this node owns a match, and so runs its computer players and its timers.
func (o *owners) Owns(id storage.MatchID) bool {
	if o.identity.leaving() || o.connection.marked() || o.clock.isOff() {
		return false
	}
	return o.members.outranks(o.identity.ID(), func(node cluster.NodeID) uint64 { return weight(node, id) })
}

// weight is the rendezvous hash of a node and a match: the node with the highest weight owns the match. It is FNV-1a followed by the
// finalizer of SplitMix64, because ids differ in few bytes.
func weight(node cluster.NodeID, id storage.MatchID) uint64 {
	h := uint64(14695981039346656037)
	for _, part := range []string{string(node), string(id)} {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
