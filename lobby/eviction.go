package lobby

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// # Room
//
// How many matches one person may have, how many the club may, and which end to make room for others when it is full.

// reserve is Lobby.reserve for a user who comes from an address and may have so many matches at most.
func (x *index) reserve(u User, from netip.Addr, c pending, most int, now time.Time) (release func(), err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	k := u.Key()
	x.setHome(k, from)
	defer x.forgetHome(k) // if it is refused
	have := x.pending[k]
	have.exhibitions += x.exhibitions[k]
	for _, e := range x.people[k] {
		if _, seated := e.summary.Side(u); !seated {
			continue
		}
		have.matches++
		if e.summary.Started.IsZero() {
			have.offers++
		}
		if e.summary.OpenChallenge() {
			have.challenges++
		}
	}
	if err := x.mayChallenge(u, c, have.challenges); err != nil {
		return nil, err
	}
	switch {
	case c.matches > 0 && have.matches+c.matches > most,
		c.offers > 0 && have.offers+c.offers > x.limits.Now().OpenOffers,
		c.exhibitions > 0 && have.exhibitions+c.exhibitions > x.limits.Now().Exhibitions:
		return nil, ErrTooMany
	case c.opened > 0 && len(x.matches)-x.evicting+x.opening+c.opened > x.limits.Now().Matches && !x.evict(now, x.shareOf(k, have.matches)):
		return nil, ErrFull
	}
	x.count(k, c, 1)
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.count(k, c, -1)
	}, nil
}

// count adds n times c to what somebody is about to begin.
func (x *index) count(k match.Key, c pending, n int) {
	x.opening += n * c.opened
	now := x.pending[k]
	now.matches += n * c.matches
	now.offers += n * c.offers
	now.exhibitions += n * c.exhibitions
	now.opened += n * c.opened
	now.challenges += n * c.challenges
	if c.challenges > 0 {
		if x.challenging[c.to] += n; x.challenging[c.to] == 0 {
			delete(x.challenging, c.to)
		}
	}
	if x.pending[k] = now; now == (pending{}) {
		delete(x.pending, k)
		x.forgetHome(k)
	}
}

// # Shares
//
// How much of the club a person takes is counted by account and by the blocks of addresses that the person comes from, whichever is
// more: or many accounts of one person would be many people with a few matches each. A block may stand for behindOneIP people times its
// weight, so that a household or a school is not taken for one person. Addresses are known in memory alone, of people with matches, as
// they last came. After a restart an account counts by what the store keeps of the widest block that it came from, until it is back: the
// same block may count twice then, for those who are back and for those who are not. Guests are gone with their connections.

// A home is a block of addresses that somebody comes from.
type home struct {
	origin.Block
	hash string // of people who have not been back since the start: the salted hash of the block, whose addresses nobody knows
}

// homesOf returns the blocks of an address.
func homesOf(addr netip.Addr) (homes []home) {
	for _, b := range origin.Blocks(addr) {
		homes = append(homes, home{Block: b})
	}
	return homes
}

// keptHome returns the newest block among the visits of a player, the newest first; false if there is none.
func keptHome(visits []storage.Visit) (home, bool) {
	i := slices.IndexFunc(visits, func(v storage.Visit) bool { return !v.IsKey() })
	if i < 0 {
		return home{}, false
	}
	v := visits[i]
	if p, err := netip.ParsePrefix(v.From); err == nil {
		return home{Block: origin.Widest(p.Addr())}, true
	}
	some := netip.IPv4Unspecified()
	if v.IsHashOfIPv6() {
		some = netip.IPv6Unspecified()
	}
	return home{Block: origin.Block{Weight: origin.Widest(some).Weight}, hash: v.From}, true
}

// readHomes takes in where the people with matches came from before the club was started. Without it they count by account alone.
func (l *Lobby) readHomes(ctx context.Context) error {
	for _, k := range l.index.accounts() {
		visits, err := l.store.Visits(ctx, storage.PlayerID(k.ID))
		switch {
		case errors.Is(err, storage.ErrDamaged):
			l.log.Error("where a player came from is damaged", "player", k.ID, "err", err)
		case err != nil:
			return fmt.Errorf("lobby: where players came from: %w", err)
		}
		if h, ok := keptHome(visits); ok {
			l.index.cameFrom(k, h)
		}
	}
	return nil
}

