package nodes

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"ludoteca/storage/cluster"
)

// members holds the nodes that are up, and when other nodes were last seen. It is safe for concurrent use.
type members struct {
	store    Store
	identity *identity

	mu   sync.RWMutex                 // guards what follows
	up   map[cluster.NodeID]*liveNode // this one included
	seen sightings
}

// A liveNode is one of the nodes that are up.
type liveNode struct {
	node   cluster.Node
	seenAt time.Time // when its last beat was seen, by the machine's clock
	clock  readings
}

func newMembers(store Store, self *identity) *members {
	return &members{
		store: store, identity: self, up: make(map[cluster.NodeID]*liveNode),
		seen: sightings{beats: make(map[cluster.NodeID]time.Time), names: make(map[string]time.Time)},
	}
}

// Len returns the number of live nodes.
func (m *members) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.up)
}

// Names returns the names of the nodes that are up, and of those that this node has seen in the last 24 hours and that are gone, sorted. A node
// that was stopped is gone too.
func (m *members) Names() (up, missing []string) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, other := range m.up {
		up = append(up, other.node.Name)
	}
	slices.Sort(up)
	up = slices.Compact(up) // a node that was restarted may be there twice for a moment
	return up, m.seen.missing(up)
}

// Alone reports whether no other node is up.
func (m *members) Alone() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for id := range m.up {
		if !m.identity.Own(id) {
			return false
		}
	}
	return true
}

// Gone reports whether a node that was up is gone. For a node that is still up here it asks the store, and returns true if the store doesn't
// answer.
func (m *members) Gone(ctx context.Context, id cluster.NodeID) bool {
	m.mu.RLock()
	up := m.up[id] != nil
	m.mu.RUnlock()
	if !up {
		return true
	}
	all, err := m.store.Nodes(ctx)
	return err != nil || !slices.ContainsFunc(all, func(other cluster.Node) bool { return other.ID == id })
}

// LastBeat returns the time of the last heartbeat of a node, live or gone, by the clock of events; zero if it is not known.
func (m *members) LastBeat(id cluster.NodeID) time.Time {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.seen.beats[id]
}

// add adds a node that is up from this moment, before its heartbeats have arrived here.
func (m *members) add(node cluster.Node) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.up[node.ID] = &liveNode{node: node, seenAt: time.Now()}
}

// put records a heartbeat and returns the one before; isNew reports whether there was none. ahead is how far the node's clock is ahead of this
// machine's according to the heartbeat.
func (m *members) put(node cluster.Node, ahead time.Duration) (before cluster.Node, isNew bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.up[node.ID]
	if isNew = known == nil; isNew {
		known = &liveNode{}
		m.up[node.ID] = known
	}
	before = known.node
	if isNew || before.Beat != node.Beat {
		if !isNew { // the first one may have been there for long
			known.clock = known.clock.with(ahead)
		}
		known.node, known.seenAt = node, time.Now()
		m.seen.note(node, func(id cluster.NodeID) bool { return m.up[id] != nil })
	}
	return before, isNew
}

// remove removes a node that is gone, and reports whether it was up.
func (m *members) remove(id cluster.NodeID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, up := m.up[id]
	delete(m.up, id)
	return up
}

// ids returns the ids of the nodes that are up.
func (m *members) ids() []cluster.NodeID {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Collect(maps.Keys(m.up))
}

// silent returns the other nodes whose last heartbeat was seen ExpireAfter or longer ago. It counts that time from steady at the earliest.
func (m *members) silent(steady time.Time) (silent []cluster.Node) {
	now, self := time.Now(), m.identity.ID()
	m.mu.RLock()
	defer m.mu.RUnlock()
	for id, other := range m.up {
		since := other.seenAt
		if steady.After(since) {
			since = steady
		}
		if id != self && now.Sub(since) >= ExpireAfter {
			silent = append(silent, other.node)
		}
	}
	return silent
}

// alive records that a node is up although its heartbeats have not arrived here.
func (m *members) alive(id cluster.NodeID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if other := m.up[id]; other != nil {
		other.seenAt = time.Now()
	}
}

// offsets returns how far the clocks of a node and of the others are ahead of this machine's. ok is false if one of them came a moment ago.
func (m *members) offsets(of cluster.NodeID) (ahead time.Duration, others []time.Duration, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.up[of] == nil {
		return 0, nil, false
	}
	for id, known := range m.up {
		by, ok := known.clock.offset()
		if !ok {
			return 0, nil, false
		}
		if id == of {
			ahead = by
		} else {
			others = append(others, by)
		}
	}
	return ahead, others, true
}

// outranks reports whether a node is up and has a higher weight than all others whose clocks are right. Of two nodes with the same weight the
// greater id counts as higher.
func (m *members) outranks(node cluster.NodeID, weight func(cluster.NodeID) uint64) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.up[node] == nil {
		return false
	}
	own := weight(node)
	for id, other := range m.up {
		if other.node.ClockOff {
			continue
		}
		if w := weight(id); w > own || w == own && id > node {
			return false
		}
	}
	return true
}

const (
	missingFor = 24 * time.Hour // how long a node that is gone is reported missing
	maxBeats   = 1000           // nodes with a known heartbeat, above which nodes that are gone are forgotten
)

// sightings are the times at which nodes were last seen to be up.
type sightings struct {
	beats map[cluster.NodeID]time.Time // of the nodes that are up and of some that are gone, by the clock of events
	names map[string]time.Time         // of nodes with a name, by the machine's clock; within missingFor
}

// note records a heartbeat that has just been seen.
func (s *sightings) note(node cluster.Node, isUp func(cluster.NodeID) bool) {
	if _, known := s.names[node.Name]; !known { // names are few, unless a platform makes new ones
		maps.DeleteFunc(s.names, func(_ string, at time.Time) bool { return time.Since(at) >= missingFor })
	}
	s.names[node.Name] = time.Now()
	if len(s.beats) >= maxBeats {
		maps.DeleteFunc(s.beats, func(id cluster.NodeID, _ time.Time) bool { return !isUp(id) })
	}
	s.beats[node.ID] = node.At
}

// missing returns the names that were seen within missingFor and are not among those that are up, sorted. up is sorted too.
func (s *sightings) missing(up []string) (names []string) {
	for name, at := range s.names {
		if _, here := slices.BinarySearch(up, name); !here && time.Since(at) < missingFor {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
