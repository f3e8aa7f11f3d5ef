package lobby

import (
	"container/heap"
	"container/list"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// An index knows every unfinished match by its summary: by id, by the people whom it concerns, as an offer or a running match,
// and by the moment when it has something to do. Lists, limits and lookups all read it. It says which matches are in memory, and
// which go out of it when too much is.
type index struct {
	limits *limits.InForce
	config *live.Config

	mu          sync.Mutex // guards what follows
	matches     map[storage.MatchID]*entry
	people      map[match.Key]map[storage.MatchID]*entry
	offers      map[storage.MatchID]*entry // public and untaken
	running     map[storage.MatchID]*entry // public and taken; with a computer player, only while somebody looks
	exhibitions map[match.Key]int          // how many are open, by who opened them
	kinds       Kinds                      // of all matches
	pending     map[match.Key]pending      // what people are about to begin
	challenging map[match.Key]int          // how many are about to challenge somebody
	homes       map[match.Key][]home       // where people last came from, who have matches or are about to begin some
	behind      map[home]int               // how many matches concern the people who come from a block, one between two of them twice
	opening     int                        // matches about to be opened
	evicting    int                        // matches about to end to make room
	candidates  []candidate                // to be evicted next, when the club is full
	searched    time.Time                  // when they were found
	vain        vain                       // the last time that there were none
	quarantined map[storage.MatchID]bool   // their logs are damaged
	ticking     int                        // matches played with a clock that counts seconds
	interrupted int                        // matches whose clocks are yet to be resumed since the program started
	owned       int                        // matches that this node owns
	tick        chan struct{}              // holds one: there is such a match, and was none

	// Of a club with several nodes.
	unopened map[storage.MatchID]uint64 // matches that are being opened here, with the newest event of each that has arrived from the store
	ended    map[storage.MatchID]bool   // matches that have ended here, until that arrives from the store; nil in a club with one node

	recent    *list.List    // of *entry: those in memory, last used first
	live      int           // what they cost, in moves
	thinking  int           // how many of them wait for a computer player
	deadlines deadlines     // of the others
	owed      []*entry      // those of the others that wait for a computer player, since the program started
	changed   chan struct{} // holds one: deadlines, owed or thinking have changed, or too much is in memory
}

// An entry is a match in the index.
type entry struct {
	id       storage.MatchID
	summary  *match.Summary // the newest; immutable
	evicting bool

	ticks       bool // it is counted in index.ticking
	interrupted bool // it is counted in index.interrupted
	owned       bool // it is counted in index.owned
	gone        bool // its end has arrived from the store

	match    *live.Match   // nil: it is not in memory
	recent   *list.Element // of a match in memory
	cost     int           // of a match in memory, or about to be
	thinking bool          // it is in memory and waits for a computer player

	waiting live.Waiting // of a match that is not in memory
	loading *loading     // nil if it is not about to be in memory
	due     time.Time    // when it has something to do; zero for never
	taken   bool         // it is to be loaded for that
	place   int          // in deadlines, from 1; 0 if it is not there
}

// matchCost is what a match without moves costs in memory, in moves: some 10 KB.
const matchCost = 500

// A pending says what one person is about to begin: its room is reserved.
type pending struct {
	matches     int // they sit in
	offers      int
	exhibitions int
	opened      int // matches that the club has more of then
	challenges  int // offers to one person

	to          match.Key // whom a challenge is for
	unavailable bool      // the challenge or rematch is refused: a block is between the two
}

// A change says what a match has changed in the lists.
type change struct {
	public bool        // the offers, or which matches run
	plies  bool        // the number of moves of a running match
	people []match.Key // whose matches are others now
	free   []match.Key // those of people whom no match concerns any more
}

func newIndex(l *limits.InForce, c *live.Config) *index {
	return &index{
		limits:      l,
		config:      c,
		matches:     make(map[storage.MatchID]*entry),
		people:      make(map[match.Key]map[storage.MatchID]*entry),
		offers:      make(map[storage.MatchID]*entry),
		running:     make(map[storage.MatchID]*entry),
		exhibitions: make(map[match.Key]int),
		pending:     make(map[match.Key]pending),
		challenging: make(map[match.Key]int),
		homes:       make(map[match.Key][]home),
		behind:      make(map[home]int),
		quarantined: make(map[storage.MatchID]bool),
		unopened:    make(map[storage.MatchID]uint64),
		tick:        make(chan struct{}, 1),
		recent:      list.New(),
		changed:     make(chan struct{}, 1),
	}
}

// add takes in a match that the program finds when it starts.
func (x *index) add(s *match.Summary) change {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := &entry{id: s.ID, waiting: live.Restarted(s)}
	c := x.replace(e, s)
	if s.BotToAct() && !s.Exhibition() && !x.config.MustResume(s) {
		x.owed = append(x.owed, e)
	} else {
		x.schedule(e)
	}
	return c
}

// put takes in the newest view of a match in memory, and takes a match that is over out.
func (x *index) put(m *live.Match, v *match.View) change {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.matches[m.ID()]
	if e == nil {
		e = &entry{id: m.ID(), match: m}
		e.recent = x.recent.PushFront(e)
		m.Follow(x.unopened[m.ID()])
		delete(x.unopened, m.ID())
	}
	switch {
	case v.Over:
		if x.ended != nil && !e.gone {
			x.ended[m.ID()] = true
		}
		return x.replace(e, nil)
	case e.summary != nil && v.Events < e.summary.Events:
		return change{} // another node has written events that the match has yet to read
	}
	s := v.Summary // not the view, which is not to stay in memory for it
	return x.replace(e, &s)
}

// quarantine takes out a match that can't go on.
func (x *index) quarantine(id storage.MatchID) change {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.quarantined[id] = true
	e := x.matches[id]
	if e == nil {
		return change{}
	}
	return x.replace(e, nil)
}

// replace replaces the summary of a match wherever it is kept. A match without one is taken out.
func (x *index) replace(e *entry, s *match.Summary) (c change) {
	old := e.summary
	if old == nil || s == nil || s.Events != old.Events {
		x.keep(e)
	}
	id := e.id
	if old != nil {
		c.people = old.People()
		for _, k := range c.people {
			delete(x.people[k], id)
			if len(x.people[k]) == 0 {
				delete(x.people, k)
			}
			x.countBehind(k, -1)
		}
		x.countExhibition(old, -1)
		*x.kinds.of(old)--
	}
	wasOffer, wasRunning := x.offers[id] != nil, x.running[id] != nil
	delete(x.matches, id)
	delete(x.offers, id)
	delete(x.running, id)
	e.summary = s
	x.recount(e)
	if s != nil {
		x.matches[id] = e
		for _, k := range s.People() {
			if x.people[k] == nil {
				x.people[k] = make(map[storage.MatchID]*entry)
			}
			x.people[k][id] = e
			x.countBehind(k, 1)
			if !slices.Contains(c.people, k) {
				c.people = append(c.people, k)
			}
		}
		switch {
		case s.Public && s.Started.IsZero():
			x.offers[id] = e
		case s.Public && (!s.HasBot() || e.match != nil && !e.match.Unwatched() || x.config.LookedAt(id)):
			x.running[id] = e
		}
		x.countExhibition(s, 1)
		*x.kinds.of(s)++
	}
	x.weigh(e)
	c.public = wasOffer != (x.offers[id] != nil) || wasRunning != (x.running[id] != nil)
	c.plies = wasRunning && x.running[id] != nil
	for _, k := range c.people {
		if x.people[k] == nil {
			c.free = append(c.free, k)
			x.forgetHome(k)
		}
	}
	return c
}

// recount updates the counts of the index from a match's newest summary, and reports whether this node has just become its owner.
func (x *index) recount(e *entry) (taken bool) {
	owned := e.summary != nil && x.config.Owned(e.id)
	taken = owned && !e.owned
	if owned != e.owned {
		e.owned = owned
		x.owned += count(owned)
	}
	interrupted := e.summary != nil && x.config.MustResume(e.summary)
	if interrupted != e.interrupted {
		e.interrupted = interrupted
		x.interrupted += count(interrupted)
	}
	ticks := e.summary != nil && e.summary.Ticks()
	if ticks == e.ticks {
		return taken
	}
	e.ticks = ticks
	if x.ticking += count(ticks); ticks && x.ticking == 1 {
		select {
		case x.tick <- struct{}{}:
		default:
		}
	}
	return taken
}

// count returns the change of a count when something begins to be counted (+1), or ceases to be (-1).
func count(counted bool) int {
	if counted {
		return 1
	}
	return -1
}

// clocks says whether any match is played with a clock that counts seconds, and whether any clock is yet to be resumed.
func (x *index) clocks() (ticking, interrupted bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ticking > 0, x.interrupted > 0
}

func (x *index) countExhibition(s *match.Summary, n int) {
	if s.By.Kind == storage.Free {
		return
	}
	k := match.KeyOf(s.By)
	if x.exhibitions[k] += n; x.exhibitions[k] == 0 {
		delete(x.exhibitions, k)
	}
}

// find returns the newest summary of an unfinished match; nil if there is none with this id, or it is quarantined.
func (x *index) find(id storage.MatchID) (s *match.Summary, quarantined bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.matches[id]; e != nil {
		return e.summary, false
	}
	return nil, x.quarantined[id]
}

// concerns says whether any match concerns somebody.
func (x *index) concerns(k match.Key) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.people[k] != nil
}

