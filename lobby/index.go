package lobby

import (
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// An index knows every unfinished match: by id, by the people whom it concerns, and as an offer or a running match. Lists,
// limits and lookups all read it.
type index struct {
	limits Limits

	mu          sync.Mutex // guards what follows
	matches     map[storage.MatchID]*entry
	people      map[match.Key]map[storage.MatchID]*entry
	offers      map[storage.MatchID]*entry // public and untaken
	running     map[storage.MatchID]*entry // public and taken; with a computer player, only while somebody looks
	exhibitions map[match.Key]int          // how many are open, by who opened them
	claims      map[match.Key]claim        // what people are about to begin
	opening     int                        // matches about to be opened
	evicting    int                        // matches about to end to make room
	quarantined map[storage.MatchID]bool   // their logs are damaged
}

// An entry is a match in the index.
type entry struct {
	match    *live.Match
	view     *match.View // the newest. Its Seq is not set
	evicting bool
}

// A claim counts what one person is about to begin.
type claim struct {
	matches     int // they sit in
	offers      int
	exhibitions int
	opened      int // matches that the club has more of then
}

// A change says what a match has changed in the lists.
type change struct {
	public bool        // the offers, or which matches run
	plies  bool        // the number of moves of a running match
	people []match.Key // whose matches are others now
	free   []match.Key // those of people whom no match concerns any more
}

func newIndex(l Limits) *index {
	return &index{
		limits:      l,
		matches:     make(map[storage.MatchID]*entry),
		people:      make(map[match.Key]map[storage.MatchID]*entry),
		offers:      make(map[storage.MatchID]*entry),
		running:     make(map[storage.MatchID]*entry),
		exhibitions: make(map[match.Key]int),
		claims:      make(map[match.Key]claim),
		quarantined: make(map[storage.MatchID]bool),
	}
}

// put takes in the newest view of a match, and takes a match that is over out.
func (x *index) put(m *live.Match, v *match.View) change {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.matches[m.ID()]
	if e == nil {
		e = &entry{match: m}
		if v.By.Kind != storage.Free {
			x.exhibitions[match.KeyOf(v.By)]++
		}
	}
	return x.replace(e, v)
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

// replace replaces the view of a match wherever it is kept. A match without a view, or whose view is over, is taken out.
func (x *index) replace(e *entry, v *match.View) (c change) {
	id, old := e.match.ID(), e.view
	if old != nil {
		c.people = old.People()
		for _, k := range c.people {
			delete(x.people[k], id)
			if len(x.people[k]) == 0 {
				delete(x.people, k)
			}
		}
	}
	wasOffer, wasRunning := x.offers[id] != nil, x.running[id] != nil
	delete(x.matches, id)
	delete(x.offers, id)
	delete(x.running, id)
	if old == nil || v == nil || len(v.Events) != len(old.Events) {
		x.keep(e)
	}
	e.view = v
	if v != nil && !v.Over {
		x.matches[id] = e
		for _, k := range v.People() {
			if x.people[k] == nil {
				x.people[k] = make(map[storage.MatchID]*entry)
			}
			x.people[k][id] = e
			if !slices.Contains(c.people, k) {
				c.people = append(c.people, k)
			}
		}
		switch {
		case v.Public && v.Started.IsZero():
			x.offers[id] = e
		case v.Public && !e.match.Unwatched():
			x.running[id] = e
		}
	} else if old != nil && old.By.Kind != storage.Free {
		k := match.KeyOf(old.By)
		if x.exhibitions[k]--; x.exhibitions[k] == 0 {
			delete(x.exhibitions, k)
		}
	}
	c.public = wasOffer != (x.offers[id] != nil) || wasRunning != (x.running[id] != nil)
	c.plies = wasRunning && x.running[id] != nil
	for _, k := range c.people {
		if x.people[k] == nil {
			c.free = append(c.free, k)
		}
	}
	return c
}

// find returns an unfinished match and its newest view; nil if there is none with this id, or it is quarantined.
func (x *index) find(id storage.MatchID) (m *live.Match, v *match.View, quarantined bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.matches[id]; e != nil {
		return e.match, e.view, false
	}
	return nil, nil, x.quarantined[id]
}

// concerns says whether any match concerns somebody.
func (x *index) concerns(k match.Key) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.people[k] != nil
}

// of returns the newest views of the matches that concern somebody, in no order.
func (x *index) of(k match.Key) []*match.View {
	x.mu.Lock()
	defer x.mu.Unlock()
	return views(x.people[k])
}

// openOffers returns the newest views of all public offers, in no order.
func (x *index) openOffers() []*match.View {
	x.mu.Lock()
	defer x.mu.Unlock()
	return views(x.offers)
}

// runningMatches returns the newest views of all public matches that are being played, in no order: of those with a computer
// player, the ones that somebody looks at.
func (x *index) runningMatches() []*match.View {
	x.mu.Lock()
	defer x.mu.Unlock()
	return views(x.running)
}

func views(entries map[storage.MatchID]*entry) []*match.View {
	all := make([]*match.View, 0, len(entries))
	for _, e := range entries {
		all = append(all, e.view)
	}
	return all
}

// counts returns how many matches and public offers there are.
func (x *index) counts() (matches, offers int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.matches), len(x.offers)
}

