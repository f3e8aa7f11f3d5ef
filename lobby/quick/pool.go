package quick

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// lookEvery is how often all searches are paired again and their state is published.
const lookEvery = time.Second

// poolID is the name of the pool, by which a node owns it. One node pairs the players of all games, because a player may look for several.
const poolID storage.MatchID = "quick"

// A pool holds the rows of all searches and pairs the players who wait. The goroutine of run owns it.
type pool struct {
	service  *Service
	requests chan func() // called by run

	// Used only by run.
	pairing *pairing.Pool
	entries map[cluster.SeekerID]*entry
	waiting map[pairing.Ticket]*entry   // the searches in pairing
	held    map[cluster.SeekerID]*entry // the searches that are held (calls_to_absent_players.go)
	changed bool                        // waiting has changed since publishSought
	next    time.Time                   // when run settles all entries again
}

// An entry is a search as the pool knows it.
type entry struct {
	row    cluster.Seeker
	there  bool           // the row exists
	search *search        // nil for a search of another node
	ticket pairing.Ticket // in pairing
	taken  bool           // a match is being opened or an offer assigned
	ended  error          // why a search of this node is over; its row is about to be removed

	notBefore time.Time // when answerCalls looks at the entry again
}

func newPool(m *Service) *pool {
	p := &pool{
		service: m, requests: make(chan func()), entries: make(map[cluster.SeekerID]*entry), waiting: make(map[pairing.Ticket]*entry),
		held: make(map[cluster.SeekerID]*entry),
	}
	p.pairing = pairing.New(p.neverPaired, func(string) bool { return m.config.Node.Owns(poolID) })
	return p
}

// neverPaired reports whether two players must not be paired, as far as this node or the nodes of the two know. A player who is away is not called
// again to one for whom they did not come.
func (p *pool) neverPaired(a, b match.Key) bool {
	says := func(a, b match.Key) bool {
		e := p.waiting[p.pairing.Of(a)]
		return e != nil && slices.Contains(e.row.Apart, match.PersonOf(storage.Occupant{Kind: b.Kind, ID: b.ID}))
	}
	missed := func(a, b match.Key) bool {
		e, o := p.waiting[p.pairing.Of(a)], p.waiting[p.pairing.Of(b)]
		return e != nil && o != nil && o.row.Away && slices.Contains(e.row.Missed, match.PersonOf(storage.Occupant{Kind: b.Kind, ID: b.ID}))
	}
	return p.service.config.Manners.NeverPaired(a, b) || says(a, b) || says(b, a) || missed(a, b) || missed(b, a)
}

// run pairs players until ctx ends.
func (p *pool) run(ctx context.Context) {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	for {
		var tick <-chan time.Time
		if len(p.entries) > 0 {
			timer.Reset(time.Until(p.next))
			tick = timer.C
		}
		select {
		case <-ctx.Done():
			return
		case request := <-p.requests:
			request()
		case <-tick:
		}
		if now := time.Now(); !now.Before(p.next) {
			p.next = now.Add(lookEvery)
			for _, e := range p.entries {
				p.settle(e)
			}
		}
		p.answerCalls()
		p.pair()
		p.publish()
		p.publishCalls()
		p.publishSought()
	}
}

// do calls f on the goroutine of run and returns when f has. The errors are ctx.Err() and refusal.ErrClosed; f isn't called then.
func (p *pool) do(ctx context.Context, f func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan struct{})
	select {
	case p.requests <- func() { defer close(done); f() }:
		<-done
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.service.config.Tasks.Closing():
		return refusal.ErrClosed
	}
}

// replace replaces all rows.
func (p *pool) replace(all []cluster.Seeker) {
	there := make(map[cluster.SeekerID]bool, len(all))
	for _, row := range all {
		there[row.ID] = true
		p.put(row)
	}
	for id := range p.entries {
		if !there[id] {
			p.gone(id)
		}
	}
}

// put handles a new or changed row.
func (p *pool) put(row cluster.Seeker) {
	e := p.entries[row.ID]
	if e == nil {
		e = new(entry)
		p.entries[row.ID] = e
	}
	e.row, e.there = row, true
	if p.settle(e); e.search != nil && (!row.Waits() || row.Away != e.search.away.Load()) {
		e.search.wake()
	}
}

// gone handles the removal of a row.
func (p *pool) gone(id cluster.SeekerID) {
	e := p.entries[id]
	if e == nil {
		return
	}
	e.there = false
	p.settle(e)
	if e.search != nil {
		e.search.wake()
	} else {
		delete(p.entries, id)
	}
}

// begin adds a search of this node whose row is about to be written.
func (p *pool) begin(s *search, row cluster.Seeker) { p.entries[row.ID] = &entry{row: row, search: s} }