// of returns the newest summaries of the matches that concern somebody, in no order.
func (x *index) of(k match.Key) []*match.Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	return summaries(x.people[k])
}

// lastFrom returns an address of the narrowest block that somebody with matches came from last; the zero value if it isn't known.
func (x *index) lastFrom(k match.Key) netip.Addr {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, h := range x.homes[k] {
		if h.hash == "" {
			return h.Addr()
		}
	}
	return netip.Addr{}
}

// openOffers returns the newest summaries of all public offers, in no order.
func (x *index) openOffers() []*match.Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	return summaries(x.offers)
}

// runningMatches returns the newest summaries of all public matches that are being played, in no order: of those with a
// computer player, the ones that somebody looks at.
func (x *index) runningMatches() []*match.Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	return summaries(x.running)
}

// isRunning says whether a match is one of runningMatches.
func (x *index) isRunning(id storage.MatchID) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.running[id] != nil
}

func summaries(entries map[storage.MatchID]*entry) []*match.Summary {
	all := make([]*match.Summary, 0, len(entries))
	for _, e := range entries {
		all = append(all, e.summary)
	}
	return all
}

// counts returns how many matches and public offers there are.
func (x *index) counts() (matches, offers int, kinds Kinds) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.matches), len(x.offers), x.kinds
}

// of returns the count of matches like one.
func (k *Kinds) of(s *match.Summary) *int {
	switch {
	case s.Started.IsZero():
		return &k.Waiting
	case s.Exhibition():
		return &k.Exhibitions
	case s.HasBot():
		return &k.Bots
	}
	return &k.People
}

