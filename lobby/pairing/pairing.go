// Package pairing pairs players for quick matches: a Pool holds the players who wait and finds the fairest pairs among them. It has no
// goroutine and no clock of its own: callers pass the time.
//
// Strength is in rating points. A player looks for opponents within a reach of their own rating. The reach grows with the time waited and
// never shrinks. Two players are paired when each is within the reach of the other. Of all such pairs the one with the lowest cost comes
// first: the gap between the two ratings, less Worth points for each second that either player has waited. Among new arrivals the nearest
// opponent wins. A long wait makes up for a wide gap, so only players who arrived within a bounded time can overtake one who waits.
//
// In a busy pool a player far from all others would still wait for ever, because every newcomer finds a nearer opponent before the
// newcomer's own reach is wide enough. So a player who has waited for Patience may be paired with any newcomer who has not been shown
// a range yet.
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

// The reach and its growth, in rating points.
const (
	LeastReach = 100.0             // initial reach of a player whose rating is well known
	MostReach  = 350.0             // initial reach of a newcomer
	Widening   = 10.0              // growth of the reach a second
	Patience   = 120 * time.Second // a player who has waited this long accepts any opponent
	Worth      = 10.0              // points of gap that one second of waiting by either player makes up for
)

// MaxSeekers is how many players may wait at a time.
const MaxSeekers = 2000

// countedExactly bounds the exact count in Looking.Others. If more players than that share a Want, blocked ones are counted too: checking each
// pair takes too long, and one more or less makes no difference.
const countedExactly = 32

// ErrFull means that MaxSeekers players wait already.
var ErrFull = errors.New("too many look for a quick match")

// A Want is what a player wants to play. Only players with equal wants are paired.
type Want struct {
	Game    string // id
	Options string // complete, in one text
	Clock   clock.Setting
	Rated   bool
}

// A Seeker is a player who waits for a quick match.
type Seeker struct {
	Person    match.Key
	Want      Want
	Rating    float64
	Deviation float64 // of the rating
	Since     time.Time
	Anyone    bool // the player accepts any opponent from the start

	// Tried holds the owners whose offers the search has already tried to take. It takes no other offer of theirs. The pool only reads it.
	Tried map[match.Key]bool
}

// An Offer is an open match that a seeker may take.
type Offer struct {
	Person match.Key // its owner
	Want   Want
	Rating float64 // of the owner
	Range  [2]int  // the lowest and the highest rating that may take it; zero: any
	Since  time.Time
}

// A Ticket identifies one wait of a player in a pool. A pool issues each ticket once.
type Ticket uint64

// A Pair is two players who are to play each other, or a player and an offer.
type Pair struct {
	A, B  Ticket  // A has waited longer; B is 0 if the player takes an offer
	Offer int     // the index of the offer, if B is 0
	Gap   float64 // between the ratings, in points
}

// Looking is the state of a player's search.
type Looking struct {
	From, To int // the ratings that the player would play now, in whole points; both 0: any
	Waited   time.Duration
	Others   int // other players with the same Want, without blocked ones if at most countedExactly share it
}

// A waiting is a seeker in the pool.
type waiting struct {
	Seeker
	ticket Ticket
	fresh  bool // no call of Pairs has passed the player over yet, so they have been shown no range
}

// A Pool holds the players who wait. One goroutine may use it at a time.
type Pool struct {
	blocked func(a, b match.Key) bool
	owns    func(game string) bool
	last    Ticket
	tickets map[Ticket]*waiting
	people  map[match.Key]*waiting
	wants   map[Want][]*waiting // in the order of their tickets
}

// New returns an empty pool. blocked reports whether two players must not be paired, in either order; nil means that no two are blocked.
// owns reports whether this pool pairs players for a game at the moment: where several pools hold the same players, one of them owns each
// game. nil means that the pool owns every game.
func New(blocked func(a, b match.Key) bool, owns func(game string) bool) *Pool {
	if blocked == nil {
		blocked = func(a, b match.Key) bool { return false }
	}
	if owns == nil {
		owns = func(string) bool { return true }
	}
	return &Pool{blocked: blocked, owns: owns, tickets: make(map[Ticket]*waiting), people: make(map[match.Key]*waiting), wants: make(map[Want][]*waiting)}
}

// Len returns how many players wait.
func (p *Pool) Len() int { return len(p.tickets) }

// Add adds a player and returns their ticket. A player waits only once: Add removes an earlier seeker of the same person and returns its ticket
// as replaced, 0 if there was none. If both have the same Want, the new one keeps the earlier Since. The error is ErrFull.
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

// Remove removes a player. It does nothing if the player no longer waits.
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

