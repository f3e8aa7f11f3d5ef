// Package pairing says who plays whom in quick matches: it knows who waits, how far from their own strength each of them looks by now,
// and which pairs are the fairest. It has no goroutine and no clock of its own: callers hand in the time.
//
// Strength is in rating points. A player looks for opponents within a reach of their own rating, which grows with the time that the
// player has waited, and never shrinks. Two who wait are paired when each is within the reach of the other. Of all such pairs the one with
// the smallest cost comes first: the gap between the ratings, less so many points for each second that the two have waited. So the
// nearest opponent wins among those who have just come, and anybody who waits is worth more with every second than one who comes later:
// a player can be passed over only by those who came within the time that makes up for the widest gap.
//
// A player far from all others would still wait for ever where many come and go, because each of those finds somebody nearer before their
// own reach is wide enough. So a player whose reach has grown to everybody may be given to one who has only just come and has been told no
// range yet.
package pairing

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
)

// How the reach grows.
const (
	LeastReach = 100.0             // of a player whose rating is well known, in points, at first
	MostReach  = 350.0             // of a newcomer, at first
	Widening   = 10.0              // how many points it grows a second
	Patience   = 120 * time.Second // after it a player looks for anybody
	Worth      = 10.0              // how many points a second of waiting makes up for, of either player
)

// MaxSeekers is how many people may wait at a time.
const MaxSeekers = 2000

// countedExactly is among how many who want the same those are counted who may meet a person. Among more each of them counts: to ask of every two
// takes too long, and one more or less makes no difference.
const countedExactly = 32

// ErrFull is returned when MaxSeekers wait already.
var ErrFull = errors.New("too many look for a quick match")

// A Want is what somebody wants to play. Only those who want the same are paired.
type Want struct {
	Game    string // id
	Options string // complete, in one text
	Clock   clock.Setting
	Rated   bool
}

// A Seeker is a person who waits for a quick match.
type Seeker struct {
	Person    match.Key
	Want      Want
	Rating    float64
	Deviation float64 // of the rating
	Since     time.Time
	Anyone    bool // the person looks for anybody from the start

	// Tried are the people of whom the search has taken an offer that came to nothing: it takes no other of theirs. The pool reads it alone.
	Tried map[match.Key]bool
}

// An Offer is an open match of somebody, which waits beside those who look for one.
type Offer struct {
	Person match.Key
	Want   Want
	Rating float64
	Range  [2]int // the least and the highest rating of who may take it; zero: any
	Since  time.Time
}

// A Ticket names somebody who waits. No two ever have the same.
type Ticket uint64

// A Pair is two who play each other. They wait no more.
type Pair struct {
	A, B  Ticket // A has waited longer; B is 0 if the other one is an offer
	Offer int    // its place among the offers, if B is 0
	Gap   float64
}

// Looking is how far somebody has come.
type Looking struct {
	From, To int // the ratings of those whom the person would play now, in whole points; both 0: everybody
	Waited   time.Duration
	Others   int // how many others want the same; without those who are not to meet the person, unless they are many
}

// A waiting is a seeker in the pool.
type waiting struct {
	Seeker
	ticket Ticket
	fresh  bool // the person has just come: nothing was said of a range
}

// A Pool is those who wait. One goroutine may use it at a time.
type Pool struct {
	blocked func(a, b match.Key) bool
	owns    func(game string) bool
	last    Ticket
	tickets map[Ticket]*waiting
	people  map[match.Key]*waiting
	wants   map[Want][]*waiting // those who want the same, in the order of their tickets
}

// New returns a pool in which nobody waits. blocked reports whether two people are never to meet, whichever of them wants it so; nil: none are.
// owns reports whether the pool pairs people for a game now: of several pools with the same people one does; nil: it always does.
func New(blocked func(a, b match.Key) bool, owns func(game string) bool) *Pool {
	if blocked == nil {
		blocked = func(a, b match.Key) bool { return false }
	}
	if owns == nil {
		owns = func(string) bool { return true }
	}
	return &Pool{blocked: blocked, owns: owns, tickets: make(map[Ticket]*waiting), people: make(map[match.Key]*waiting), wants: make(map[Want][]*waiting)}
}

// Len is how many wait.
func (p *Pool) Len() int { return len(p.tickets) }

