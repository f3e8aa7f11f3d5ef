package quick

import (
	"context"
	"slices"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// CallTime is how long a player who is away has to come when an opponent is found.
const CallTime = 10 * time.Second

// A hold of two searches reaches a node as two changes. newsOfHold bounds the time between them.
const newsOfHold = 3 * time.Second

// maxMissed is how many players who did not come a search remembers.
const maxMissed = 32

// A Call is an opponent who was found for a search while one of the two players is away: no match is opened yet. When all who are away have come in
// time, the match begins. The search of a player who has not come ends with refusal.ErrMissedCall; that of the other one goes on from when it began.
// The zero value is no call.
type Call struct {
	Want pairing.Want  // what they are to play
	You  bool          // the player of this search is to come; else the opponent is
	Left time.Duration // until the call is over, in whole seconds
}

// callOf returns the call of a search that is held.
func callOf(row cluster.Seeker, now time.Time) Call {
	wish, _ := wishOf(row.Held.Wish) // another version of the program may know more clocks
	left := max(row.Held.Until.Sub(now), 0)
	return Call{Want: wish.Want, You: row.Away, Left: (left + time.Second - 1).Truncate(time.Second)}
}

// calls calls the players who are away to the opponents who were found for them: it writes to the rows of searches that they are held.
type calls struct {
	pool *pool
	rows rows
	now  func() time.Time // on the clock of searches
}

// hold holds two paired searches for each other, because one of the players is away.
func (c calls) hold(ctx context.Context, of [2]*entry, ids [2]cluster.SeekerID, want pairing.Want) {
	_ = c.rows.HoldSeekers(ctx, ids, rowOf(pairing.Wish{Want: want}), c.now().Add(CallTime)) // the error: they are paired again
	for _, e := range of {
		c.pool.release(ctx, false, e)
	}
}

// holdForOffer calls a player who is away to an offer. Another player may take it meanwhile.
func (c calls) holdForOffer(ctx context.Context, e *entry, id cluster.SeekerID, offer storage.MatchID, by match.Key, want pairing.Want) {
	until := c.now().Add(CallTime)
	_ = c.rows.ChangeSeeker(ctx, id, func(who *cluster.Seeker) { // the error: the search is paired again
		if who.Waits() {
			who.Held = &cluster.Hold{
				Offer: offer, By: storage.Occupant{Kind: by.Kind, ID: by.ID}, Wish: rowOf(pairing.Wish{Want: want}), Until: until,
			}
		}
	})
	c.pool.release(ctx, false, e)
}

// letGo ends the hold of a search. If the time is up, the search of a player who is still away ends.
func (c calls) letGo(ctx context.Context, e *entry, held cluster.Seeker, late bool) {
	_ = c.rows.ChangeSeeker(ctx, held.ID, func(who *cluster.Seeker) { // the error: it is tried again
		h := who.Held
		if h == nil || h.With != held.Held.With || h.Offer != held.Held.Offer || !h.Until.Equal(held.Held.Until) {
			return
		}
		who.Held = nil
		switch {
		case late && who.Away:
			who.Refused = &cluster.Refusal{Reason: reasonLate}
		case late:
			who.Missed = append(slices.Clip(who.Missed), match.PersonOf(h.By))
			who.Missed = who.Missed[max(len(who.Missed)-maxMissed, 0):]
		}
	})
	c.pool.release(ctx, false, e)
}

// answerCalls opens the matches of held searches whose players are there, and lets go of those for which the time is up or whose partner is gone,
// if this node owns the pool.
func (p *pool) answerCalls() {
	if len(p.held) == 0 || !p.service.config.Node.Owns(poolID) {
		return
	}
	now := p.service.time()
	for _, e := range p.held {
		if !e.taken && !time.Now().Before(e.notBefore) {
			p.answerCall(e, now)
		}
	}
}

// answerCall is answerCalls for one search.
func (p *pool) answerCall(e *entry, now time.Time) {
	m, row, hold := p.service, e.row, e.row.Held
	late := !now.Before(hold.Until)
	if hold.Offer != "" {
		switch {
		case !p.isOpen(hold.Offer):
			p.act(func(ctx context.Context) { m.calls.letGo(ctx, e, row, false) }, e)
		case !row.Away:
			p.act(func(ctx context.Context) { m.assign(ctx, e, row, hold.Offer, match.KeyOf(hold.By)) }, e)
		case late:
			p.act(func(ctx context.Context) { m.calls.letGo(ctx, e, row, true) }, e)
		}
		return
	}
	other := p.entries[hold.With]
	partner := other != nil && p.held[hold.With] == other && other.row.Held.With == row.ID
	switch {
	case partner && other.taken:
	case partner && !row.Away && !other.row.Away:
		wish, ok := wishOf(hold.Wish)
		if !ok {
			return // written by another version of the program
		}
		both, rows := [2]*entry{e, other}, [2]cluster.Seeker{row, other.row}
		p.act(func(ctx context.Context) { m.open(ctx, both, rows, wish.Want) }, e, other)
	case partner && late:
		of := other.row
		p.act(func(ctx context.Context) {
			m.calls.letGo(ctx, e, row, true)
			m.calls.letGo(ctx, other, of, true)
		}, e, other)
	case partner:
	case other == nil, !other.there, other.ended != nil, !other.row.Waits() && !other.row.IsHeld(), now.After(hold.Until.Add(newsOfHold - CallTime)):
		p.act(func(ctx context.Context) { m.calls.letGo(ctx, e, row, false) }, e)
	}
}

// act runs f on a goroutine of its own. f releases the entries.
func (p *pool) act(f func(ctx context.Context), of ...*entry) {
	for _, e := range of {
		e.taken, e.notBefore = true, time.Now().Add(lookEvery)
	}
	p.service.start(f)
}

// isOpen reports whether an offer is still open.
func (p *pool) isOpen(id storage.MatchID) bool {
	return slices.ContainsFunc(p.service.config.Registry.Offers(), func(s *match.Summary) bool { return s.ID == id })
}

// settleHeld notes whether a search is held. Meanwhile no other search of the same player waits, and the older one of two ends.
func (p *pool) settleHeld(e *entry) {
	if !e.there || !e.row.IsHeld() || e.ended != nil {
		delete(p.held, e.row.ID)
		return
	}
	p.held[e.row.ID] = e
	o := p.waiting[p.pairing.Of(match.KeyOf(e.row.Who))]
	if o == nil || o == e {
		return
	}
	p.pairing.Remove(o.ticket)
	delete(p.waiting, o.ticket)
	p.changed = true
	if o.since() > e.since() {
		o = e
	}
	p.end(o, refusal.ErrElsewhere)
}

// heldOf returns the search of a person that is held, or nil.
func (p *pool) heldOf(who match.Key) *entry {
	for _, e := range p.held {
		if match.KeyOf(e.row.Who) == who {
			return e
		}
	}
	return nil
}

// publishCalls publishes the calls of the searches of this node.
func (p *pool) publishCalls() {
	for _, e := range p.held {
		if e.search == nil {
			continue
		}
		call := callOf(e.row, p.service.time())
		e.search.feed.Update(func(old Looking, _ uint64) (Looking, bool) {
			next := old
			next.Call = call
			return next, next != old
		})
		e.search.told = true
	}
}
