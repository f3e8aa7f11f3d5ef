// Package registry is the index of the unfinished matches of a club by their summaries: it finds matches, loads them into memory when they have
// something to do, and selects the match that ends when the club is full. Lists, limits and lookups all read it.
//
//	directory.go      matches by id and by person, offers, running matches
//	blocks.go         the blocks of addresses that people come from, and the number of matches of each block
//	reservations.go   room for matches that users are about to begin, and limits of users
//	memory.go         matches in memory, and their costs
//	loading.go        a match that is being loaded, and its waiting callers
//	deadlines.go      when matches that are not in memory have something to do
//	eviction.go       the match that ends to make room in a full club
//	other_nodes.go    changes from the store that are ignored, and the number of matches that this node owns
//
// These types have no lock: Registry owns them, with one mutex over all. The registry reads no store and starts no goroutine. Its methods return
// what has changed in the lists as a Change, which callers pass on. Deadlines follow the machine's clock, and times of events the caller's.
package registry

import (
	"net/netip"
	"sync"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// A Match is a match in memory; *live.Match is one. No method blocks.
type Match interface {
	ID() storage.MatchID
	Views() *feed.Feed[*match.View]
	Watched() bool     // reports whether it has a reader, or had one lately
	Unwatched() bool   // reports whether it has a computer player, and has had no reader lately
	Wake()             // makes it check its timers again
	TryAgain()         // makes it retry at once what has failed
	Follow(seq uint64) // says that the log has an event with this number
	Evict()            // makes it end soon
	Keep()             // cancels Evict
}

// A Node knows what this node has to do for a match; *live.Schedule is one.
type Node interface {
	// Owned reports whether this node owns a match.
	Owned(id storage.MatchID) bool

	// LookedAt reports whether a person on another node looks at the board of a match.
	LookedAt(id storage.MatchID) bool

	// MustResume reports whether the clock of a match has to be resumed before anything else happens.
	MustResume(s *match.Summary) bool

	// Due returns when a match that is not in memory has something to do; zero for never.
	Due(w *live.Waiting, s *match.Summary) time.Time
}

// A Change says what a change of a match has changed in the lists.
type Change struct {
	Public bool        // offers, or the set of running matches
	Plies  bool        // the number of moves of a running match
	People []match.Key // people whose matches have changed
	Free   []match.Key // people among them who have no match any more
}

// A Registry is the index of all unfinished matches. Any goroutine may use it.
type Registry struct {
	// Due holds one when Over or TakeDue may return something new.
	Due <-chan struct{}

	// Ticks holds one when there is a match whose clock counts seconds and there was none before.
	Ticks <-chan struct{}

	// Arrivals has the newest match that another node has opened.
	Arrivals *feed.Feed[storage.MatchID]

	limits *limits.InForce
	node   Node

	mu        sync.Mutex // guards what follows
	directory directory
	memory    memory
	deadlines deadlines
	eviction  eviction
	others    otherNodes
}

// New returns a registry without matches. severalNodes is true if other nodes serve the club too, so that the end of each match arrives from the
// store (FollowEnd).
func New(l *limits.InForce, n Node, severalNodes bool) *Registry {
	r := &Registry{limits: l, node: n, directory: newDirectory(n.LookedAt), deadlines: newDeadlines(n), others: newOtherNodes(n, severalNodes)}
	r.memory = newMemory(l, r.deadlines.notify)
	r.eviction = eviction{limits: l, directory: &r.directory}
	r.Due, r.Ticks = r.deadlines.changed, r.deadlines.ticks
	r.Arrivals = feed.New[storage.MatchID](feed.NewGroup())
	return r
}

// Add adds a match that the program finds when it starts.
func (r *Registry) Add(s *match.Summary) Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := &entry{id: s.ID, waiting: live.Restarted(s)}
	c := r.replace(e, s)
	r.deadlines.add(e)
	return c
}

// Put adds a match in memory or updates it from its newest view, and removes a match that is over.
func (r *Registry) Put(m Match, v *match.View) Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.directory.byID[m.ID()]
	if e == nil {
		e = &entry{id: m.ID()}
		r.memory.put(e, m)
		m.Follow(r.others.opened(m.ID()))
	}
	switch {
	case v.Over:
		r.others.endedHere(e)
		return r.replace(e, nil)
	case e.summary != nil && v.Events < e.summary.Events:
		return Change{} // another node has written events that the match has yet to read
	}
	s := v.Summary // a copy, so that the view doesn't stay in memory
	return r.replace(e, &s)
}

// Quarantine removes a match that can't go on because its log is damaged.
func (r *Registry) Quarantine(id storage.MatchID) Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memory.quarantined[id] = true
	e := r.directory.byID[id]
	if e == nil {
		return Change{}
	}
	return r.replace(e, nil)
}

