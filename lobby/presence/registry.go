// Package presence knows who is connected, at which boards they look, and since when others are gone.
package presence

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// IdleAfter is how long after the last key somebody counts as away.
const IdleAfter = 5 * time.Minute

// maxLastHere is of how many boards it is remembered when somebody was there last.
const maxLastHere = 100

// A Registry knows everybody who is connected. Each session is a Visit, which says where it is. Any goroutine may use a Registry.
//
// No session has a timer: Service asks Idle now and then who has pressed no key for long.
type Registry struct {
	now     func() time.Time                              // the time of events
	changed func(who match.Key, boards []storage.MatchID) // see notify
	here    func(who match.Key)                           // see notify
	up      time.Time                                     // by now

	mu     sync.Mutex // guards what follows
	people map[match.Key]*person
	left   map[match.Key]departure // of those who have gone and whom a match concerns
	boards map[storage.MatchID]*audience

	elsewhere map[cluster.NodeID]map[match.Key][]*Visit // sessions on other nodes
	looked    map[storage.MatchID]int                   // how many of these are at each board
}

// A person is somebody who is connected.
type person struct {
	user     match.User
	came     time.Time
	visits   []*Visit
	lastHere map[storage.MatchID]time.Time // when they were at a board last at which they aren't now
}

// A departure is the end of somebody's last session.
type departure struct {
	at      time.Time // by the machine's clock; zero: they have only given commands
	event   time.Time // by the clock of events
	dropped bool
	command bool // event is a command, later than the end of their last session
}

// A Visit is one session of somebody. Its methods may be called by any goroutine.
type Visit struct {
	registry *Registry
	user     match.Key
	other    bool         // it is on another node; Elsewhere updates it
	keys     bool         // it has a keyboard, and may be idle
	pressed  atomic.Int64 // when the last key came, in milliseconds since 1970 by the machine's clock
	asleep   atomic.Bool  // as idle

	// Guarded by registry.mu.
	board storage.MatchID // "": none
	since time.Time       // when it came there
	idle  bool
	over  bool
}

// NewRegistry returns a registry without anybody. now is the time of events.
func NewRegistry(now func() time.Time) *Registry {
	return &Registry{
		now: now, changed: func(match.Key, []storage.MatchID) {}, here: func(match.Key) {}, up: now(), people: make(map[match.Key]*person), left: make(map[match.Key]departure),
		boards: make(map[storage.MatchID]*audience), elsewhere: make(map[cluster.NodeID]map[match.Key][]*Visit), looked: make(map[storage.MatchID]int),
	}
}

// notify says whom the registry tells of changes, before anybody has come. changed is called after somebody has come, gone, gone idle, or changed
// the board, with the boards that they left and came to. here is called before it, if that changed what Here returns. Any goroutine calls
// them, and they must not wait.
func (r *Registry) notify(changed func(who match.Key, boards []storage.MatchID), here func(who match.Key)) {
	r.changed, r.here = changed, here
}

// Enter begins a session of somebody, in the lobby. keys says whether it has a keyboard: without one it is never idle. first says whether
// they were not here before.
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
	p.visits = append(p.visits, v)
	delete(r.left, v.user)
	return first
}

// Name returns the name of somebody who is here.
func (r *Registry) Name(k match.Key) (name string, here bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.people[k]
	if p == nil {
		return "", false
	}
	return p.user.Name, true
}

// At says that the session looks at the board of a match now, "" for none.
func (v *Visit) At(board storage.MatchID) {
	r := v.registry
	r.mu.Lock()
	was := v.board
	if v.over || was == board {
		r.mu.Unlock()
		return
	}
	now := r.now()
	r.leaveBoard(v, now)
	r.comeToBoard(v, board, now)
	r.mu.Unlock()
	r.here(v.user)
	r.changed(v.user, boardsOf(was, board))
}

// comeToBoard takes a session that is at no board to one. The caller holds mu.
func (r *Registry) comeToBoard(v *Visit, board storage.MatchID, at time.Time) {
	v.board, v.since = board, at
	if board == "" {
		return
	}
	if r.boards[board] == nil {
		r.boards[board] = new(audience)
	}
	r.boards[board].add(r.people[v.user].user)
	if !v.idle {
		delete(r.people[v.user].lastHere, board)
	}
	if v.other {
		r.looked[board]++
	}
}

func boardsOf(ids ...storage.MatchID) []storage.MatchID {
	return slices.DeleteFunc(ids, func(id storage.MatchID) bool { return id == "" })
}

// leaveBoard takes a session from its board; the caller holds mu.
func (r *Registry) leaveBoard(v *Visit, at time.Time) {
	if v.board == "" {
		return
	}
	a := r.boards[v.board]
	if a.remove(r.people[v.user].user); len(*a) == 0 {
		delete(r.boards, v.board)
	}
	if !v.idle {
		r.people[v.user].wasHere(v.board, at)
	}
	if v.other {
		if r.looked[v.board]--; r.looked[v.board] == 0 {
			delete(r.looked, v.board)
		}
	}
	v.board = ""
}

// wasHere notes when somebody was at a board last.
func (p *person) wasHere(board storage.MatchID, at time.Time) {
	if len(p.lastHere) >= maxLastHere {
		clear(p.lastHere)
	}
	if p.lastHere == nil {
		p.lastHere = make(map[storage.MatchID]time.Time)
	}
	p.lastHere[board] = at
}

