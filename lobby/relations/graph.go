// Package relations knows who follows and who blocks whom, and tells players who of those they follow has come.
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

// A player who comes and goes is told of once in tellEvery; so many players are remembered for that.
const (
	tellEvery  = 10 * time.Minute
	remembered = 1 << 14
)

// maxArrivals is how many arrivals a slow reader gets at once: the last ones.
const maxArrivals = 8

// A Graph is the relations of all players, in memory: some 60 bytes each. Any goroutine may use it.
type Graph struct {
	feeds *feed.Group
	told  *throttle.Throttle[storage.PlayerID]

	mu        sync.Mutex // guards what follows
	of        map[storage.PlayerID]relations.Lists
	followers map[storage.PlayerID][]storage.PlayerID
	blockers  map[storage.PlayerID]int // how many block a player
	news      map[storage.PlayerID]*news
}

// news is what one player who is here is told.
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

// New returns a graph of the relations that there are. Its feeds belong to a group.
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

// Set replaces the relations of a player. The graph keeps them; nobody may change them any more.
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

// Players returns the ids of those who follow or block somebody.
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

// Blocked reports whether a player blocks anybody or is blocked by anybody.
func (g *Graph) Blocked(id storage.PlayerID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.blockers[id] > 0 || len(g.of[id].Blocked) > 0
}

func (g *Graph) blocks(id, other storage.PlayerID) bool {
	return slices.ContainsFunc(g.of[id].Blocked, func(r relations.Relation) bool { return r.Player == other })
}

// Come tells those who listen that a player has come at a time, if they follow one of the accounts of the player, and none of these
// blocks them.
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

// Listen returns what tells a player who of those they follow comes from now on, until leave is called, which may be called again.
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

// A Listener hears of players who come. One goroutine at a time may use it.
type Listener struct {
	feed  *feed.Feed[[]Arrival]
	after uint64
}

// Next returns those who have come since it was last asked: at once if there are any, else when there are. One who is asked seldom
// hears of the last few alone. The errors are that of ctx and that of the feeds' group.
func (l *Listener) Next(ctx context.Context) ([]Arrival, error) {
	arrivals, seq, err := l.feed.Next(ctx, l.after)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(arrivals, func(a Arrival) bool { return a.seq > l.after })
	l.after = seq
	return arrivals[max(first, 0):], nil
}
