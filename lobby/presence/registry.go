// Package presence tracks which users are connected, at which boards they look, and since when other users are gone.
package presence

import (
	"slices"
	"strings"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// IdleAfter is how long after the last key a user counts as away.
const IdleAfter = 5 * time.Minute

// A Registry holds all users who are connected. Each session is a Visit, which has its board. A Registry is safe for concurrent use.
//
// No session has a timer: Service calls Idle now and then.
type Registry struct {
	now     func() time.Time                              // the time of events
	changed func(who match.Key, boards []storage.MatchID) // see notify
	here    func(who match.Key)                           // see notify
	renamed func(who match.Key)                           // see notify

	mu     sync.Mutex // guards what follows
	people map[match.Key]*person
	left   departures
	boards boards
}

// NewRegistry returns a registry without users. now returns the time of events.
func NewRegistry(now func() time.Time) *Registry {
	return &Registry{
		now: now, changed: func(match.Key, []storage.MatchID) {}, here: func(match.Key) {}, renamed: func(match.Key) {}, people: make(map[match.Key]*person),
		left: departures{opened: now(), all: make(map[match.Key]departure)}, boards: newBoards(),
	}
}

// notify sets what is called after changes, before the first user comes. changed is called after a user has come, gone, gone idle, or changed
// the board, with the boards that they left and came to, or has another name, with the boards at which they are. here is called before it, if
// that changed what Here returns, and renamed after it, after Rename. Any goroutine calls them, and they must not wait.
func (r *Registry) notify(changed func(who match.Key, boards []storage.MatchID), here, renamed func(who match.Key)) {
	r.changed, r.here, r.renamed = changed, here, renamed
}

// Enter begins a session of a user in the lobby. keys is whether the session has a keyboard: without one it is never idle. first reports whether
// it is the only session of the user.
func (r *Registry) Enter(u match.User, keys bool) (v *Visit, first bool) {
	now := r.now()
	v = &Visit{registry: r, user: u.Key(), keys: keys, since: now}
	v.pressed.Store(time.Now().UnixMilli())
	r.mu.Lock()
	first = r.enter(v, u, now)
	r.mu.Unlock()
	r.here(v.user)
	r.changed(v.user, nil)
	return v, first
}

// enter adds a session of a person who came at a time. The caller holds mu.
func (r *Registry) enter(v *Visit, u match.User, came time.Time) (first bool) {
	p := r.people[v.user]
	if first = p == nil; first {
		p = &person{user: u, came: came}
		r.people[v.user] = p
	}
	v.person = p
	p.visits = append(p.visits, v)
	r.left.forget(v.user)
	return first
}

// Name returns the name of a user who is here.
func (r *Registry) Name(k match.Key) (name string, here bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.people[k]
	if p == nil {
		return "", false
	}
	return p.user.Name, true
}

// Idle marks sessions without a key for IdleAfter as idle.
func (r *Registry) Idle() {
	type news struct {
		who   match.Key
		board storage.MatchID
	}
	var idle []news
	now, machine := r.now(), time.Now()
	r.mu.Lock()
	for _, p := range r.people {
		for _, v := range p.visits {
			quiet := machine.Sub(time.UnixMilli(v.pressed.Load()))
			if !v.keys || v.idle || quiet < IdleAfter {
				continue
			}
			v.idle, v.since = true, now.Add(-quiet)
			v.asleep.Store(true)
			if v.board != "" {
				p.wasHere(v.board, v.since)
			}
			idle = append(idle, news{v.user, v.board})
		}
	}
	r.mu.Unlock()
	for _, n := range idle {
		r.here(n.who)
		r.changed(n.who, boardsOf(n.board))
	}
}

// leave removes a session. If it was the person's last one, d becomes their departure. The caller holds mu.
func (r *Registry) leave(v *Visit, d departure) (last bool) {
	v.leaveBoard(d.event)
	v.over = true
	p := v.person
	p.visits = slices.DeleteFunc(p.visits, func(other *Visit) bool { return other == v })
	if last = len(p.visits) == 0; last {
		delete(r.people, v.user)
		r.left.all[v.user] = d
	}
	return last
}

// Seen records a command of a user who isn't connected. since is when the command began, by the machine's clock. If the last session of the user
// ended later, the command was part of it, and the departure stays as it is. noted reports whether anything has changed.
func (r *Registry) Seen(who match.Key, since time.Time) (noted bool) {
	r.mu.Lock()
	noted = r.people[who] == nil && r.left.seen(who, since, r.now())
	r.mu.Unlock()
	if noted {
		r.here(who)
	}
	return noted
}

// Forget removes the departures of people whom no match concerns: in a match that begins later they count as gone since its beginning.
func (r *Registry) Forget(people ...match.Key) {
	for _, k := range people {
		r.mu.Lock()
		known := r.left.forget(k)
		r.mu.Unlock()
		if known {
			r.here(k)
		}
	}
}

// Rename gives a user who is here another name, and shows it to all, that of a guest at other nodes too. here reports whether the user is here.
func (r *Registry) Rename(k match.Key, name string) (here bool) {
	r.mu.Lock()
	p := r.people[k]
	isNew := p != nil && p.user.Name != name
	var at []storage.MatchID
	if isNew {
		at = r.rename(p, name)
	}
	r.mu.Unlock()
	if isNew {
		r.here(k)
		r.changed(k, at)
		r.renamed(k)
	}
	return p != nil
}

// rename gives a person another name, and returns the boards of their sessions. The caller holds mu.
func (r *Registry) rename(p *person, name string) (at []storage.MatchID) {
	renamed := p.user
	renamed.Name = name
	for _, v := range p.visits {
		if v.board != "" {
			r.boards.rename(v.board, p.user, renamed)
			at = append(at, v.board)
		}
	}
	p.user = renamed
	return at
}

// Guests returns the guests who are here, in no order.
func (r *Registry) Guests() (all []match.User) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, p := range r.people {
		if k.Kind == storage.Guest {
			all = append(all, p.user)
		}
	}
	return all
}

