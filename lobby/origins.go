package lobby

import (
	"maps"
	"slices"
	"sync"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// An origins knows where the people with a session come from, whether they show in the lists or not.
type origins struct {
	mu      sync.Mutex // guards what follows
	people  map[match.Key]*connected
	players map[string]map[storage.PlayerID]int // by key: how many sessions it has, as which player
}

// A connected is a person with sessions.
type connected struct {
	from     origin.Origin // of the newest session
	sessions int
}

func newOrigins() *origins {
	return &origins{people: make(map[match.Key]*connected), players: make(map[string]map[storage.PlayerID]int)}
}

// connect says where a session of somebody comes from, and with which key, until disconnect is called.
func (o *origins) connect(u User, from origin.Origin, key string) (disconnect func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	who := u.Key()
	c := o.people[who]
	if c == nil {
		c = new(connected)
		o.people[who] = c
	}
	c.from = from
	c.sessions++
	o.count(key, u.Player(), 1)
	return sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if c.sessions--; c.sessions == 0 {
			delete(o.people, who)
		}
		o.count(key, u.Player(), -1)
	})
}

// count adds n sessions of a key as a player; the caller holds mu. Guests have neither.
func (o *origins) count(key string, as storage.PlayerID, n int) {
	if key == "" || as == "" {
		return
	}
	players := o.players[key]
	if players == nil {
		players = make(map[storage.PlayerID]int)
		o.players[key] = players
	}
	if players[as] += n; players[as] == 0 {
		delete(players, as)
	}
	if len(players) == 0 {
		delete(o.players, key)
	}
}

// keys returns the keys that have sessions.
func (o *origins) keys() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Keys(o.players))
}

// signedIn returns as which players a key has sessions.
func (o *origins) signedIn(key string) []storage.PlayerID {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Keys(o.players[key]))
}

// of returns where somebody comes from: from no address, if they have no session.
func (o *origins) of(who storage.Occupant) origin.Origin {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.people[match.KeyOf(who)]; c != nil {
		return c.from
	}
	return origin.Origin{Person: match.PersonOf(who)}
}
