package matches

import (
	"container/list"
	"sync"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// A finishedCache keeps the feeds of finished matches that somebody looked at lately, up to about so many moves in all.
type finishedCache struct {
	maxPlies int

	mu     sync.Mutex // guards what follows
	plies  int
	byID   map[storage.MatchID]*list.Element
	recent *list.List // of *cachedMatch, last used first
}

type cachedMatch struct {
	id    storage.MatchID
	views *feed.Feed[*match.View]
	plies int // what it costs
}

// matchPlies is what a match without moves costs, in moves.
const matchPlies = 20

// CachedPlies is how many moves of finished matches stay in memory, about: some 2 MB. Readers of a match that has just ended read it again
// and again; older ones are read once.
const CachedPlies = 20_000

func newFinishedCache(maxPlies int) *finishedCache {
	return &finishedCache{maxPlies: maxPlies, byID: make(map[storage.MatchID]*list.Element), recent: list.New()}
}

// get returns the feed of a finished match, or nil.
func (c *finishedCache) get(id storage.MatchID) *feed.Feed[*match.View] {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byID[id]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cachedMatch).views
}

// put takes in the feed of a match with so many moves, and returns the feed that the cache has of it: another one if that
// came first. Feeds that somebody reads stay.
func (c *finishedCache) put(id storage.MatchID, views *feed.Feed[*match.View], plies int) *feed.Feed[*match.View] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byID[id]; e != nil {
		return e.Value.(*cachedMatch).views
	}
	plies += matchPlies
	c.byID[id] = c.recent.PushFront(&cachedMatch{id, views, plies})
	c.plies += plies
	for e := c.recent.Back(); e != nil && e != c.recent.Front() && c.plies > c.maxPlies; {
		before := e.Prev()
		c.drop(e)
		e = before
	}
	return views
}

// forgetAll drops all feeds that nobody reads, because records have changed.
func (c *finishedCache) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.recent.Back(); e != nil; {
		before := e.Prev()
		c.drop(e)
		e = before
	}
}

// drop drops a feed unless somebody reads it. The caller holds mu.
func (c *finishedCache) drop(e *list.Element) {
	if old := e.Value.(*cachedMatch); old.views.Retire() {
		c.recent.Remove(e)
		delete(c.byID, old.id)
		c.plies -= old.plies
	}
}
