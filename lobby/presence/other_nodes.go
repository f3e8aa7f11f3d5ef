package presence

import (
	"slices"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// # Several nodes
//
// A node says who is connected to it in rows, one for each person (storage.Present). Here returns the row of this node, Elsewhere takes in
// those of others: their sessions count like those of this node.

// Here returns what this node says of somebody: their sessions here, or how they left, if that is remembered.
func (r *Registry) Here(k match.Key) storage.Present {
	r.mu.Lock()
	defer r.mu.Unlock()
	row := storage.Present{Who: storage.Occupant{Kind: k.Kind, ID: k.ID}}
	if p := r.people[k]; p != nil {
		row.Who, row.Came = p.user.Occupant(), p.came
		for _, v := range p.visits {
			if !v.other {
				row.Sessions = append(row.Sessions, storage.AtBoard{Match: v.board, Idle: v.idle, Since: v.since})
			}
		}
	} else if d, known := r.left[k]; known {
		row.Left = storage.Departure{At: d.event, Dropped: d.dropped}
	}
	return row
}

// Everybody returns the keys of all who have a session at this node.
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

// LookedAt says whether a session at another node is at a board.
func (r *Registry) LookedAt(board storage.MatchID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.looked[board] > 0
}

// IsAt says whether somebody has a session at another node.
func (r *Registry) IsAt(node storage.NodeID, k match.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.elsewhere[node][k]) > 0
}

// Nodes returns the other nodes that people are connected to, and who they are.
func (r *Registry) Nodes() map[storage.NodeID][]match.Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make(map[storage.NodeID][]match.Key, len(r.elsewhere))
	for node, people := range r.elsewhere {
		for k := range people {
			all[node] = append(all[node], k)
		}
	}
	return all
}

// Elsewhere takes in what another node says of somebody, in place of what it said before. first says that they were not here before, last
// that they are not any more.
func (r *Registry) Elsewhere(row storage.Present) (first, last bool) {
	u := match.User(row.Who)
	k := u.Key()
	var touched []storage.MatchID
	d := departure{time.Now(), row.Left.At, row.Left.Dropped}
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
		touched = append(touched, r.set(visits[i], s)...)
	}
	for _, v := range visits[len(row.Sessions):] {
		touched = append(touched, boards(v.board)...)
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
	if known, ok := r.left[k]; !isHere && row.Left != (storage.Departure{}) && (!ok || known.event.Before(d.event)) {
		r.left[k] = d
	}
	r.mu.Unlock()
	slices.Sort(touched)
	r.changed(k, slices.Compact(touched))
	return !wasHere && isHere, wasHere && !isHere
}

// set makes a session at another node what that says of it, and returns the boards at which that can be seen. The caller holds mu.
func (r *Registry) set(v *Visit, s storage.AtBoard) (touched []storage.MatchID) {
	if v.board == s.Match && v.idle == s.Idle {
		v.since = s.Since
		return nil
	}
	touched = boards(v.board, s.Match)
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