// accounts returns all players with matches.
func (x *index) accounts() (all []match.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for k := range x.people {
		if k.Kind == storage.Person {
			all = append(all, k)
		}
	}
	return all
}

// cameFrom is comeFrom of somebody who is not back yet.
func (x *index) cameFrom(k match.Key, h home) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.setHomes(k, []home{h})
	x.forgetHome(k)
}

// A share is how many matches a person has.
type share struct {
	weighed int // by account or by block of addresses, whichever is more
	account int
}

// compare is below 0 if s is less than t.
func (s share) compare(t share) int {
	return cmp.Or(cmp.Compare(s.weighed, t.weighed), cmp.Compare(s.account, t.account))
}

// shareOf returns the share of somebody whose account has so many matches.
func (x *index) shareOf(k match.Key, account int) share {
	s := share{account, account}
	for _, h := range x.homes[k] {
		s.weighed = max(s.weighed, x.behind[h]/(behindOneIP*h.Weight))
	}
	return s
}

// comeFrom notes where somebody comes from who has matches.
func (x *index) comeFrom(k match.Key, addr netip.Addr) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.setHome(k, addr)
	x.forgetHome(k)
}

// setHome notes where somebody comes from, and counts their matches there. An address that is not known changes nothing.
func (x *index) setHome(k match.Key, addr netip.Addr) {
	if addr.IsValid() {
		x.setHomes(k, homesOf(addr))
	}
}

func (x *index) setHomes(k match.Key, homes []home) {
	if slices.Equal(homes, x.homes[k]) {
		return
	}
	n := len(x.people[k])
	x.countBehind(k, -n)
	x.homes[k] = homes
	x.countBehind(k, n)
}

// forgetHome forgets where somebody comes from who has no matches and is about to begin none.
func (x *index) forgetHome(k match.Key) {
	if x.people[k] == nil && x.pending[k] == (pending{}) {
		delete(x.homes, k)
	}
}

// countBehind adds n matches to the blocks that somebody comes from.
func (x *index) countBehind(k match.Key, n int) {
	for _, h := range x.homes[k] {
		if x.behind[h] += n; x.behind[h] == 0 {
			delete(x.behind, h)
		}
	}
}

// # Which matches go first
//
// Nobody who has a few matches may lose one because others have many. So the matches of people with more than fewMatches go
// before all others. Of these, and then of those, the order is: offers that nobody has taken; matches in which one person is
// alone, with a computer player or at one keyboard; matches between two people. Among equals those go first whose people have
// the largest shares (of two people, the one with the smaller counts), and then those in which nothing has happened for longest.
//
// A match between two people is never touched within Limits.EvictAfter of a move, and within fewFactor times as long if one of
// them has few. Offers and matches of one person alone stay for Limits.EvictAloneAfter if that person has few, and else for a
// moment only: or people who fill the club could keep everybody out for a while. Nothing goes that somebody looks at, and nobody
// makes a match go whose people have a smaller share than they have themselves.

// fewMatches is how large a share anybody may have without being the first to lose a match.
const fewMatches = 3

const (
	fewFactor = 10
	moment    = 10 * time.Second
)

// A candidate is a match that may be evicted.
type candidate struct {
	entry   *entry
	summary *match.Summary // the entry's, when it became a candidate
	few     bool           // one of its people has few matches
	kind    int            // 0: an offer, 1: one person is alone, 2: between people
	share   share          // of its people, the smaller one
}

// compare is below 0 if a goes before b.
func (a candidate) compare(b candidate) int {
	switch {
	case a.few != b.few:
		return falseFirst(a.few, b.few)
	case a.kind != b.kind:
		return a.kind - b.kind
	case a.share != b.share:
		return b.share.compare(a.share)
	}
	return a.summary.LastAt.Compare(b.summary.LastAt)
}