// wake has all matches of somebody look again at what they wait for.
func (x *index) wake(k match.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.people[k] {
		x.consider(e)
	}
}

// # Several nodes
//
// Every change that a node makes, this one included, arrives from the store in the order in which the changes were made. The index ignores
// those that it knows already because this node made them.

// expect marks a match as being opened here until forget is called, because it may arrive from the store before put is called.
func (x *index) expect(id storage.MatchID) (forget func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.unopened[id] = 0
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.unopened, id)
	}
}

// follow applies a summary that has arrived from the store.
func (x *index) follow(s *match.Summary) change {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.matches[s.ID]
	_, unopened := x.unopened[s.ID]
	switch {
	case unopened:
		x.unopened[s.ID] = s.Events
		return change{}
	case x.ended[s.ID], x.quarantined[s.ID]:
		return change{}
	case e == nil:
		e = &entry{id: s.ID, waiting: live.Restarted(s)}
	case s.Events <= e.summary.Events:
		return change{}
	case e.match != nil:
		e.match.Follow(s.Events)
		return change{}
	default:
		e.waiting.Changed(s)
	}
	c := x.replace(e, s)
	x.schedule(e)
	return c
}

// followEnd applies the end of a match that has arrived from the store. It returns the last summary of a match that it removes. s is nil if
// the end was known already, or if the match is in memory and reads its end by itself.
func (x *index) followEnd(id storage.MatchID) (s *match.Summary, c change) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.followEndLocked(id)
}

// followEndLocked is followEnd for callers that hold mu.
func (x *index) followEndLocked(id storage.MatchID) (s *match.Summary, c change) {
	if x.ended[id] {
		delete(x.ended, id)
		return nil, change{}
	}
	if _, unopened := x.unopened[id]; unopened {
		x.unopened[id] = live.Ended
	}
	e := x.matches[id]
	if e == nil {
		return nil, change{}
	}
	e.gone = true
	if e.match != nil {
		e.match.Follow(live.Ended)
		return nil, change{}
	}
	s = e.summary
	return s, x.replace(e, nil)
}

// endedElsewhere is followEnd for a match whose log was found to be gone before its end has arrived from the store.
func (x *index) endedElsewhere(id storage.MatchID) (s *match.Summary, c change) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s, c = x.followEndLocked(id); s != nil {
		x.ended[id] = true
	}
	return s, c
}

// reconcile returns the matches of the index that are not in all, the ids of all unfinished matches.
func (x *index) reconcile(all map[storage.MatchID]bool) (over []storage.MatchID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id := range x.ended {
		if !all[id] {
			delete(x.ended, id)
		}
	}
	for id := range x.matches {
		if !all[id] {
			over = append(over, id)
		}
	}
	return over
}