// Add takes in somebody. A person waits once: their search before, if there was one, ends, and replaced names it; if it was for the same,
// the time that they have waited counts. The error is ErrFull.
func (p *Pool) Add(s Seeker) (t, replaced Ticket, err error) {
	if old := p.people[s.Person]; old != nil {
		replaced = old.ticket
		if old.Want == s.Want && old.Since.Before(s.Since) {
			s.Since = old.Since
		}
		p.Remove(old.ticket)
	}
	if len(p.tickets) >= MaxSeekers {
		return 0, replaced, ErrFull
	}
	p.last++
	w := &waiting{Seeker: s, ticket: p.last, fresh: true}
	p.tickets[w.ticket], p.people[s.Person] = w, w
	p.wants[s.Want] = append(p.wants[s.Want], w)
	return w.ticket, replaced, nil
}

// Remove takes somebody out, if they still wait.
func (p *Pool) Remove(t Ticket) {
	w := p.tickets[t]
	if w == nil {
		return
	}
	delete(p.tickets, t)
	delete(p.people, w.Person)
	same := slices.DeleteFunc(p.wants[w.Want], func(o *waiting) bool { return o == w })
	if p.wants[w.Want] = same; len(same) == 0 {
		delete(p.wants, w.Want)
	}
}

// Seeker returns what is known of somebody who waits.
func (p *Pool) Seeker(t Ticket) (Seeker, bool) {
	w := p.tickets[t]
	if w == nil {
		return Seeker{}, false
	}
	return w.Seeker, true
}

// Looking returns how far somebody who waits has come; ok is false if they don't.
func (p *Pool) Looking(t Ticket, now time.Time) (l Looking, ok bool) {
	w := p.tickets[t]
	if w == nil {
		return Looking{}, false
	}
	l = Looking{Waited: waited(w.Since, now)}
	same := p.wants[w.Want]
	for _, other := range same {
		if other != w && (len(same) > countedExactly || !p.blocked(w.Person, other.Person)) {
			l.Others++
		}
	}
	if reach := w.reach(now); reach < math.MaxFloat64 {
		l.From, l.To = max(int(math.Ceil(w.Rating-reach)), 0), int(math.Floor(w.Rating+reach))
	}
	return l, true
}

// Of returns the ticket of a person who waits; 0 if the person doesn't.
func (p *Pool) Of(person match.Key) Ticket {
	if w := p.people[person]; w != nil {
		return w.ticket
	}
	return 0
}

// Pairs finds the pairs at a time among those who wait and the offers, the fairest first, and takes the people out who are in one. An
// offer, and a person, is in one pair at most. A person who is in none is fresh no more. Games that another pool owns have no pairs here.
func (p *Pool) Pairs(now time.Time, offers []Offer) []Pair {
	var found []candidate
	owned := make(map[string]bool)
	for want, same := range p.wants {
		if owned[want.Game] = p.owns(want.Game); !owned[want.Game] {
			continue
		}
		for i, a := range same {
			found = p.meetings(found, now, a, same[i+1:])
		}
	}
	for i, o := range offers {
		if !owned[o.Want.Game] {
			continue
		}
		for _, w := range p.wants[o.Want] {
			found = p.takings(found, now, w, i, o)
		}
	}
	slices.SortFunc(found, candidate.compare)
	var pairs []Pair
	taken := make(map[int]bool)
	for _, c := range found {
		a, b := p.tickets[c.a.ticket], c.b
		switch {
		case a == nil, b != nil && p.tickets[b.ticket] == nil, b == nil && taken[c.offer]:
			continue
		case b == nil:
			taken[c.offer] = true
			pairs = append(pairs, Pair{A: a.ticket, Offer: c.offer, Gap: c.gap})
			p.Remove(a.ticket)
			continue
		case b.Since.Before(a.Since):
			a, b = b, a
		}
		pairs = append(pairs, Pair{A: a.ticket, B: b.ticket, Gap: c.gap})
		p.Remove(a.ticket)
		p.Remove(b.ticket)
	}
	for _, w := range p.tickets {
		w.fresh = false
	}
	return pairs
}

