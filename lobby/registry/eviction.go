package registry

import (
	"cmp"
	"math"
	"slices"
	"time"

	"ludoteca/lobby/limits"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// eviction selects the match that ends to make room in a full club.
//
// A person with few matches must not lose one because others have many. So the matches of people with a share above fewMatches go
// before all others. In each of these groups the order is: untaken offers; matches in which one person is alone, with a computer
// player or at one keyboard; matches between two people. Among equals, the match of the person with the largest share goes first
// (of two people, the smaller share counts), and then the match with the oldest last event.
//
// A match between two people is never evicted within Limits.EvictAfter of its last event, or fewFactor times that if one of them
// has few matches. Offers and matches of one person alone stay for Limits.EvictAloneAfter if that person has few matches, else for
// moment only: people who fill the club must not keep others out for long. A match with a reader or of a tournament is never evicted, and neither is
// one whose people have a smaller share than the person who needs the room.
type eviction struct {
	limits    *limits.InForce
	directory *directory

	candidates []candidate // for the next evictions, in order
	searchedAt time.Time   // when they were found
	failed     failedSearch
	evicting   int // matches about to end to make room
}

// fewMatches is the largest share of a person with few matches.
const fewMatches = 3

const (
	fewFactor = 10
	moment    = 10 * time.Second
)

// A search looks at all matches, which takes a few milliseconds in a full club. So it finds candidates for further evictions too, and none is made
// for a while after one that found nothing. Candidates are not kept for long: a new offer goes before them after moment.
const (
	candidatesAtOnce = 16
	searchEvery      = time.Second
)

// A share is how much of the club a person takes, in matches.
type share struct {
	weighted int // the larger one of account and the shares by block of addresses, see blocks
	account  int // matches of the account
}

// compare is below 0 if s is less than t.
func (s share) compare(t share) int {
	return cmp.Or(cmp.Compare(s.weighted, t.weighted), cmp.Compare(s.account, t.account))
}

// A candidate is a match that may be evicted.
type candidate struct {
	entry   *entry
	summary *match.Summary // the entry's, when it became a candidate
	few     bool           // a person in it has few matches
	kind    int            // 0: an offer, 1: one person is alone, 2: between people
	share   share          // the smaller share of its people
}

// compare is below 0 if a goes before b.
func (a candidate) compare(b candidate) int {
	switch {
	case a.few && !b.few:
		return 1
	case b.few && !a.few:
		return -1
	case a.kind != b.kind:
		return a.kind - b.kind
	case a.share != b.share:
		return b.share.compare(a.share)
	}
	return a.summary.LastAt.Compare(b.summary.LastAt)
}

// A failedSearch is the last search that found nothing.
type failedSearch struct {
	at   time.Time
	have share // of the person who needed room
}

// candidate returns a match as a candidate. ok is false if it must stay.
func (v *eviction) candidate(e *entry, now time.Time) (candidate, bool) {
	s := e.summary
	c := candidate{entry: e, summary: s, kind: 2}
	for _, o := range s.Seats {
		if !o.Kind.HasAccount() && o.Kind != storage.Guest {
			continue
		}
		k := match.KeyOf(o)
		if s := v.directory.shareOf(k, len(v.directory.byPerson[k])); c.share == (share{}) || s.compare(c.share) < 0 {
			c.share = s
		}
	}
	if c.few = c.share.weighted <= fewMatches; c.share == (share{}) { // between two computer players
		c.few, c.share.weighted = false, math.MaxInt
	}
	switch {
	case s.Started.IsZero():
		c.kind = 0
	case s.HasBot() || match.SameUser(s.Seats):
		c.kind = 1
	}
	l := v.limits.Now()
	var patience time.Duration
	switch {
	case c.kind == 2 && c.few:
		patience = fewFactor * l.EvictAfter
	case c.kind == 2:
		patience = l.EvictAfter
	case c.few:
		patience = l.EvictAloneAfter
	default:
		patience = min(moment, l.EvictAloneAfter)
	}
	return c, !e.evicting && !s.InTournament() && now.Sub(s.LastAt) >= patience && (e.match == nil || !e.match.Watched())
}

// evict selects the first match that may go for a person with a share, marks it and returns it, or returns nil if none may go. A marked match
// no longer counts. The caller makes it end.
func (v *eviction) evict(now time.Time, have share) *entry {
	if since := now.Sub(v.searchedAt); since < 0 || since >= searchEvery {
		v.candidates = nil
	}
	for searched := false; ; searched = true {
		for len(v.candidates) > 0 {
			c := v.candidates[0]
			v.candidates = v.candidates[1:]
			if c.entry.summary != c.summary {
				continue // it has moved on, or ended
			}
			if again, ok := v.candidate(c.entry, now); ok && again.share.compare(have) >= 0 {
				c.entry.evicting = true
				v.evicting++
				return c.entry
			}
		}
		if since := now.Sub(v.failed.at); searched || have.compare(v.failed.have) >= 0 && since > 0 && since < searchEvery {
			return nil
		}
		v.searchedAt = now
		if v.candidates = v.search(now, have); len(v.candidates) == 0 {
			v.failed = failedSearch{now, have}
		}
	}
}

// search returns the first candidatesAtOnce matches that may go for a person with a share, in order.
func (v *eviction) search(now time.Time, have share) []candidate {
	var found []candidate
	for _, e := range v.directory.byID {
		c, ok := v.candidate(e, now)
		if !ok || c.share.compare(have) < 0 || len(found) == candidatesAtOnce && c.compare(found[len(found)-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(found, c, candidate.compare)
		found = slices.Insert(found, at, c)
		found = found[:min(len(found), candidatesAtOnce)]
	}
	return found
}

// keep cancels the eviction of a match, because it has a new event or is gone.
func (v *eviction) keep(e *entry) {
	if e.evicting {
		e.evicting = false
		v.evicting--
		if e.match != nil {
			e.match.Keep()
		}
	}
}
