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
//
// A player may have several wishes, such as one for each of several games. They get the fairest match of all, and then the other wishes are gone.
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

// MaxWishes is how many wishes a player may have.
const MaxWishes = 16

// A Want is what a player wants to play. Only players with wants that agree are paired.
type Want struct {
	Game    string // id
	Options string // complete, in one text
	Clock   clock.Setting
	Class   clock.Class // not NoClass: any clock of the class will do, and Clock says nothing
	Rated   bool
}

// kind returns what wants that agree have in common.
func (w Want) kind() Want {
	if w.Class == clock.NoClass {
		w.Class = w.Clock.Class()
	}
	w.Clock = clock.Setting{}
	return w
}

// Agree returns what two players would play; ok is false if their wants don't agree. Two who accept any clock of a class get its usual one.
func Agree(a, b Want) (both Want, ok bool) {
	switch {
	case a.kind() != b.kind():
		return Want{}, false
	case a.Class == clock.NoClass && b.Class == clock.NoClass:
		return a, a.Clock == b.Clock
	case a.Class == clock.NoClass:
		return a, true
	case b.Class == clock.NoClass:
		return b, true
	}
	a.Clock, a.Class = a.Class.Usual(), clock.NoClass
	return a, true
}

// A Wish is a Want with the strength of the player in that game.
type Wish struct {
	Want      Want
	Rating    float64
	Deviation float64 // of the rating
}

// A Seeker is a player who waits for a quick match.
type Seeker struct {
	Person match.Key
	Wish
	More   []Wish // besides Wish; each of another game, and at most MaxWishes in all. The pool only reads it
	Since  time.Time
	Anyone bool // the player accepts any opponent from the start

	// Tried holds the owners whose offers the search has already tried to take. It takes no other offer of theirs. The pool only reads it.
	Tried map[match.Key]bool
}

// wishes returns all wishes of a seeker, in the order of preference.
func (s Seeker) wishes() []Wish {
	all := append([]Wish{s.Wish}, s.More...)
	return all[:min(len(all), MaxWishes)]
}

// wants reports whether two seekers want the same.
func (s Seeker) wants(o Seeker) bool {
	return slices.EqualFunc(s.wishes(), o.wishes(), func(a, b Wish) bool { return a.Want == b.Want })
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
	Want  Want    // what they are to play; Class is NoClass
}

// Looking is the state of a player's search.
type Looking struct {
	From, To int // the lowest and the highest rating that the player would play now, of all wishes, in whole points; both 0: any
	Waited   time.Duration
	Others   int // other players whose wants agree with one of the player's, without blocked ones if at most countedExactly have a Want
}

// A waiting is a seeker in the pool.
type waiting struct {
	Seeker
	ticket Ticket
	wishes []*wish
	fresh  bool // no call of Pairs has passed the player over yet, so they have been shown no range
}

// A wish is one wish of a player in the pool.
type wish struct {
	Wish
	of *waiting
	at int // its place among the wishes of the player
}

// newWaiting returns a seeker with their wishes.
func newWaiting(s Seeker, t Ticket) *waiting {
	w := &waiting{Seeker: s, ticket: t, fresh: true}
	for at, one := range s.wishes() {
		w.wishes = append(w.wishes, &wish{Wish: one, of: w, at: at})
	}
	return w
}

// A Pool holds the players who wait. One goroutine may use it at a time.
type Pool struct {
	blocked func(a, b match.Key) bool
	owns    func(game string) bool
	last    Ticket
	tickets map[Ticket]*waiting
	people  map[match.Key]*waiting
	kinds   map[Want][]*wish // by their kinds, in the order of the tickets
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
	return &Pool{blocked: blocked, owns: owns, tickets: make(map[Ticket]*waiting), people: make(map[match.Key]*waiting), kinds: make(map[Want][]*wish)}
}

// Len returns how many players wait.
func (p *Pool) Len() int { return len(p.tickets) }