// Guest returns the guest who is here under a name, in any letter case. If guests share the name, it always returns the same one of them.
func (r *Registry) Guest(name string) (g match.User, here bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, p := range r.people {
		if k.Kind == storage.Guest && strings.EqualFold(p.user.Name, name) && (!here || k.ID < g.ID) {
			g, here = p.user, true
		}
	}
	return g, here
}

// Away reports whether a user is gone, and since when by the machine's clock. since is zero if no match concerned the user when they left, or if
// they have not been here since the club opened.
func (r *Registry) Away(k match.Key) (since time.Time, gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left.all[k].at, r.people[k] == nil
}

// Online reports whether a player is here.
func (r *Registry) Online(id storage.PlayerID) bool {
	_, gone := r.Away(match.Key{Kind: storage.Person, ID: string(id)})
	return !gone
}

// Count returns how many people are here.
func (r *Registry) Count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.people)
}

// Presence returns how near the occupants of the seats are to the board of a match, and who else looks at it.
func (r *Registry) Presence(id storage.MatchID, seats [2]storage.Occupant) (near [2]atboard.Presence, others atboard.Spectators) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for side, o := range seats {
		near[side] = r.presence(id, o)
	}
	there := 0
	for side, o := range seats {
		if p := r.people[match.KeyOf(o)]; p != nil && p.looksAt(id) && (side == 0 || match.KeyOf(o) != match.KeyOf(seats[0])) {
			there++
		}
	}
	return near, r.boards.spectators(id, seats, there)
}

// Audience returns the users who look at the board of a match, including its players.
func (r *Registry) Audience(id storage.MatchID) []match.Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.boards.keys(id)
}

// LookedAt reports whether a session on another node is at a board.
func (r *Registry) LookedAt(board storage.MatchID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.boards.elsewhere[board] > 0
}

// presence returns how near an occupant of a seat is to the board of a match. The caller holds mu.
func (r *Registry) presence(id storage.MatchID, o storage.Occupant) atboard.Presence {
	switch o.Kind {
	case storage.Free:
		return atboard.Presence{}
	case storage.Bot:
		return atboard.Presence{Near: atboard.Here}
	}
	if p := r.people[match.KeyOf(o)]; p != nil {
		return p.presence(id)
	}
	return r.left.presence(match.KeyOf(o))
}

// Here returns this node's row of a person: their sessions here, or their departure if the registry has it.
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
	} else if d, known := r.left.all[k]; known {
		row.Left = cluster.Departure{At: d.event, Dropped: d.dropped, Command: d.command}
	}
	return row
}

// Users returns the keys of all users with a session on this node.
func (r *Registry) Users() (all []match.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, p := range r.people {
		if slices.ContainsFunc(p.visits, func(v *Visit) bool { return !v.other }) {
			all = append(all, k)
		}
	}
	return all
}

// A Doing is where a session is.
type Doing struct {
	Board storage.MatchID // at which it looks; "": in the lobby
	Idle  bool
	Since time.Time // by the clock of events
}

// A Person is a user who is here.
type Person struct {
	User  match.User
	Doing []Doing // of each session, at least one
}

// People returns the users here for whom want returns true, in no order.
func (r *Registry) People(want func(match.Key) bool) []Person {
	r.mu.Lock()
	defer r.mu.Unlock()
	people := make([]Person, 0, len(r.people))
	for k, p := range r.people {
		if !want(k) {
			continue
		}
		one := Person{User: p.user}
		for _, v := range p.visits {
			one.Doing = append(one.Doing, Doing{v.board, v.idle, v.since})
		}
		people = append(people, one)
	}
	return people
}
