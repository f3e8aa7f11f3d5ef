// Package relations has the players whom each player follows and blocks, and notifies followers when a player comes.
package relations

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/throttle"
	"ludoteca/storage"
	"ludoteca/storage/relations"
)

// The arrival of a player is announced once in tellEvery.
const (
	tellEvery  = 10 * time.Minute
	remembered = 1 << 14 // players whose last announcement is remembered
)

// maxArrivals is the most arrivals that a slow reader gets at once: the last ones.
const maxArrivals = 8

// A Graph is the relations of all players, in memory: some 60 bytes each. Any goroutine may use it.
type Graph struct {
	feeds *feed.Group
	told  *throttle.Throttle[storage.PlayerID]

	mu        sync.Mutex // guards what follows
	of        map[storage.PlayerID]relations.Lists
	followers map[storage.PlayerID][]storage.PlayerID
	blockers  map[storage.PlayerID]int // number of players who block a player
	news      map[storage.PlayerID]*news
}

// news is the feed of arrivals for one player.
type news struct {
	feed    *feed.Feed[[]Arrival]
	readers int
}

// An Arrival says that a player has come.
type Arrival struct {
	Player storage.PlayerID
	At     time.Time
	seq    uint64
}

// New returns a graph of the given relations. Its feeds belong to a group.
func New(all map[storage.PlayerID]relations.Lists, feeds *feed.Group) *Graph {
	g := &Graph{
		feeds: feeds, told: throttle.New[storage.PlayerID](tellEvery, 1, remembered), of: map[storage.PlayerID]relations.Lists{},
		followers: map[storage.PlayerID][]storage.PlayerID{}, blockers: map[storage.PlayerID]int{}, news: map[storage.PlayerID]*news{},
	}
	for id, related := range all {
		g.Set(id, related)
	}
	return g
}

// Set replaces the relations of a player. The graph keeps related; callers must not change it afterwards.
func (g *Graph) Set(id storage.PlayerID, related relations.Lists) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.of[id].Following {
		left := slices.DeleteFunc(g.followers[r.Player], func(other storage.PlayerID) bool { return other == id })
		if g.followers[r.Player] = left; len(left) == 0 {
			delete(g.followers, r.Player)
		}
	}
	for _, r := range g.of[id].Blocked {
		if g.blockers[r.Player]--; g.blockers[r.Player] == 0 {
			delete(g.blockers, r.Player)
		}
	}
	for _, r := range related.Blocked {
		g.blockers[r.Player]++
	}
	for _, r := range related.Following {
		g.followers[r.Player] = append(g.followers[r.Player], id)
	}
	if g.of[id] = related; len(related.Following)+len(related.Blocked) == 0 {
		delete(g.of, id)
	}
}

// Players returns the ids of all players who follow or block another one.
func (g *Graph) Players() []storage.PlayerID {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Keys(g.of))
}

// Of returns the relations of a player. Callers must not change them.
func (g *Graph) Of(id storage.PlayerID) relations.Lists {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.of[id]
}

// Blocks reports whether one player has blocked another.
func (g *Graph) Blocks(id, other storage.PlayerID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.blocks(id, other)
}

// Blocked reports whether a player blocks another one or is blocked by one.
func (g *Graph) Blocked(id storage.PlayerID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.blockers[id] > 0 || len(g.of[id].Blocked) > 0
}

func (g *Graph) blocks(id, other storage.PlayerID) bool {
	return slices.ContainsFunc(g.of[id].Blocked, func(r relations.Relation) bool { return r.Player == other })
}

// Come notifies the Listeners of a player's followers that the player has come at a time. accounts are all accounts of the player. Followers whom
// any of them blocks are not notified.
func (g *Graph) Come(now time.Time, id storage.PlayerID, accounts []storage.PlayerID) {
	if _, ok := g.told.Take(now, id); !ok {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	told := map[storage.PlayerID]bool{id: true}
	for _, account := range accounts {
		for _, follower := range g.followers[account] {
			n := g.news[follower]
			if n == nil || told[follower] || slices.ContainsFunc(accounts, func(a storage.PlayerID) bool { return g.blocks(a, follower) }) {
				continue
			}
			told[follower] = true
			n.feed.Update(func(old []Arrival, seq uint64) ([]Arrival, bool) {
				old = old[max(0, len(old)+1-maxArrivals):]
				return append(slices.Clip(old), Arrival{id, now, seq}), true
			})
		}
	}
}

// Listen returns a Listener for the followed players of a player who come from now on, until leave is called. leave may be called more than once.
func (g *Graph) Listen(id storage.PlayerID) (listener *Listener, leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.news[id]
	if n == nil {
		n = &news{feed: feed.New[[]Arrival](g.feeds)}
		g.news[id] = n
	}
	n.readers++
	_, seq := n.feed.Latest()
	return &Listener{n.feed, seq}, sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if n.readers--; n.readers == 0 {
			delete(g.news, id)
		}
	})
}

// A Listener gets the arrivals of followed players. One goroutine at a time may use it.
type Listener struct {
	feed  *feed.Feed[[]Arrival]
	after uint64
}

// Next returns the arrivals since the last call: at once if there are any, else when there is one. It returns at most the last maxArrivals. The
// errors are ctx.Err() and the error of the closed group of feeds.
func (l *Listener) Next(ctx context.Context) ([]Arrival, error) {
	arrivals, seq, err := l.feed.Next(ctx, l.after)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(arrivals, func(a Arrival) bool { return a.seq > l.after })
	l.after = seq
	return arrivals[max(first, 0):], nil
}