// end ends the search of an entry, if it is one of this node.
func (p *pool) end(e *entry, err error) {
	if e.search != nil && e.ended == nil {
		e.ended = err
		p.settle(e)
		e.search.wake()
	}
}

// forget removes the search from an entry after its row was removed or replaced by one under another id.
func (p *pool) forget(id cluster.SeekerID) {
	if e := p.entries[id]; e != nil {
		e.search = nil
		if p.settle(e); !e.there {
			delete(p.entries, id)
		}
	}
}

// settle adds a search to pairing or removes it, depending on whether it waits, and notes whether it is held.
func (p *pool) settle(e *entry) {
	p.settleHeld(e)
	waits, in := e.there && e.row.Waits() && !e.taken && e.ended == nil, p.waiting[e.ticket] == e
	switch {
	case in && !waits:
		p.pairing.Remove(e.ticket)
		delete(p.waiting, e.ticket)
		p.changed = true
	case waits && !in:
		p.add(e)
	}
}

// add adds a search to pairing. Of two searches of one player it keeps the newer one, which waits until the older one is not held any more.
func (p *pool) add(e *entry) {
	wishes := wishesOf(e.row)
	if len(wishes) == 0 {
		return // another version of the program
	}
	who := match.KeyOf(e.row.Who)
	held := p.heldOf(who)
	for _, o := range []*entry{p.waiting[p.pairing.Of(who)], held} {
		if o != nil && o.since() > e.since() {
			p.end(e, refusal.ErrElsewhere)
			return
		}
	}
	if held != nil {
		p.end(held, refusal.ErrElsewhere)
		return
	}
	tried := make(map[match.Key]bool, len(e.row.Tried))
	for _, by := range e.row.Tried {
		tried[match.KeyOf(by)] = true
	}
	t, replaced, err := p.pairing.Add(pairing.Seeker{
		Person: who, Wish: wishes[0], More: wishes[1:], Since: e.row.Since, Tried: tried,
	})
	if old := p.waiting[replaced]; old != nil {
		delete(p.waiting, replaced)
		p.end(old, refusal.ErrElsewhere)
	}
	if err != nil {
		p.end(e, refusal.ErrFull)
		return
	}
	e.ticket = t
	p.waiting[t] = e
	p.changed = true
}

// since returns a key that sorts searches by when they began, the same on every node.
func (e *entry) since() string {
	return e.row.Since.UTC().Format("2006-01-02T15:04:05.000") + " " + e.row.ID.Ticket
}

// take removes a search from pairing while a match is opened for it or an offer is assigned to it. The caller must call release.
func (p *pool) take(t pairing.Ticket) *entry {
	e := p.waiting[t]
	e.taken = true
	p.settle(e)
	return e
}

// release ends the effect of take. A search whose row still waits returns to pairing at once if atOnce is set, else when run settles all entries.
func (p *pool) release(ctx context.Context, atOnce bool, e *entry) {
	_ = p.do(ctx, func() { // the error: the club closes
		if e.taken = false; atOnce && p.entries[e.row.ID] == e {
			p.settle(e)
		}
	})
}

// pair starts the matches that are possible now, if this node owns the pool.
func (p *pool) pair() {
	if len(p.waiting) == 0 {
		return
	}
	m, now := p.service, p.service.time()
	ids, offers := p.offers(now)
	for _, pair := range p.pairing.Pairs(now, offers) {
		a := p.take(pair.A)
		if pair.B == 0 {
			row, by := a.row, offers[pair.Offer].Person
			m.start(func(ctx context.Context) {
				if row.Away {
					m.calls.holdForOffer(ctx, a, row.ID, ids[pair.Offer], by, pair.Want)
				} else {
					m.assign(ctx, a, row, ids[pair.Offer], by)
				}
			})
			continue
		}
		b := p.take(pair.B)
		both, rows := [2]*entry{a, b}, [2]cluster.Seeker{a.row, b.row}
		m.start(func(ctx context.Context) {
			if rows[0].Away || rows[1].Away {
				m.calls.hold(ctx, both, [2]cluster.SeekerID{rows[0].ID, rows[1].ID}, pair.Want)
			} else {
				m.open(ctx, both, rows, pair.Want)
			}
		})
	}
}

// start runs f on a new goroutine, unless the club closes.
func (m *Service) start(f func(ctx context.Context)) {
	_ = m.config.Tasks.Go(func(ctx, _ context.Context) { f(ctx) }) // the error: the club closes
}

// assign writes to the row of a search that it should take an offer of the player by. The node of the search takes it.
func (m *Service) assign(ctx context.Context, e *entry, row cluster.Seeker, offer storage.MatchID, by match.Key) {
	_ = m.rows.ChangeSeeker(ctx, row.ID, func(who *cluster.Seeker) { // the error: the search is looked at again
		if who.Waits() || who.IsHeld() && who.Held.Offer == offer {
			who.Held, who.Offer, who.Tried = nil, offer, append(slices.Clip(who.Tried), storage.Occupant{Kind: by.Kind, ID: by.ID})
		}
	})
	m.pool.release(ctx, false, e)
}