// wake has all matches of somebody look again at what they wait for.
func (x *index) wake(k match.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.people[k] {
		e.match.Wake()
	}
}

// claim reserves room for what a user is about to begin, until release is called; ErrTooMany. In a full club a match is
// evicted, if there is one in which nothing has happened for long enough before now.
func (x *index) claim(u User, c claim, now time.Time) (release func(), err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	k := u.Key()
	have := x.claims[k]
	have.exhibitions += x.exhibitions[k]
	for _, e := range x.people[k] {
		if _, seated := e.view.Side(u); !seated {
			continue
		}
		have.matches++
		if e.view.Started.IsZero() {
			have.offers++
		}
	}
	most := x.limits.Unfinished
	if u.Kind == storage.Guest {
		most = x.limits.GuestUnfinished
	}
	switch {
	case c.matches > 0 && have.matches+c.matches > most,
		c.offers > 0 && have.offers+c.offers > x.limits.OpenOffers,
		c.exhibitions > 0 && have.exhibitions+c.exhibitions > x.limits.Exhibitions,
		c.opened > 0 && len(x.matches)-x.evicting+x.opening+c.opened > x.limits.Matches && !x.evict(now):
		return nil, ErrTooMany
	}
	x.count(k, c, 1)
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.count(k, c, -1)
	}, nil
}

// count adds n times c to what somebody is about to begin.
func (x *index) count(k match.Key, c claim, n int) {
	x.opening += n * c.opened
	now := x.claims[k]
	now.matches += n * c.matches
	now.offers += n * c.offers
	now.exhibitions += n * c.exhibitions
	now.opened += n * c.opened
	if x.claims[k] = now; now == (claim{}) {
		delete(x.claims, k)
	}
}

// evict has the match in which nothing has happened for longest end: one with a computer player that nobody looks at, or, if
// none of them has been idle for Limits.EvictBotAfter, any in which nothing has happened for Limits.EvictAfter. It returns
// false if there is none. It looks at all matches, but only when the club is full.
func (x *index) evict(now time.Time) bool {
	oldest := x.oldest(now.Add(-min(x.limits.EvictBotAfter, x.limits.EvictAfter)), func(e *entry) bool { return e.match.Unwatched() })
	if oldest == nil {
		oldest = x.oldest(now.Add(-x.limits.EvictAfter), func(*entry) bool { return true })
	}
	if oldest == nil {
		return false
	}
	oldest.evicting = true
	x.evicting++
	oldest.match.Evict()
	return true
}

// oldest returns the match in which nothing has happened for longest, of those that are wanted and not about to end; nil if
// there is none in which nothing has since before.
func (x *index) oldest(before time.Time, wanted func(*entry) bool) (oldest *entry) {
	for _, e := range x.matches {
		if at := e.view.LastAt(); !e.evicting && at.Before(before) && wanted(e) {
			oldest, before = e, at
		}
	}
	return oldest
}

// keep takes back that a match is evicted: it has moved on, or is gone.
func (x *index) keep(e *entry) {
	if e.evicting {
		e.evicting = false
		x.evicting--
		e.match.Keep()
	}
}