// Seeker returns the seeker with a ticket; ok is false if the player no longer waits.
func (p *Pool) Seeker(t Ticket) (s Seeker, ok bool) {
	w := p.tickets[t]
	if w == nil {
		return Seeker{}, false
	}
	return w.Seeker, true
}

// Looking returns the state of a player's search at the time now; ok is false if the player no longer waits.
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

// Of returns the ticket of a person; 0 if they don't wait.
func (p *Pool) Of(person match.Key) Ticket {
	if w := p.people[person]; w != nil {
		return w.ticket
	}
	return 0
}

// Pairs returns the pairs among waiting players and offers at the time now, the fairest first, and removes the paired players from the pool. A
// player or an offer is in at most one pair. Only games that this pool owns are paired. Players who stay in the pool are no longer fresh.
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

// Fairest returns the fairest pair of s, who is not in the pool, with a waiting player or an offer. A of the pair is 0. The player found stays
// in the pool. Unlike Pairs, it also looks at games that another pool owns.
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

// meetings appends a candidate to to for each of others whom a may meet now.
func (p *Pool) meetings(to []candidate, now time.Time, a *waiting, others []*waiting) []candidate {
	for _, b := range others {
		if gap, ok := meet(a, b, now); ok && !p.blocked(a.Person, b.Person) {
			to = append(to, candidate{a: a, b: b, gap: gap, cost: cost(gap, now, a.Since, b.Since)})
		}
	}
	return to
}

// takings appends a candidate to to if w may take o now; place is the index of o.
func (p *Pool) takings(to []candidate, now time.Time, w *waiting, place int, o Offer) []candidate {
	if gap, ok := w.takes(o, now); ok && !w.Tried[o.Person] && !p.blocked(w.Person, o.Person) {
		to = append(to, candidate{a: w, offer: place, gap: gap, cost: cost(gap, now, w.Since, o.Since)})
	}
	return to
}

// A candidate is a pair that may be made; b is nil if a would take an offer.
type candidate struct {
	a, b      *waiting
	offer     int // its index, if b is nil
	gap, cost float64
}

// compare orders candidates by cost, then by tickets, the older ones first.
func (c candidate) compare(d candidate) int {
	second := func(c candidate) Ticket {
		if c.b == nil {
			return 0
		}
		return c.b.ticket
	}
	return cmp.Or(cmp.Compare(c.cost, d.cost), cmp.Compare(c.a.ticket, d.a.ticket), cmp.Compare(second(c), second(d)), cmp.Compare(c.offer, d.offer))
}

// Fairer orders two offers for a player with this rating: it is below 0 if a is the fairer one. It compares their costs, then their ages.
func Fairer(rating float64, now time.Time, a, b Offer) int {
	return cmp.Or(cmp.Compare(cost(math.Abs(rating-a.Rating), now, now, a.Since), cost(math.Abs(rating-b.Rating), now, now, b.Since)),
		a.Since.Compare(b.Since))
}

// cost returns how unfair a pair is, in points, less what the waits since a and b make up for. Lower is better.
func cost(gap float64, now, a, b time.Time) float64 {
	return gap - Worth*(waited(a, now)+waited(b, now)).Seconds()
}

// meet returns the gap between two players with the same Want; ok reports whether they may be paired now.
func meet(a, b *waiting, now time.Time) (gap float64, ok bool) {
	gap = math.Abs(a.Rating - b.Rating)
	return gap, a.Person != b.Person && a.accepts(gap, b.Since, now) && b.accepts(gap, a.Since, now)
}

// takes returns the gap between a player and the owner of an offer with the same Want; ok reports whether the player may take it now.
func (w *waiting) takes(o Offer, now time.Time) (gap float64, ok bool) {
	gap = math.Abs(w.Rating - o.Rating)
	return gap, w.Person != o.Person && InRange(o.Range, w.Rating) && w.accepts(gap, o.Since, now)
}

// InRange reports whether a rating, rounded to whole points, is within r, bounds included. The zero range includes all ratings.
func InRange(r [2]int, rating float64) bool {
	return r == [2]int{} || math.Round(rating) >= float64(r[0]) && math.Round(rating) <= float64(r[1])
}

// accepts reports whether a player would play an opponent at this gap who has waited since then.
func (w *waiting) accepts(gap float64, since, now time.Time) bool {
	return gap <= w.reach(now) || w.fresh && waited(since, now) >= Patience
}

// reach returns how far from their own rating a player looks at the time now, in points; math.MaxFloat64 for any opponent.
func (w *waiting) reach(now time.Time) float64 {
	t := waited(w.Since, now)
	if w.Anyone || t >= Patience {
		return math.MaxFloat64
	}
	return min(max(w.Deviation, LeastReach), MostReach) + Widening*t.Seconds()
}

// waited returns how long a player who came at since has waited; never below 0.
func waited(since, now time.Time) time.Duration { return max(now.Sub(since), 0) }