// candidate returns a match as a candidate; false if it must stay.
func (x *index) candidate(e *entry, now time.Time) (candidate, bool) {
	s := e.summary
	c := candidate{entry: e, summary: s, kind: 2}
	for _, o := range s.Seats {
		if o.Kind != storage.Person && o.Kind != storage.Guest {
			continue
		}
		k := match.KeyOf(o)
		if s := x.shareOf(k, len(x.people[k])); c.share == (share{}) || s.compare(c.share) < 0 {
			c.share = s
		}
	}
	if c.few = c.share.weighed <= fewMatches; c.share == (share{}) { // between two computer players
		c.few, c.share.weighed = false, math.MaxInt
	}
	switch {
	case s.Started.IsZero():
		c.kind = 0
	case s.HasBot() || match.SameUser(s.Seats):
		c.kind = 1
	}
	var patience time.Duration
	switch {
	case c.kind == 2 && c.few:
		patience = fewFactor * x.limits.Now().EvictAfter
	case c.kind == 2:
		patience = x.limits.Now().EvictAfter
	case c.few:
		patience = x.limits.Now().EvictAloneAfter
	default:
		patience = min(moment, x.limits.Now().EvictAloneAfter)
	}
	return c, !e.evicting && now.Sub(s.LastAt) >= patience && (e.match == nil || !e.match.Watched())
}

// A search looks at all matches, a few milliseconds in a full club. It finds some candidates for later, too, but not for long: what has
// just been opened goes first a moment later. When a search finds none, the next one waits.
const (
	candidatesAtOnce = 16
	searchEvery      = time.Second
)

// A vain is a search that found nothing.
type vain struct {
	at   time.Time
	have share // of those for whom it was
}

// evict has the match end that goes first for somebody with a share, and returns false if none may go.
func (x *index) evict(now time.Time, have share) bool {
	if since := now.Sub(x.searched); since < 0 || since >= searchEvery {
		x.candidates = nil
	}
	for searched := false; ; searched = true {
		for len(x.candidates) > 0 {
			c := x.candidates[0]
			x.candidates = x.candidates[1:]
			if c.entry.summary != c.summary {
				continue // it has moved on, or ended
			}
			if again, ok := x.candidate(c.entry, now); ok && again.share.compare(have) >= 0 {
				x.evictMatch(c.entry)
				return true
			}
		}
		if since := now.Sub(x.vain.at); searched || have.compare(x.vain.have) >= 0 && since > 0 && since < searchEvery {
			return false
		}
		x.searched = now
		if x.candidates = x.search(now, have); len(x.candidates) == 0 {
			x.vain = vain{now, have}
		}
	}
}

// search returns the matches that go first for somebody with a share, in order.
func (x *index) search(now time.Time, have share) []candidate {
	var found []candidate
	for _, e := range x.matches {
		c, ok := x.candidate(e, now)
		if !ok || c.share.compare(have) < 0 || len(found) == candidatesAtOnce && c.compare(found[len(found)-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(found, c, candidate.compare)
		found = slices.Insert(found, at, c)
		found = found[:min(len(found), candidatesAtOnce)]
	}
	return found
}

// evictMatch has a match end soon, which makes room at once.
func (x *index) evictMatch(e *entry) {
	e.evicting = true
	x.evicting++
	if e.match != nil {
		e.match.Evict()
	} else {
		x.schedule(e)
	}
}

// keep takes back that a match is evicted: it has moved on, or is gone.
func (x *index) keep(e *entry) {
	if e.evicting {
		e.evicting = false
		x.evicting--
		if e.match != nil {
			e.match.Keep()
		}
	}
}

// mayChallenge refuses a challenge when there are enough already: by the same person, who has so many open, or to the same one. What a block
// forbids is refused in the same place and with the same error as a challenge to a person who has enough.
func (x *index) mayChallenge(u User, c pending, have int) error {
	switch {
	case c.challenges == 0 && c.unavailable: // a rematch
		return ErrUnavailable
	case c.challenges == 0:
		return nil
	}
	most := x.limits.Now().Challenges
	if u.Kind == storage.Guest {
		most = min(most, 1)
	}
	to := x.challenging[c.to]
	for _, e := range x.people[c.to] {
		if s := e.summary; s.OpenChallenge() && match.KeyOf(s.Reserved) == c.to {
			if _, own := s.Side(u); own {
				return ErrChallenged
			}
			to++
		}
	}
	switch {
	case have+c.challenges > most:
		return ErrTooMany
	case c.unavailable || to >= x.limits.Now().ChallengesTo:
		return ErrUnavailable
	}
	return nil
}