// ownersChanged takes in that other nodes than before see to some matches, that clocks have to be resumed, or that the store answers again, and
// returns how many matches this node has taken over.
func (x *index) ownersChanged() (taken int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.matches {
		if x.recount(e) {
			taken++
		}
		if e.match != nil {
			e.match.TryAgain()
		} else {
			x.schedule(e)
		}
	}
	return taken
}

// ownedNow returns how many matches this node owns.
func (x *index) ownedNow() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.owned
}

// consider schedules a match again after its deadlines may have changed. The caller holds mu.
func (x *index) consider(e *entry) {
	if e.match != nil {
		e.match.Wake()
	} else {
		x.schedule(e)
	}
}

// lookedAt is called when a person on another node has come to the board of a match, or left it.
func (x *index) lookedAt(id storage.MatchID) change {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.matches[id]
	if e == nil || !e.summary.HasBot() {
		return change{}
	}
	x.consider(e)
	if (x.running[id] != nil) == x.config.LookedAt(id) {
		return change{}
	}
	return x.replace(e, e.summary)
}

// # Memory
//
// A match is loaded when somebody asks for it or it has something to do. It goes out of memory by itself when nobody has looked
// at it for a while, and sooner when too much is in memory.

// A loading is a match that is being loaded, for all who wait for it.
type loading struct {
	done  chan struct{} // closed when it is known what has come of it
	match *live.Match   // nil if it could not be loaded
	err   error         // why not
}

// use returns a match that is in memory, or what it is being loaded with; first says that the caller is to load it. Both are nil
// if there is no such match.
func (x *index) use(id storage.MatchID) (m *live.Match, load *loading, first bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.matches[id]
	switch {
	case e == nil:
		return nil, nil, false
	case e.match != nil:
		x.recent.MoveToFront(e.recent)
		return e.match, nil, false
	case e.loading == nil:
		e.loading, first = &loading{done: make(chan struct{})}, true
		x.unschedule(e)
	}
	return nil, e.loading, first
}

// inMemory returns a match that is in memory, or nil.
func (x *index) inMemory(id storage.MatchID) *live.Match {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.matches[id]; e != nil {
		return e.match
	}
	return nil
}

// admit makes room in memory for a match that is about to be loaded. If there is none, it returns matches that may rest in its
// place, those that have not been used for longest first. Long matches get half of the memory, so that nobody can keep the others
// out with a few of them. A match that is due is loaded in any case: it is done soon, and rests then if there is no room.
func (x *index) admit(id storage.MatchID) (ok bool, rest []*live.Match) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.matches[id]
	if e == nil {
		return true, nil
	}
	cost, most := matchCost+e.summary.Plies, x.limits.Now().LivePlies
	if cost > longMatch {
		most /= 2
	}
	if x.live+cost <= most || x.urgent(e) {
		e.cost = cost
		x.live += cost
		return true, nil
	}
	return false, x.resting(x.live + cost - most)
}

// urgent says whether a match is to be loaded whether or not there is room: it has something to do. Of those in which computer players have to
// move only so many are: they stay in memory for as long as it takes.
func (x *index) urgent(e *entry) bool {
	return e.taken && (!e.summary.BotToAct() || x.thinking < maxOwed)
}

// longMatch is what a long match costs.
const longMatch = 2500

// over returns matches that are to rest because more is in memory than should be: matches grow, and new ones are opened.
func (x *index) over() []*live.Match {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.live <= x.limits.Now().LivePlies {
		return nil
	}
	return x.resting(x.live - x.limits.Now().LivePlies)
}

// resting returns matches that cost so much together, or all that may rest.
func (x *index) resting(cost int) (rest []*live.Match) {
	for at := x.recent.Back(); at != nil && cost > 0; at = at.Prev() {
		e := at.Value.(*entry)
		if now, _ := e.match.Views().Readers(); now || e.thinking || e.evicting {
			continue
		}
		rest = append(rest, e.match)
		cost -= e.cost
	}
	return rest
}

// loaded takes in that a match is in memory. make makes it of what is known of its people; it does not run yet. It returns nil if the store
// has told meanwhile that the match has ended.
func (x *index) loaded(id storage.MatchID, load *loading, make func(live.Waiting) *live.Match) *live.Match {
	x.mu.Lock()
	defer x.mu.Unlock()
	defer close(load.done)
	e := x.matches[id]
	if e == nil {
		return nil
	}
	e.match, e.loading, e.taken = make(e.waiting), nil, false
	e.match.Follow(e.summary.Events) // events written while it was being read
	e.recent = x.recent.PushFront(e)
	x.weigh(e)
	if e.evicting {
		e.match.Evict()
	}
	load.match = e.match
	return e.match
}