// replace replaces the summary of a match in all parts of the registry; nil removes the match. The caller holds mu.
func (r *Registry) replace(e *entry, s *match.Summary) Change {
	if old := e.summary; old == nil || s == nil || s.Events != old.Events {
		r.eviction.keep(e)
	}
	c := r.directory.replace(e, s)
	r.others.updateCount(e)
	r.deadlines.updateCounts(e)
	if s == nil {
		r.deadlines.unschedule(e)
	}
	r.memory.update(e)
	return c
}

// Found is what the registry knows about a match.
type Found struct {
	Summary     *match.Summary // the newest; nil: there is no unfinished match with this id, or it is quarantined
	Quarantined bool           // its log is damaged
	Running     bool           // it is one of Running
	Match       Match          // nil: it is not in memory
}

// Find returns what the registry knows about a match.
func (r *Registry) Find(id storage.MatchID) Found {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.directory.byID[id]; e != nil {
		return Found{Summary: e.summary, Running: r.directory.running[id] != nil, Match: e.match}
	}
	return Found{Quarantined: r.memory.quarantined[id]}
}

// Of returns the newest summaries of the matches that concern a person, in no order.
func (r *Registry) Of(k match.Key) []*match.Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return summaries(r.directory.byPerson[k])
}

// Concerns reports whether any match concerns a person.
func (r *Registry) Concerns(k match.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.directory.byPerson[k] != nil
}

// Offers returns the newest summaries of all public offers, in no order.
func (r *Registry) Offers() []*match.Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return summaries(r.directory.offers)
}

// Running returns the newest summaries of all public matches that are being played, in no order. It includes a match with a computer player only
// while that is watched.
func (r *Registry) Running() []*match.Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return summaries(r.directory.running)
}

// Counts are the sizes of the parts of a registry.
type Counts struct {
	Matches int
	Offers  int // public ones
	Kinds   Kinds
	Owned   int // matches that this node owns

	Ticking     int // matches played with a clock that counts seconds
	Interrupted int // matches whose clocks have yet to be resumed since the program started

	InMemory  int // matches
	Plies     int // cost of the matches in memory, in moves
	Opening   int // matches about to be opened
	Beginning int // people with reservations
	Evicting  int // matches about to end to make room

	Unopened int // matches that are being opened here and whose first change this node has yet to see
	Ended    int // matches that have ended here and whose end has yet to arrive from the store
}

// Counts returns the sizes of the parts of the registry.
func (r *Registry) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := &r.directory
	return Counts{
		Matches: len(d.byID), Offers: len(d.offers), Kinds: d.kinds, Owned: r.others.owned,
		Ticking: r.deadlines.ticking, Interrupted: r.deadlines.interrupted,
		InMemory: r.memory.recent.Len(), Plies: r.memory.cost, Opening: d.reserved.opening, Beginning: len(d.reserved.byPerson), Evicting: r.eviction.evicting,
		Unopened: len(r.others.unopened), Ended: len(r.others.ended),
	}
}

// Wake makes all matches of a person check their timers again.
func (r *Registry) Wake(k match.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.directory.byPerson[k] {
		r.deadlines.reconsider(e)
	}
}

// Reserve reserves room for matches that a user is about to begin, until release is called. from is the user's address, and most the most matches
// that the user may have. In a full club Reserve evicts a match, if one may go. The errors are refusal.ErrTooMany, refusal.ErrFull,
// refusal.ErrChallenged and refusal.ErrUnavailable.
func (r *Registry) Reserve(u match.User, from netip.Addr, want Reservation, most int, now time.Time) (release func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := u.Key()
	r.directory.setBlocks(k, BlocksOf(from))
	defer r.directory.forgetBlocks(k) // if it is refused
	l := r.limits.Now()
	have := r.directory.has(u)
	if err := r.directory.mayBegin(u, have, want, most, l); err != nil {
		return nil, err
	}
	if want.Opened > 0 && len(r.directory.byID)-r.eviction.evicting+r.directory.reserved.opening+want.Opened > l.Matches {
		evicted := r.eviction.evict(now, r.directory.shareOf(k, have.Matches))
		if evicted == nil {
			return nil, refusal.ErrFull
		}
		if evicted.match != nil {
			evicted.match.Evict()
		} else {
			r.deadlines.schedule(evicted)
		}
	}
	r.directory.reserve(k, want, 1)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.directory.reserve(k, want, -1)
	}, nil
}

// SetBlocks sets the blocks of addresses that a person comes from. It ignores people without matches. Empty blocks change nothing.
func (r *Registry) SetBlocks(k match.Key, from Blocks) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.directory.setBlocks(k, from)
	r.directory.forgetBlocks(k)
}

