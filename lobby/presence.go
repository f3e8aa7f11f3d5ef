package lobby

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// A presence knows the people who are here, and since when people are gone whom a match concerns.
type presence struct {
	mu   sync.Mutex // guards what follows
	here map[match.Key]*visitor
	left map[match.Key]time.Time
}

type visitor struct {
	user        User
	connections int
}

func newPresence() *presence {
	return &presence{here: make(map[match.Key]*visitor), left: make(map[match.Key]time.Time)}
}

// enter says that somebody has come, and whether they were not here before.
func (p *presence) enter(u User) (arrived bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.here[u.Key()]
	if v == nil {
		v = &visitor{user: u}
		p.here[u.Key()] = v
	}
	v.connections++
	delete(p.left, u.Key())
	return v.connections == 1
}

// name returns the name of somebody who is here.
func (p *presence) name(k match.Key) (name string, here bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.here[k]
	if v == nil {
		return "", false
	}
	return v.user.Name, true
}

// rename gives somebody who is here another name.
func (p *presence) rename(k match.Key, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v := p.here[k]; v != nil {
		v.user.Name = name
	}
}

// leave says that one of a user's connections has ended, and returns whether it was the last.
func (p *presence) leave(u User) (gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.here[u.Key()]
	if v.connections--; v.connections > 0 {
		return false
	}
	delete(p.here, u.Key())
	p.left[u.Key()] = time.Now()
	return true
}

// forget forgets since when people are gone whom no match concerns: a match that begins later counts from its beginning.
func (p *presence) forget(people ...match.Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range people {
		delete(p.left, k)
	}
}

// away says whether somebody is gone, and since when: the zero time if no match concerned them when they left, or if they
// have not been here since the club opened.
func (p *presence) away(o storage.Occupant) (since time.Time, gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left[match.KeyOf(o)], p.here[match.KeyOf(o)] == nil
}

// online says whether a player is here.
func (p *presence) online(id storage.PlayerID) bool {
	_, gone := p.away(storage.Occupant{Kind: storage.Person, ID: string(id)})
	return !gone
}

// count returns how many people are here.
func (p *presence) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.here)
}

// list returns how many people are here, and the first of them: players by name, then guests.
func (p *presence) list(most int) (count int, here []Present) {
	p.mu.Lock()
	here = make([]Present, 0, len(p.here))
	for _, v := range p.here {
		here = append(here, Present{v.user.Kind, v.user.Name})
	}
	p.mu.Unlock()
	slices.SortFunc(here, func(a, b Present) int {
		return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) // "player" before "guest"
	})
	return len(here), slices.Clone(here[:min(most, len(here))]) // readers keep it, and not all who are here with it
}

// Present is somebody who is here.
type Present struct {
	Kind storage.OccupantKind
	Name string
}
