package lobby

import (
	"sync"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// An origins knows where the people with a session come from, whether they show in the lists or not.
type origins struct {
	mu     sync.Mutex // guards what follows
	people map[match.Key]*connected
}

// A connected is a person with sessions.
type connected struct {
	from     origin.Origin // of the newest session
	sessions int
}

func newOrigins() *origins { return &origins{people: make(map[match.Key]*connected)} }

// connect says where a session of somebody comes from, until disconnect is called.
func (o *origins) connect(who match.Key, from origin.Origin) (disconnect func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.people[who]
	if c == nil {
		c = new(connected)
		o.people[who] = c
	}
	c.from = from
	c.sessions++
	return sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if c.sessions--; c.sessions == 0 {
			delete(o.people, who)
		}
	})
}

// of returns where somebody comes from: from no address, if they have no session.
func (o *origins) of(who storage.Occupant) origin.Origin {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.people[match.KeyOf(who)]; c != nil {
		return c.from
	}
	return origin.Origin{Person: personOf(who)}
}

// personOf returns somebody as origins name people.
func personOf(who storage.Occupant) string { return string(who.Kind) + " " + who.ID }
