package presence

import (
	"slices"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// # Several nodes
//
// Each node writes one row to the store for each person who is connected to it (cluster.Present). Here returns a row of this node;
// Elsewhere applies a row of another one, whose sessions then count like those of this node.

// Here returns this node's row of a person: their sessions here, or how they left, if that is remembered.
func (r *Registry) Here(k match.Key) cluster.Present {
	r.mu.Lock()
	defer r.mu.Unlock()
	row := cluster.Present{Who: storage.Occupant{Kind: k.Kind, ID: k.ID}}
	if p := r.people[k]; p != nil {
		row.Who, row.Came = p.user.Occupant(), p.came
		for _, v := range p.visits {
			if !v.other {
				row.Sessions = append(row.Sessions, cluster.AtBoard{Match: v.board, Idle: v.idle, Since: v.since})
			}
		}
	} else if d, known := r.left[k]; known {
		row.Left = cluster.Departure{At: d.event, Dropped: d.dropped, Command: d.command}
	}
	return row
}

// Everybody returns the keys of all people with a session on this node.
func (r *Registry) Everybody() (all []match.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, p := range r.people {
		if slices.ContainsFunc(p.visits, func(v *Visit) bool { return !v.other }) {
			all = append(all, k)
		}
	}
	return all
}

// LookedAt reports whether a session on another node is at a board.
func (r *Registry) LookedAt(board storage.MatchID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.looked[board] > 0
}

// IsAt reports whether a person has a session on another node.
func (r *Registry) IsAt(node cluster.NodeID, k match.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.elsewhere[node][k]) > 0
}

// Nodes returns the people connected to other nodes, by node.
func (r *Registry) Nodes() map[cluster.NodeID][]match.Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make(map[cluster.NodeID][]match.Key, len(r.elsewhere))
	for node, people := range r.elsewhere {
		for k := range people {
			all[node] = append(all[node], k)
		}
	}
	return all
}

// Elsewhere replaces what is known of a person on another node by its row. first reports that they have just come online, last that they
// have just gone offline; boards are those that their sessions there are or were at and at which that changes something.
func (r *Registry) Elsewhere(row cluster.Present) (first, last bool, boards []storage.MatchID) {
	u := match.User(row.Who)
	k := u.Key()
	d := departure{time.Now(), row.Left.At, row.Left.Dropped, row.Left.Command}
	if d.event.IsZero() { // the node itself is gone
		d.event, d.dropped = r.now(), true
	}
	r.mu.Lock()
	_, wasHere := r.people[k]
	visits := r.elsewhere[row.Node][k]
	for i, s := range row.Sessions {
		if i == len(visits) {
			v := &Visit{registry: r, user: k, other: true, since: s.Since, idle: s.Idle}
			r.enter(v, u, row.Came)
			visits = append(visits, v)
		}
		boards = append(boards, r.set(visits[i], s)...)
	}
	for _, v := range visits[len(row.Sessions):] {
		boards = append(boards, boardsOf(v.board)...)
		r.leave(v, d)
	}
	visits = visits[:len(row.Sessions)]
	switch people := r.elsewhere[row.Node]; {
	case len(visits) > 0 && people == nil:
		r.elsewhere[row.Node] = map[match.Key][]*Visit{k: visits}
	case len(visits) > 0:
		people[k] = visits
	case people != nil:
		if delete(people, k); len(people) == 0 {
			delete(r.elsewhere, row.Node)
		}
	}
	_, isHere := r.people[k]
	if known, ok := r.left[k]; !isHere && row.Left != (cluster.Departure{}) && (!ok || known.event.Before(d.event)) {
		r.left[k] = d
	}
	r.mu.Unlock()
	slices.Sort(boards)
	boards = slices.Compact(boards)
	r.changed(k, slices.Clone(boards))
	return !wasHere && isHere, wasHere && !isHere, boards
}

// set updates a session on another node, and returns the boards whose presence that changes. The caller holds mu.
func (r *Registry) set(v *Visit, s cluster.AtBoard) (touched []storage.MatchID) {
	if v.board == s.Match && v.idle == s.Idle {
		v.since = s.Since
		return nil
	}
	touched = boardsOf(v.board, s.Match)
	if v.board == s.Match {
		switch {
		case s.Match == "":
		case s.Idle:
			r.people[v.user].wasHere(s.Match, s.Since)
		default:
			delete(r.people[v.user].lastHere, s.Match)
		}
		v.idle, v.since = s.Idle, s.Since
		return touched
	}
	r.leaveBoard(v, s.Since)
	v.idle = s.Idle
	r.comeToBoard(v, s.Match, s.Since)
	return touched
}