// loadFailed takes in that a match could not be loaded. It will be tried again if it has something to do.
func (x *index) loadFailed(id storage.MatchID, load *loading, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	load.err = err
	close(load.done)
	if e := x.matches[id]; e != nil {
		taken := e.taken
		e.loading, e.taken = nil, false
		x.weigh(e)
		x.schedule(e)
		if !e.due.IsZero() && (taken || !errors.Is(err, ErrFull)) {
			e.due = time.Now().Add(retryLoad)
			heap.Fix(&x.deadlines, e.place-1)
		}
	}
}

// retryLoad is how long to wait after a match that has something to do could not be loaded.
const retryLoad = 5 * time.Second

// unload takes a match out of memory, unless somebody looks at it, and says whether it did.
func (x *index) unload(m *live.Match, w live.Waiting) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.matches[m.ID()]
	if e == nil || e.match != m || e.evicting || !m.Views().Retire() {
		return false
	}
	x.recent.Remove(e.recent)
	e.match, e.recent, e.waiting = nil, nil, w
	x.weigh(e)
	x.schedule(e)
	return true
}

// weigh counts what a match costs in memory, and whether it waits for a computer player.
func (x *index) weigh(e *entry) {
	cost, thinking := 0, false
	switch {
	case e.summary == nil:
		x.unschedule(e)
		if e.recent != nil {
			x.recent.Remove(e.recent)
			e.recent = nil
		}
	case e.match != nil:
		cost = matchCost + e.summary.Plies
		thinking = e.summary.BotToAct() && !e.summary.Exhibition()
	}
	x.live += cost - e.cost
	switch {
	case thinking && !e.thinking:
		x.thinking++
	case !thinking && e.thinking:
		x.thinking--
		x.notify()
	}
	if x.live > x.limits.Now().LivePlies {
		x.notify()
	}
	e.cost, e.thinking = cost, thinking
}

// notify says that there is something new for Lobby.runDeadlines.
func (x *index) notify() {
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

// # Deadlines
//
// A match that is not in memory has no timer. The index knows when each has something to do, and Lobby.runDeadlines loads it then.

// schedule notes when a match that is not in memory has something to do.
func (x *index) schedule(e *entry) {
	due := e.waiting.Due(x.config, e.summary)
	if e.evicting {
		due = time.Now()
	}
	if due.IsZero() || e.loading != nil {
		x.unschedule(e)
		return
	}
	if e.due = due; e.place == 0 {
		heap.Push(&x.deadlines, e)
	} else {
		heap.Fix(&x.deadlines, e.place-1)
	}
	if e.place == 1 {
		x.notify()
	}
}

func (x *index) unschedule(e *entry) {
	if e.place > 0 {
		heap.Remove(&x.deadlines, e.place-1)
	}
	e.due = time.Time{}
}

// takeDue returns a match that has something to do now, or when to ask again: zero if nothing is due yet. Of those in which
// computer players have to move since the program started, only so many are in memory at a time.
func (x *index) takeDue(now time.Time) (id storage.MatchID, next time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.deadlines) > 0 {
		e := x.deadlines[0]
		if !now.Before(e.due) {
			x.unschedule(e)
			e.taken = true
			return e.id, time.Time{}
		}
		next = e.due
	}
	for len(x.owed) > 0 && x.thinking < maxOwed {
		e := x.owed[0]
		x.owed = x.owed[1:]
		if e.summary != nil && e.match == nil && e.loading == nil && e.summary.BotToAct() && x.config.Owned(e.id) {
			e.taken = true
			return e.id, time.Time{}
		}
	}
	return "", next
}

// maxOwed is how many matches in which computer players have to move are in memory when another such match is loaded.
const maxOwed = 16

// deadlines is a heap of matches, the one that has something to do first in front.
type deadlines []*entry

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].due.Before(d[j].due) }

func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].place, d[j].place = i+1, j+1
}

func (d *deadlines) Push(e any) {
	*d = append(*d, e.(*entry))
	e.(*entry).place = len(*d)
}

func (d *deadlines) Pop() any {
	last := len(*d) - 1
	e := (*d)[last]
	(*d)[last] = nil
	*d, e.place = (*d)[:last], 0
	return e
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Kinds counts unfinished matches.
type Kinds struct {
	Waiting     int // a seat is free
	People      int // running between people
	Bots        int // between a person and a computer player
	Exhibitions int // between two computer players
}
