// Package registry knows every unfinished match of a club by its summary: where it is found, whether it is in memory, when it has something
// to do, and which match ends when the club is full. Lists, limits and lookups all read it.
//
//	directory.go      who and what is found where: matches by id and by person, offers, running matches
//	blocks.go         from which blocks of addresses people come, and how many matches each block has
//	reservations.go   what people are about to begin, and what they may
//	memory.go         which matches are in memory, and what they cost
//	loading.go        a match that is being loaded, for all who wait for it
//	deadlines.go      when matches that are not in memory have something to do
//	eviction.go       which match ends to make room in a full club
//	other_nodes.go    what is to be ignored of what arrives from the store, and how many matches this node owns
//
// These types have no lock: Registry owns them, with one mutex over all. The registry reads no store and starts no goroutine. What its caller
// has to pass on is returned, as a Change. Deadlines follow the machine's clock, and what events say the clock of the caller.
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

// The errors of Reserve and of Loading.Admit.
var ()

// A Match is a match in memory; *live.Match is one. No method blocks.
type Match interface {
	ID() storage.MatchID
	Views() *feed.Feed[*match.View]
	Watched() bool     // somebody looks at it, or has lately
	Unwatched() bool   // a computer player sits in it, and nobody has looked lately
	Wake()             // look again at what it waits for
	TryAgain()         // try at once what has failed
	Follow(seq uint64) // the log has an event with this number
	Evict()            // end soon
	Keep()             // go on after Evict
}

// A Node says what this node has to do for a match; *live.Schedule does.
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

// A Change says what a match has changed in the lists.
type Change struct {
	Public bool        // the offers, or which matches run
	Plies  bool        // the number of moves of a running match
	People []match.Key // whose matches are others now
	Free   []match.Key // people among them whom no match concerns any more
}

// A Registry knows every unfinished match. Any goroutine may use it.
type Registry struct {
	// Due holds one when Over or TakeDue may return something new.
	Due <-chan struct{}

	// Ticks holds one when there is a match whose clock counts seconds and there was none before.
	Ticks <-chan struct{}

	limits *limits.InForce
	node   Node

	mu        sync.Mutex // guards what follows
	directory directory
	memory    memory
	deadlines deadlines
	eviction  eviction
	others    otherNodes
}

// New returns the registry of a club that has no matches yet. severalNodes says whether other nodes serve the club too, so that the end of each match
// arrives from the store (FollowEnd).
func New(l *limits.InForce, n Node, severalNodes bool) *Registry {
	r := &Registry{limits: l, node: n, directory: newDirectory(n.LookedAt), deadlines: newDeadlines(n), others: newOtherNodes(n, severalNodes)}
	r.memory = newMemory(l, r.deadlines.notify)
	r.eviction = eviction{limits: l, directory: &r.directory}
	r.Due, r.Ticks = r.deadlines.changed, r.deadlines.ticks
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
	s := v.Summary // not the view, which is not to stay in memory for it
	return r.replace(e, &s)
}

// Quarantine removes a match that can't go on.
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

// replace replaces the summary of a match wherever it is kept. A match without one is removed. The caller holds mu.
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

// Found is what the registry knows of a match.
type Found struct {
	Summary     *match.Summary // the newest; nil: there is no unfinished match with this id, or it is quarantined
	Quarantined bool           // its log is damaged
	Running     bool           // it is one of Running
	Match       Match          // nil: it is not in memory
}

// Find returns what is known of a match.
func (r *Registry) Find(id storage.MatchID) Found {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.directory.byID[id]; e != nil {
		return Found{Summary: e.summary, Running: r.directory.running[id] != nil, Match: e.match}
	}
	return Found{Quarantined: r.memory.quarantined[id]}
}

// IsPrivate reports whether a match goes on that isn't public.
func (r *Registry) IsPrivate(id storage.MatchID) bool {
	s := r.Find(id).Summary
	return s != nil && !s.Public
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

// Running returns the newest summaries of all public matches that are being played, in no order. A match with a computer player is among them
// while somebody looks at it.
func (r *Registry) Running() []*match.Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return summaries(r.directory.running)
}

// Counts says how much a registry holds.
type Counts struct {
	Matches int
	Offers  int // public ones
	Kinds   Kinds
	Owned   int // matches that this node owns

	Ticking     int // matches played with a clock that counts seconds
	Interrupted int // matches whose clocks are yet to be resumed since the program started

	InMemory  int // matches
	Plies     int // what the matches in memory cost, in moves
	Opening   int // matches about to be opened
	Beginning int // people who are about to begin something
	Evicting  int // matches about to end to make room

	Unopened int // matches that are being opened here and whose first change this node has yet to see
	Ended    int // matches that have ended here and whose end has yet to arrive from the store
}

// Counts returns how much there is of everything.
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

// Wake has all matches of a person look again at what they wait for.
func (r *Registry) Wake(k match.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.directory.byPerson[k] {
		r.deadlines.reconsider(e)
	}
}

// Reserve keeps room for what a user is about to begin who comes from an address, until release is called. most is how many matches the user may
// have. In a full club a match is evicted, if one may go. The errors are those of this package.
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

// SetBlocks notes where a person comes from who has matches. No blocks change nothing.
func (r *Registry) SetBlocks(k match.Key, from Blocks) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.directory.setBlocks(k, from)
	r.directory.forgetBlocks(k)
}

// Blocks returns where each of some people came from last; nil if it isn't known, or no match concerns the person.
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
// Every change that a node makes, this one included, arrives from the store in the order in which the changes were made. The registry ignores
// changes that it knows already because this node made them.

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

// FollowEnd applies the end of a match that has arrived from the store. It returns the last summary of a match that it removes. s is nil if
// the end was known already, or if the match is in memory and reads its end by itself.
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

// OwnersChanged has all matches look again at what they wait for: other nodes own some of them, clocks have to be resumed, or the store answers
// again. It returns how many matches this node has taken over.
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

// WatchedElsewhere applies that a person on another node has come to the board of a match, or left it.
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
// A match is loaded when somebody asks for it or it has something to do. It leaves memory by itself when nobody has looked at it for a while, and
// sooner when too much is in memory.

// Use returns a match that is in memory, or what it is being loaded with; first reports whether the caller is to load it. Both are nil
// if there is no such match.
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

// Unload removes a match from memory, unless somebody looks at it, and reports whether it did.
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

// Over returns matches that are to leave memory because more is in memory than should be: matches grow, and new ones are opened.
func (r *Registry) Over() []Match {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.memory.over()
}

// TakeDue returns a match that has something to do now, or when to ask again: zero if nothing is due yet. Matches in which computer players have to
// move since the program started come a few at a time.
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