// Add adds a player and returns their ticket. A player waits only once: Add removes an earlier seeker of the same person and returns its ticket
// as replaced, 0 if there was none. If both want the same, the new one keeps the earlier Since. The error is ErrFull.
func (p *Pool) Add(s Seeker) (t, replaced Ticket, err error) {
	if old := p.people[s.Person]; old != nil {
		replaced = old.ticket
		if old.wants(s) && old.Since.Before(s.Since) {
			s.Since = old.Since
		}
		p.Remove(old.ticket)
	}
	if len(p.tickets) >= MaxSeekers {
		return 0, replaced, ErrFull
	}
	p.last++
	w := newWaiting(s, p.last)
	p.tickets[w.ticket], p.people[s.Person] = w, w
	for _, one := range w.wishes {
		k := one.Want.kind()
		p.kinds[k] = append(p.kinds[k], one)
	}
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
	for _, one := range w.wishes {
		k := one.Want.kind()
		same := slices.DeleteFunc(p.kinds[k], func(o *wish) bool { return o == one })
		if p.kinds[k] = same; len(same) == 0 {
			delete(p.kinds, k)
		}
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
	others := make(map[*waiting]bool)
	l.From = math.MaxInt
	for _, one := range w.wishes {
		same := p.kinds[one.Want.kind()]
		for _, other := range same {
			if _, ok := Agree(one.Want, other.Want); ok && other.of != w && (len(same) > countedExactly || !p.blocked(w.Person, other.of.Person)) {
				others[other.of] = true
			}
		}
		if reach := one.reach(now); reach < math.MaxFloat64 {
			l.From, l.To = min(l.From, max(int(math.Ceil(one.Rating-reach)), 0)), max(l.To, int(math.Floor(one.Rating+reach)))
		}
	}
	if l.Others = len(others); l.To == 0 {
		l.From = 0
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
	for want, same := range p.kinds {
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
		for _, w := range p.kinds[o.Want.kind()] {
			found = p.takings(found, now, w, i, o)
		}
	}
	slices.SortFunc(found, candidate.compare)
	var pairs []Pair
	taken := make(map[int]bool)
	for _, c := range found {
		a := p.tickets[c.a.of.ticket]
		var b *waiting
		if c.b != nil {
			b = c.b.of
		}
		switch {
		case a == nil, b != nil && p.tickets[b.ticket] == nil, b == nil && taken[c.offer]:
			continue
		case b == nil:
			taken[c.offer] = true
			pairs = append(pairs, Pair{A: a.ticket, Offer: c.offer, Gap: c.gap, Want: c.want})
			p.Remove(a.ticket)
			continue
		case b.Since.Before(a.Since):
			a, b = b, a
		}
		pairs = append(pairs, Pair{A: a.ticket, B: b.ticket, Gap: c.gap, Want: c.want})
		p.Remove(a.ticket)
		p.Remove(b.ticket)
	}
	for _, w := range p.tickets {
		w.fresh = false
	}
	return pairs
}

// Fairest returns the fairest pair of s, who is not in the pool, with a waiting player or an offer. A of the pair is 0. The player found stays
// in the pool. Unlike Pairs, it also looks at games that another pool owns. It leaves out players for whom without returns true; nil leaves out none.
func (p *Pool) Fairest(s Seeker, now time.Time, offers []Offer, without func(Ticket) bool) (pair Pair, ok bool) {
	var found []candidate
	for _, one := range newWaiting(s, 0).wishes {
		same := p.kinds[one.Want.kind()]
		if without != nil {
			same = slices.DeleteFunc(slices.Clone(same), func(w *wish) bool { return without(w.of.ticket) })
		}
		found = p.meetings(found, now, one, same)
		for i, o := range offers {
			found = p.takings(found, now, one, i, o)
		}
	}
	if len(found) == 0 {
		return Pair{}, false
	}
	c := slices.MinFunc(found, candidate.compare)
	pair = Pair{Offer: c.offer, Gap: c.gap, Want: c.want}
	if c.b != nil {
		pair.B = c.b.of.ticket
	}
	return pair, true
}

// meetings appends a candidate to to for each of others whom a may meet now.
func (p *Pool) meetings(to []candidate, now time.Time, a *wish, others []*wish) []candidate {
	for _, b := range others {
		want, agreed := Agree(a.Want, b.Want)
		if gap, ok := meet(a, b, now); agreed && ok && !p.blocked(a.of.Person, b.of.Person) {
			to = append(to, candidate{a: a, b: b, want: want, gap: gap, cost: cost(gap, now, a.of.Since, b.of.Since)})
		}
	}
	return to
}

// takings appends a candidate to to if w may take o now; place is the index of o.
func (p *Pool) takings(to []candidate, now time.Time, w *wish, place int, o Offer) []candidate {
	want, agreed := Agree(w.Want, o.Want)
	if gap, ok := w.takes(o, now); agreed && ok && !w.of.Tried[o.Person] && !p.blocked(w.of.Person, o.Person) {
		to = append(to, candidate{a: w, offer: place, want: want, gap: gap, cost: cost(gap, now, w.of.Since, o.Since)})
	}
	return to
}

// A candidate is a pair that may be made; b is nil if a would take an offer.
type candidate struct {
	a, b      *wish
	want      Want // what they would play
	offer     int  // its index, if b is nil
	gap, cost float64
}

// compare orders candidates by cost, then by tickets, the older ones first, and then by what the older player prefers.
func (c candidate) compare(d candidate) int {
	second := func(c candidate) Ticket {
		if c.b == nil {
			return 0
		}
		return c.b.of.ticket
	}
	return cmp.Or(cmp.Compare(c.cost, d.cost), cmp.Compare(c.a.of.ticket, d.a.of.ticket), cmp.Compare(second(c), second(d)), cmp.Compare(c.offer, d.offer), cmp.Compare(c.a.at, d.a.at))
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

// meet returns the gap between two players whose wants agree; ok reports whether they may be paired now.
func meet(a, b *wish, now time.Time) (gap float64, ok bool) {
	gap = math.Abs(a.Rating - b.Rating)
	return gap, a.of.Person != b.of.Person && a.accepts(gap, b.of.Since, now) && b.accepts(gap, a.of.Since, now)
}

// takes returns the gap between a player and the owner of an offer that agrees with a wish; ok reports whether the player may take it now.
func (w *wish) takes(o Offer, now time.Time) (gap float64, ok bool) {
	gap = math.Abs(w.Rating - o.Rating)
	return gap, w.of.Person != o.Person && InRange(o.Range, w.Rating) && w.accepts(gap, o.Since, now)
}

// InRange reports whether a rating, rounded to whole points, is within r, bounds included. The zero range includes all ratings.
func InRange(r [2]int, rating float64) bool {
	return r == [2]int{} || math.Round(rating) >= float64(r[0]) && math.Round(rating) <= float64(r[1])
}

// accepts reports whether a player would play an opponent at this gap who has waited since then.
func (w *wish) accepts(gap float64, since, now time.Time) bool {
	return gap <= w.reach(now) || w.of.fresh && waited(since, now) >= Patience
}

// reach returns how far from their own rating a player looks at the time now, in points; math.MaxFloat64 for any opponent.
func (w *wish) reach(now time.Time) float64 {
	t := waited(w.of.Since, now)
	if w.of.Anyone || t >= Patience {
		return math.MaxFloat64
	}
	return min(max(w.Deviation, LeastReach), MostReach) + Widening*t.Seconds()
}

// waited returns how long a player who came at since has waited; never below 0.
func waited(since, now time.Time) time.Duration { return max(now.Sub(since), 0) }