// Fairest finds who of those who wait, or which of the offers, is the fairest for a person who doesn't wait. A of the pair is 0. Who is found
// still waits. It finds people and offers of all games, whichever pool owns them.
func (p *Pool) Fairest(s Seeker, now time.Time, offers []Offer) (pair Pair, ok bool) {
	w := &waiting{Seeker: s, fresh: true}
	found := p.meetings(nil, now, w, p.wants[s.Want])
	for i, o := range offers {
		if o.Want == s.Want {
			found = p.takings(found, now, w, i, o)
		}
	}
	if len(found) == 0 {
		return Pair{}, false
	}
	c := slices.MinFunc(found, candidate.compare)
	pair = Pair{Offer: c.offer, Gap: c.gap}
	if c.b != nil {
		pair.B = c.b.ticket
	}
	return pair, true
}

// meetings adds those of some people whom a person may meet now.
func (p *Pool) meetings(to []candidate, now time.Time, a *waiting, others []*waiting) []candidate {
	for _, b := range others {
		if gap, ok := meet(a, b, now); ok && !p.blocked(a.Person, b.Person) {
			to = append(to, candidate{a: a, b: b, gap: gap, cost: cost(gap, now, a.Since, b.Since)})
		}
	}
	return to
}

// takings adds an offer, by its place, if a person may take it now.
func (p *Pool) takings(to []candidate, now time.Time, w *waiting, place int, o Offer) []candidate {
	if gap, ok := w.takes(o, now); ok && !w.Tried[o.Person] && !p.blocked(w.Person, o.Person) {
		to = append(to, candidate{a: w, offer: place, gap: gap, cost: cost(gap, now, w.Since, o.Since)})
	}
	return to
}

// A candidate is two who may meet; b is nil if the other one is an offer.
type candidate struct {
	a, b      *waiting
	offer     int
	gap, cost float64
}

// compare is below 0 if c comes first: by cost, then by who came first.
func (c candidate) compare(d candidate) int {
	second := func(c candidate) Ticket {
		if c.b == nil {
			return 0
		}
		return c.b.ticket
	}
	return cmp.Or(cmp.Compare(c.cost, d.cost), cmp.Compare(c.a.ticket, d.a.ticket), cmp.Compare(second(c), second(d)), cmp.Compare(c.offer, d.offer))
}

// Fairer is below 0 if a person with a rating is better paired with a than with b, by their gaps and how long they have waited.
func Fairer(rating float64, now time.Time, a, b Offer) int {
	return cmp.Or(cmp.Compare(cost(math.Abs(rating-a.Rating), now, now, a.Since), cost(math.Abs(rating-b.Rating), now, now, b.Since)),
		a.Since.Compare(b.Since))
}

// cost is how unfair a pair is, in points: the smaller the better.
func cost(gap float64, now, a, b time.Time) float64 {
	return gap - Worth*(waited(a, now)+waited(b, now)).Seconds()
}

// meet returns the gap between two who want the same, and whether they may be paired now.
func meet(a, b *waiting, now time.Time) (gap float64, ok bool) {
	gap = math.Abs(a.Rating - b.Rating)
	return gap, a.Person != b.Person && a.accepts(gap, b.Since, now) && b.accepts(gap, a.Since, now)
}

// takes returns the gap between a person and the owner of an offer that they want, and whether the person may take it now.
func (w *waiting) takes(o Offer, now time.Time) (gap float64, ok bool) {
	gap = math.Abs(w.Rating - o.Rating)
	return gap, w.Person != o.Person && InRange(o.Range, w.Rating) && w.accepts(gap, o.Since, now)
}

// InRange reports whether somebody with a rating may take an offer for some ratings alone; the zero range is all.
func InRange(r [2]int, rating float64) bool {
	return r == [2]int{} || math.Round(rating) >= float64(r[0]) && math.Round(rating) <= float64(r[1])
}

// accepts reports whether a person would play one who is so far away and has waited since then.
func (w *waiting) accepts(gap float64, since, now time.Time) bool {
	return gap <= w.reach(now) || w.fresh && waited(since, now) >= Patience
}

// reach is how far from their own rating a person looks, in points.
func (w *waiting) reach(now time.Time) float64 {
	t := waited(w.Since, now)
	if w.Anyone || t >= Patience {
		return math.MaxFloat64
	}
	return min(max(w.Deviation, LeastReach), MostReach) + Widening*t.Seconds()
}

// waited is how long somebody has waited who came at since.
func waited(since, now time.Time) time.Duration { return max(now.Sub(since), 0) }
