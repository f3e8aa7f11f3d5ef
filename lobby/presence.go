package lobby

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"ludoteca/storage"
)

// presence knows who is here, and since when those are gone who were here a short while ago.
type presence struct {
	mu   sync.Mutex // guards what follows
	here map[key]*visitor
	left map[key]time.Time
	tidy int // size of left at which those who are long gone are forgotten
}

type visitor struct {
	who   Who
	times int // connections
}

// rememberLeft is how many of those who left are remembered at least. Forgetting one is harmless when he has been
// gone for longer than anybody waits.
const rememberLeft = 1000

func (p *presence) init() {
	p.here, p.left, p.tidy = make(map[key]*visitor), make(map[key]time.Time), rememberLeft
}

// Enter says that who is here, until leave is called. A person may be here several times. leave may be called again.
func (l *Lobby) Enter(who Who) (leave func()) {
	l.presence.come(who)
	l.matches.wake(who.key())
	l.lists.noteHere()
	var once sync.Once
	return func() {
		once.Do(func() {
			l.presence.depart(who, max(l.limits.AwayGuest, l.limits.AwayOffer))
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

func (p *presence) depart(who Who, patience time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.here[who.key()]
	if v.times--; v.times > 0 {
		return
	}
	delete(p.here, who.key())
	now := time.Now()
	if len(p.left) >= p.tidy {
		for k, at := range p.left {
			if now.Sub(at) > patience {
				delete(p.left, k)
			}
		}
		p.tidy = max(rememberLeft, 2*len(p.left)) // so that a crowd that leaves at once is not looked through at each
	}
	p.left[who.key()] = now
}

// away says whether somebody is gone, and since when: the zero time if that is long ago, or if he has not been here
// since the club opened.
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
	for _, v := range p.here {
		here = append(here, Present{v.who.Kind, v.who.Name})
	}
	p.mu.Unlock()
	slices.SortFunc(here, func(a, b Present) int {
		return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) // "player" before "guest"
	})
	return len(here), here[:min(most, len(here)):min(most, len(here))]
}