// open opens the match of two paired searches. If one of the players can't play, the search of the other one goes on.
func (m *Service) open(ctx context.Context, of [2]*entry, rows [2]cluster.Seeker, want pairing.Want) {
	whose, ref := -1, match.Ref{}
	spec, err := m.specOf(want)
	if err == nil {
		terms := cluster.Terms{Seekers: []cluster.SeekerID{rows[0].ID, rows[1].ID}}
		ref, whose, err = m.config.Seats.OpenBetween(ctx, match.User(rows[0].Who), match.User(rows[1].Who), spec, terms)
	}
	for i, e := range of {
		m.opened(ctx, e, rows[i], ref, err, whose == i || whose < 0)
	}
}

// opened handles the result of opening a match for a taken search. atFault is false if err is about the other player: the search is then back
// in pairing at once.
func (m *Service) opened(ctx context.Context, e *entry, row cluster.Seeker, ref match.Ref, err error, atFault bool) {
	atOnce := false
	switch {
	case err == nil:
		for range m.rows.opened(ctx, ref, row.ID) {
			m.abort(ctx, match.User(row.Who), ref.ID)
		}
	case errors.Is(err, cluster.ErrTaken), ctx.Err() != nil: // its row has changed, and is read soon
	case !atFault:
		atOnce = true
	default:
		m.refuse(ctx, e, row.ID, err)
	}
	m.pool.release(ctx, atOnce, e)
}

// refuse ends a search for which no match can be opened. For a search of another node it writes the reason to the row, and that node ends it.
func (m *Service) refuse(ctx context.Context, e *entry, id cluster.SeekerID, err error) {
	own := false
	_ = m.pool.do(ctx, func() { // the error: the club closes
		own = e.search != nil
		m.pool.end(e, err)
	})
	if refused := refusalOf(err); refused != nil && !own {
		_ = m.rows.ChangeSeeker(ctx, id, func(who *cluster.Seeker) { who.Refused = refused }) // the error: it is paired again
	}
}

// abort calls a match off for a player who has left.
func (m *Service) abort(ctx context.Context, u match.User, id storage.MatchID) {
	m.config.Matches.UntilKnown(ctx, id)
	_ = m.config.Matches.Do(ctx, id, match.Abort(u)) // the error: the other one was faster
}

// publish publishes the state of the searches of this node that wait.
func (p *pool) publish() {
	now := p.service.time()
	for t, e := range p.waiting {
		if e.search == nil {
			continue
		}
		at, _ := p.pairing.Looking(t, now)
		at.Waited = at.Waited.Truncate(time.Second)
		e.search.feed.Update(func(old Looking, _ uint64) (Looking, bool) {
			next := Looking{Looking: at}
			return next, old != next || !e.search.told
		})
		e.search.told = true
	}
}

// offers returns the public offers that a quick match may take: for each player the oldest offer of a kind. It leaves out players who keep an
// opponent waiting for a first move, and offers that are assigned to a search.
func (p *pool) offers(now time.Time) (ids []storage.MatchID, offers []pairing.Offer) {
	type kind struct {
		by     match.Key
		want   pairing.Want
		within [2]int
	}
	m := p.service
	seen, isLate := make(map[kind]bool), make(map[match.Key]bool)
	open := m.config.Registry.Offers()
	slices.SortFunc(open, match.ByAge)
	assigned := make(map[storage.MatchID]bool)
	if len(open) > 0 {
		for _, e := range p.entries {
			assigned[e.row.Offer] = assigned[e.row.Offer] || e.there
			if h := e.row.Held; h != nil {
				assigned[h.Offer] = assigned[h.Offer] || e.there
			}
		}
	}
	for _, s := range open {
		if s.Studied() || s.ByEngine() { // only for players who choose its position, or a computer account
			continue
		}
		side := s.FreeSide().Other()
		by := match.KeyOf(s.Seats[side])
		k := kind{by, wantOf(s), s.Range}
		late, known := isLate[by]
		if !known {
			late = m.config.Manners.FirstMoveOverdue(by)
			isLate[by] = late
		}
		if late || seen[k] {
			continue
		}
		if seen[k] = true; assigned[s.ID] {
			continue
		}
		ids = append(ids, s.ID)
		offers = append(offers, pairing.Offer{
			Person: by, Rating: s.Strength[side].OrNewcomer().Rating, Range: s.Range, Since: m.config.Node.TimeOf(now, s.Opened), Want: k.want,
		})
	}
	return ids, offers
}