// Pressed says that a key has come.
func (v *Visit) Pressed() {
	v.pressed.Store(time.Now().UnixMilli())
	if !v.asleep.Load() {
		return
	}
	r := v.registry
	r.mu.Lock()
	wakes := v.idle && !v.over
	if wakes {
		v.idle, v.since = false, r.now()
		delete(r.people[v.user].lastHere, v.board)
	}
	v.asleep.Store(false)
	board := v.board
	r.mu.Unlock()
	if wakes {
		r.here(v.user)
		r.changed(v.user, boardsOf(board))
	}
}

// Idle takes those for away who have pressed no key for IdleAfter.
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

// Leave ends the session: dropped says that it wasn't ended properly, because its line died. last says whether it was the last session
// of somebody. Only the first call counts.
func (v *Visit) Leave(dropped bool) (last bool) {
	r := v.registry
	r.mu.Lock()
	if v.over {
		r.mu.Unlock()
		return false
	}
	board := v.board
	last = r.leave(v, departure{at: time.Now(), event: r.now(), dropped: dropped})
	r.mu.Unlock()
	r.here(v.user)
	r.changed(v.user, boardsOf(board))
	return last
}

// leave removes a session. If it was the person's last one, d is kept as their departure. The caller holds mu.
func (r *Registry) leave(v *Visit, d departure) (last bool) {
	r.leaveBoard(v, d.event)
	v.over = true
	p := r.people[v.user]
	p.visits = slices.DeleteFunc(p.visits, func(other *Visit) bool { return other == v })
	if last = len(p.visits) == 0; last {
		delete(r.people, v.user)
		r.left[v.user] = d
	}
	return last
}

// Seen notes a sign of life of somebody who isn't connected for longer: since then, by the machine's clock, they have given a command. If
// their last session ended later than that, the command was part of it, and its departure stays. noted says whether anything changed.
func (r *Registry) Seen(who match.Key, since time.Time) (noted bool) {
	r.mu.Lock()
	d := r.left[who]
	gone := r.people[who] == nil && d.at.Before(since)
	if gone {
		d.event, d.dropped, d.command = r.now(), true, true // nothing says that they have gone
		r.left[who] = d
	}
	r.mu.Unlock()
	if gone {
		r.here(who)
	}
	return gone
}

// Forget forgets since when people are gone whom no match concerns: a match that begins later counts from its beginning.
func (r *Registry) Forget(people ...match.Key) {
	for _, k := range people {
		r.mu.Lock()
		_, known := r.left[k]
		delete(r.left, k)
		r.mu.Unlock()
		if known {
			r.here(k)
		}
	}
}

// Rename gives somebody who is here another name.
func (r *Registry) Rename(k match.Key, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.people[k]
	if p == nil {
		return
	}
	renamed := p.user
	renamed.Name = name
	for _, v := range p.visits {
		if a := r.boards[v.board]; a != nil {
			a.remove(p.user)
			a.add(renamed)
		}
	}
	p.user = renamed
}

// Guest returns the guest who is here under a name, in any letter case. Guests may share one: then it is always the same of them.
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

// Away reports whether somebody is gone, and since when by the machine's clock: the zero time if no match concerned them when they left,
// or if they have not been here since the club opened.
func (r *Registry) Away(k match.Key) (since time.Time, gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left[k].at, r.people[k] == nil
}

// Count returns how many people are here.
func (r *Registry) Count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.people)
}

// Presence returns how near the occupants of the seats are to the board of a match, and who else looks at it.
func (r *Registry) Presence(id storage.MatchID, seats [2]storage.Occupant) (near [2]match.Presence, others match.Spectators) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for side, o := range seats {
		near[side] = r.presence(id, o)
	}
	if a := r.boards[id]; a != nil {
		there := 0
		for side, o := range seats {
			if r.looksAt(id, o) && (side == 0 || match.KeyOf(o) != match.KeyOf(seats[0])) {
				there++
			}
		}
		others = a.without(seats, there)
	}
	return near, others
}

// Audience returns who looks at the board of a match, those in its seats too.
func (r *Registry) Audience(id storage.MatchID) (there []match.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.boards[id]; a != nil {
		for _, o := range *a {
			there = append(there, o.user.Key())
		}
	}
	return there
}

// looksAt reports whether somebody is at a board, with or without a key of late; the caller holds mu.
func (r *Registry) looksAt(id storage.MatchID, o storage.Occupant) bool {
	p := r.people[match.KeyOf(o)]
	return p != nil && slices.ContainsFunc(p.visits, func(v *Visit) bool { return v.board == id })
}

// presence returns how near somebody is to the board of a match; the caller holds mu.
func (r *Registry) presence(id storage.MatchID, o storage.Occupant) match.Presence {
	switch o.Kind {
	case storage.Free:
		return match.Presence{}
	case storage.Bot:
		return match.Presence{Near: match.Here}
	}
	k := match.KeyOf(o)
	p := r.people[k]
	if p == nil {
		d, known := r.left[k]
		if !known {
			d = departure{event: r.up, dropped: true} // the program that ran before was stopped
		}
		return match.Presence{Near: match.Gone, Since: d.event, Dropped: d.dropped, Command: d.command}
	}
	for _, v := range p.visits {
		if v.board == id && !v.idle {
			return match.Presence{Near: match.Here}
		}
	}
	since, known := p.lastHere[id]
	if !known {
		since = p.came
	}
	return match.Presence{Near: match.Away, Since: since}
}

// A Doing is what a session is about.
type Doing struct {
	Board storage.MatchID // at which it looks; "": in the lobby
	Idle  bool
	Since time.Time // by the clock of events
}

// A Person is somebody who is here.
type Person struct {
	User  match.User
	Doing []Doing // of each session, at least one
}

// People returns those of everybody who is here whom a caller wants, in no order.
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
