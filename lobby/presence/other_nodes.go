package presence

import (
	"slices"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// otherNodes holds the sessions of users on other nodes, which count like sessions on this node. It is safe for concurrent use.
//
// Each node writes one row to the store for each person who is connected to it (cluster.Present). Registry.Here returns a row of this node, put
// applies one of another.
type otherNodes struct {
	registry *Registry
	visits   map[cluster.NodeID]map[match.Key][]*Visit // registry.mu guards it
}

func newOtherNodes(r *Registry) *otherNodes {
	return &otherNodes{r, make(map[cluster.NodeID]map[match.Key][]*Visit)}
}

func presentID(node cluster.NodeID, k match.Key) cluster.PresentID {
	return cluster.PresentID{Node: node, Kind: k.Kind, ID: k.ID}
}

// isAt reports whether a person has a session on another node.
func (o *otherNodes) isAt(node cluster.NodeID, k match.Key) bool {
	o.registry.mu.Lock()
	defer o.registry.mu.Unlock()
	return len(o.visits[node][k]) > 0
}

// rows returns the keys of all rows that it holds.
func (o *otherNodes) rows() (all []cluster.PresentID) {
	o.registry.mu.Lock()
	defer o.registry.mu.Unlock()
	for node, people := range o.visits {
		for k := range people {
			all = append(all, presentID(node, k))
		}
	}
	return all
}

// put replaces the sessions of a person on another node by its row, and the name of a guest. first reports that the person has just come online, last
// that they have just gone offline. boards are the boards whose presence changes.
func (o *otherNodes) put(row cluster.Present) (first, last bool, boards []storage.MatchID) {
	r := o.registry
	u := match.User(row.Who)
	k := u.Key()
	d := departure{time.Now(), row.Left.At, row.Left.Dropped, row.Left.Command}
	if d.event.IsZero() { // the node itself is gone
		d.event, d.dropped = r.now(), true
	}
	r.mu.Lock()
	_, wasHere := r.people[k]
	visits := o.visits[row.Node][k]
	for i, s := range row.Sessions {
		if i == len(visits) {
			v := &Visit{registry: r, user: k, other: true, since: s.Since, idle: s.Idle}
			r.enter(v, u, row.Came)
			visits = append(visits, v)
		}
		boards = append(boards, visits[i].set(s)...)
	}
	for _, v := range visits[len(row.Sessions):] {
		boards = append(boards, boardsOf(v.board)...)
		r.leave(v, d)
	}
	visits = visits[:len(row.Sessions)]
	if p := r.people[k]; p != nil && k.Kind == storage.Guest && len(visits) > 0 && p.user.Name != u.Name { // names of players follow decisions
		boards = append(boards, r.rename(p, u.Name)...)
	}
	switch people := o.visits[row.Node]; {
	case len(visits) > 0 && people == nil:
		o.visits[row.Node] = map[match.Key][]*Visit{k: visits}
	case len(visits) > 0:
		people[k] = visits
	case people != nil:
		if delete(people, k); len(people) == 0 {
			delete(o.visits, row.Node)
		}
	}
	_, isHere := r.people[k]
	if !isHere && row.Left != (cluster.Departure{}) {
		r.left.add(k, d)
	}
	r.mu.Unlock()
	slices.Sort(boards)
	boards = slices.Compact(boards)
	r.changed(k, slices.Clone(boards))
	return !wasHere && isHere, wasHere && !isHere, boards
}

// set updates a session on another node, and returns the boards whose presence that changes. The caller holds registry.mu.
func (v *Visit) set(s cluster.AtBoard) (touched []storage.MatchID) {
	if v.board == s.Match && v.idle == s.Idle {
		v.since = s.Since
		return nil
	}
	touched = boardsOf(v.board, s.Match)
	if v.board == s.Match {
		switch {
		case s.Match == "":
		case s.Idle:
			v.person.wasHere(s.Match, s.Since)
		default:
			delete(v.person.lastHere, s.Match)
		}
		v.idle, v.since = s.Idle, s.Since
		return touched
	}
	v.leaveBoard(s.Since)
	v.idle = s.Idle
	v.comeToBoard(s.Match, s.Since)
	return touched
}
