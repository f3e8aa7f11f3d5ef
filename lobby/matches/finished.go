package matches

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// Finished has the finished matches: some in memory, others read from their records. It is safe for concurrent use.
type Finished struct {
	records  recordStore
	live     *live.Config
	presence Presence
	news     News
	log      *slog.Logger
	cache    *finishedCache
}

// A recordStore has the records of finished matches; see results.Store.
type recordStore interface {
	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
}

// InMemory returns the feed of a finished match that is in memory; nil for any other.
func (f *Finished) InMemory(id storage.MatchID) *feed.Feed[*match.View] { return f.cache.get(id) }

// RecordsChanged drops the matches without readers from memory, because their records have changed.
func (f *Finished) RecordsChanged() { f.cache.clear() }

// ended keeps a match in memory that has just ended there, with its last view.
func (f *Finished) ended(m *live.Match, v *match.View) { f.cache.put(m.ID(), m.Views(), v.Ply()) }

// feed returns the feed of a finished match, which is read from its record if it is not in memory. The errors are refusal.ErrNoSuchMatch,
// refusal.ErrDamaged and refusal.ErrBusy.
func (f *Finished) feed(ctx context.Context, id storage.MatchID) (*feed.Feed[*match.View], error) {
	if views := f.cache.get(id); views != nil {
		return views, nil
	}
	rec, err := f.records.Finished(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, refusal.ErrNoSuchMatch
	case errors.Is(err, storage.ErrDamaged):
		return nil, refusal.ErrDamaged
	case err != nil:
		return nil, refusal.OfStore(err)
	}
	return f.load(rec)
}

// load puts a match from the records into the cache.
func (f *Finished) load(rec results.Finished) (*feed.Feed[*match.View], error) {
	state, err := match.Replay(rec, f.live.Catalogue.Game)
	if err != nil {
		f.log.Error("the record of a match is damaged", "match", rec.ID, "err", err)
		return nil, refusal.ErrDamaged
	}
	v, views := state.View(), feed.New[*match.View](f.live.Feeds)
	v.Rated, v.Ratings = rec.Rated, rec.Ratings // as the record says: earlier versions rated matches of any length
	views.Update(func(_ *match.View, seq uint64) (*match.View, bool) {
		v.Seq = seq
		v.Presence, v.Spectators = f.presence.Presence(rec.ID, v.Seats)
		return v, true
	})
	views = f.cache.put(rec.ID, views, v.Ply())
	f.news.Loaded(rec.ID)
	return views, nil
}

// A finishedCache holds the most recently used feeds of finished matches, up to about maxPlies moves in all. A feed that a user reads stays.
type finishedCache struct {
	maxPlies int

	mu     sync.Mutex // guards what follows
	plies  int
	recent *simplelru.LRU[storage.MatchID, cachedMatch] // bounded by plies: its size has no end
}

type cachedMatch struct {
	views *feed.Feed[*match.View]
	plies int // what it costs
}

// matchPlies is what a match without moves costs, in moves.
const matchPlies = 20

// CachedPlies is about how many moves of finished matches stay in memory: some 2 MB. Users read a match that has just ended again and again, and
// older ones once.
const CachedPlies = 20_000

func newFinishedCache(maxPlies int) *finishedCache {
	recent, _ := simplelru.NewLRU[storage.MatchID, cachedMatch](math.MaxInt, nil) // the error: the size is positive
	return &finishedCache{maxPlies: maxPlies, recent: recent}
}

// get returns the feed of a finished match, or nil.
func (c *finishedCache) get(id storage.MatchID) *feed.Feed[*match.View] {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, _ := c.recent.Get(id)
	return m.views
}

// put adds the feed of a match with a number of moves to the cache, unless the cache has one already. It returns the feed in the cache.
func (c *finishedCache) put(id storage.MatchID, views *feed.Feed[*match.View], plies int) *feed.Feed[*match.View] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, ok := c.recent.Peek(id); ok {
		return m.views
	}
	c.evict(c.maxPlies - plies - matchPlies)
	c.recent.Add(id, cachedMatch{views, plies + matchPlies})
	c.plies += plies + matchPlies
	return views
}

// clear drops all feeds that nobody reads.
func (c *finishedCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(0)
}

// evict drops the least recently used feeds until the rest have at most a number of moves. A feed that a user reads counts as used now. The
// caller holds mu.
func (c *finishedCache) evict(plies int) {
	for range c.recent.Len() {
		id, m, _ := c.recent.GetOldest()
		switch {
		case c.plies <= plies:
			return
		case m.views.Retire():
			c.recent.Remove(id)
			c.plies -= m.plies
		default:
			c.recent.Get(id)
		}
	}
}