// Blocks returns the last known blocks of each of some people. They are nil if they are not known, and for a person without matches.
func (r *Registry) Blocks(people ...match.Key) []Blocks {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := make([]Blocks, len(people))
	for i, k := range people {
		from[i] = r.directory.blocks.ofPerson[k]
	}
	return from
}

// # Several nodes
//
// The changes of all nodes, including this one, arrive from the store in the order in which they were made. The registry ignores changes that it
// knows already because this node made them.

// Expect marks a match as being opened here until forget is called, because it may arrive from the store before Put is called.
func (r *Registry) Expect(id storage.MatchID) (forget func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.others.unopened[id] = 0
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.others.unopened, id)
	}
}

// Follow applies a summary that has arrived from the store.
func (r *Registry) Follow(s *match.Summary) Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.directory.byID[s.ID]
	switch {
	case r.others.ignores(s), r.memory.quarantined[s.ID]:
		return Change{}
	case e == nil:
		e = &entry{id: s.ID, waiting: live.Restarted(s)}
		defer r.Arrivals.Publish(s.ID)
	case s.Events <= e.summary.Events:
		return Change{}
	case e.match != nil:
		e.match.Follow(s.Events)
		return Change{}
	default:
		e.waiting.Changed(s)
	}
	c := r.replace(e, s)
	r.deadlines.schedule(e)
	return c
}

// FollowEnd applies the end of a match that has arrived from the store. If it removes the match, it returns its last summary. s is nil if the end was
// known already, or if the match is in memory and reads its end itself.
func (r *Registry) FollowEnd(id storage.MatchID) (s *match.Summary, c Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.followEnd(id)
}

// followEnd is FollowEnd for callers that hold mu.
func (r *Registry) followEnd(id storage.MatchID) (s *match.Summary, c Change) {
	e := r.directory.byID[id]
	if !r.others.endArrived(id, e) {
		return nil, Change{}
	}
	s = e.summary
	return s, r.replace(e, nil)
}

// Reconcile returns the matches of the registry that are not in all, the ids of all unfinished matches.
func (r *Registry) Reconcile(all map[storage.MatchID]bool) (over []storage.MatchID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.others.reconcile(all)
	for id := range r.directory.byID {
		if !all[id] {
			over = append(over, id)
		}
	}
	return over
}

// OwnersChanged makes all matches check their timers again, because their owners have changed, clocks have to be resumed, or the store works again.
// It returns the number of matches that this node has taken over.
func (r *Registry) OwnersChanged() (taken int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.directory.byID {
		if r.others.updateCount(e) {
			taken++
		}
		r.deadlines.updateCounts(e)
		if e.match != nil {
			e.match.TryAgain()
		} else {
			r.deadlines.schedule(e)
		}
	}
	return taken
}

// WatchedElsewhere is called when a person on another node has come to the board of a match or left it.
func (r *Registry) WatchedElsewhere(id storage.MatchID) Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.directory.byID[id]
	if e == nil || !e.summary.HasBot() {
		return Change{}
	}
	r.deadlines.reconsider(e)
	if (r.directory.running[id] != nil) == r.node.LookedAt(id) {
		return Change{}
	}
	return r.replace(e, e.summary)
}

// # Memory
//
// A match is loaded when it is used or has something to do. It leaves memory by itself when it has had no reader for a while, and sooner when the
// matches in memory cost too much.

// Use returns a match that is in memory, or its Loading; first reports whether the caller has to load it. Both are nil if there is no such match.
func (r *Registry) Use(id storage.MatchID) (m Match, load *Loading, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.directory.byID[id]
	switch {
	case e == nil:
		return nil, nil, false
	case e.match != nil:
		r.memory.use(e)
		return e.match, nil, false
	case e.loading == nil:
		e.loading, first = newLoading(r, id), true
		r.deadlines.unschedule(e)
	}
	return nil, e.loading, first
}

// Unload removes a match from memory, unless it has a reader or is about to be evicted, and reports whether it did.
func (r *Registry) Unload(m Match, w live.Waiting) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.directory.byID[m.ID()]
	if e == nil || e.match != m || e.evicting || !m.Views().Retire() {
		return false
	}
	r.memory.remove(e)
	e.waiting = w
	r.deadlines.schedule(e)
	return true
}

// Over returns matches that have to leave memory because the cost is above Limits.LivePlies: matches grow, and new ones are opened.
func (r *Registry) Over() []Match {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.memory.over()
}

// TakeDue returns a match that is due now, or else the next deadline: zero if there is none. Matches in which computer players have to move since the
// program started are returned a few at a time.
func (r *Registry) TakeDue(now time.Time) (id storage.MatchID, next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, next := r.deadlines.take(now, r.memory.roomForBots())
	if e == nil {
		return "", next
	}
	e.loadedForDue = true
	return e.id, time.Time{}
}
