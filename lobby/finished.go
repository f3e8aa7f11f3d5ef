package lobby

import (
	"container/list"
	"context"
	"errors"
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
	views *feed.Feed[*View]
	plies int // what it costs
}

// matchPlies is what a match without moves costs, in moves.
const matchPlies = 20

func newFinishedCache(maxPlies int) *finishedCache {
	return &finishedCache{maxPlies: maxPlies, byID: make(map[storage.MatchID]*list.Element), recent: list.New()}
}

// get returns the feed of a finished match, or nil.
func (c *finishedCache) get(id storage.MatchID) *feed.Feed[*View] {
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
func (c *finishedCache) put(id storage.MatchID, views *feed.Feed[*View], plies int) *feed.Feed[*View] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byID[id]; e != nil {
		return e.Value.(*cachedMatch).views
	}
	plies += matchPlies
	c.byID[id] = c.recent.PushFront(&cachedMatch{id, views, plies})
	c.plies += plies
	for e := c.recent.Back(); e != nil && e != c.recent.Front() && c.plies > c.maxPlies; {
		old, before := e.Value.(*cachedMatch), e.Prev()
		if old.views.Retire() {
			c.recent.Remove(e)
			delete(c.byID, old.id)
			c.plies -= old.plies
		}
		e = before
	}
	return views
}

// views returns the feed of any match, running or finished; ErrNoSuchMatch, ErrDamaged, ErrBusy.
func (l *Lobby) views(ctx context.Context, id storage.MatchID) (*feed.Feed[*View], error) {
	m, _, quarantined := l.index.find(id)
	switch {
	case m != nil:
		return m.Views(), nil
	case quarantined:
		return nil, ErrDamaged
	}
	if views := l.finished.get(id); views != nil {
		return views, nil
	}
	f, err := l.store.Finished(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, ErrNoSuchMatch
	case errors.Is(err, storage.ErrDamaged):
		return nil, ErrDamaged
	case err != nil:
		return nil, storeError(err)
	}
	return l.loadFinished(f)
}

// loadFinished puts a match from the records into the cache.
func (l *Lobby) loadFinished(f storage.Finished) (*feed.Feed[*View], error) {
	s, err := match.Replay(f, l.Game)
	if err != nil {
		l.log.Error("the record of a match is damaged", "match", f.ID, "err", err)
		return nil, ErrDamaged
	}
	v, views := s.View(), feed.New[*View](l.feeds)
	v.Ratings = f.Ratings
	v.Rematch = l.rematches.of(f.ID)
	views.Update(func(_ *View, seq uint64) (*View, bool) {
		v.Seq = seq
		return v, true
	})
	views = l.finished.put(f.ID, views, v.Ply())
	l.showRematch(f.ID) // one may have been asked for since
	return views, nil
}

// next returns a view of any match as soon as its Seq is above after. The errors are those of views and of feed.Feed.Next.
func (l *Lobby) next(ctx context.Context, id storage.MatchID, after uint64) (*View, error) {
	for {
		views, err := l.views(ctx, id)
		if err != nil {
			return nil, err
		}
		if v, _, err := views.Next(ctx, after); !errors.Is(err, feed.ErrRetired) {
			return v, err
		}
	}
}

// view returns the present view of any match. The errors are those of next.
func (l *Lobby) view(ctx context.Context, id storage.MatchID) (*View, error) {
	return l.next(ctx, id, 0)
}
