package lobby

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"ludoteca/storage"
)

// presence knows who is here, and since when those are gone for whom a match waits.
type presence struct {
	mu   sync.Mutex // guards what follows
	here map[key]*visitor
	left map[key]time.Time
}

type visitor struct {
	who   Who
	times int // connections
}

func (p *presence) init() { p.here, p.left = make(map[key]*visitor), make(map[key]time.Time) }

// Enter says that who is here, until leave is called. A person may be here several times. leave may be called again.
func (l *Lobby) Enter(who Who) (leave func()) {
	l.presence.come(who)
	l.matches.wake(who.key())
	l.lists.noteHere()
	var once sync.Once
	return func() {
		once.Do(func() {
			l.presence.depart(who)
			if !l.matches.concern(who.key()) { // asked after he is known to be gone: a match that ends meanwhile forgets him
				l.presence.forget(who.key())
			}
			l.matches.wake(who.key())
			l.lists.noteHere()
		})
	}
}

func (p *presence) come(who Who) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.here[who.key()]
	if v == nil {
		v = &visitor{who: who}
		p.here[who.key()] = v
	}
	v.times++
	delete(p.left, who.key())
}

func (p *presence) depart(who Who) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.here[who.key()]
	if v.times--; v.times > 0 {
		return
	}
	delete(p.here, who.key())
	p.left[who.key()] = time.Now()
}

// forget drops since when those are gone whom no match concerns: one that begins later counts from its beginning.
func (p *presence) forget(people ...key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range people {
		delete(p.left, k)
	}
}

// away says whether somebody is gone, and since when: the zero time if no match waited for him when he left, or if he has not
// been here since the club opened.
func (p *presence) away(o storage.Occupant) (since time.Time, gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left[keyOf(o)], p.here[keyOf(o)] == nil
}

// online says whether a player is here.
func (p *presence) online(id storage.PlayerID) bool {
	_, gone := p.away(storage.Occupant{Kind: storage.Person, ID: string(id)})
	return !gone
}

// list returns how many people are here, and the first of them: players by name, then guests.
func (p *presence) list(most int) (count int, here []Present) {
	p.mu.Lock()
	here = make([]Present, 0, len(p.here))
	for _, v := range p.here {
		here = append(here, Present{v.who.Kind, v.who.Name})
	}
	p.mu.Unlock()
	slices.SortFunc(here, func(a, b Present) int {
		return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) // "player" before "guest"
	})
	return len(here), slices.Clone(here[:min(most, len(here))]) // readers keep it, and not all who are here with it
}
