package quick

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
)

// lookEvery is how often those who wait are told how far they are, and looked at again.
const lookEvery = time.Second

// A Looking is how far a search has come.
type Looking struct {
	pairing.Looking
	Match match.Ref // what was found; the zero value while there is nothing
}

// A Search is somebody's wait for a quick match. Any goroutine may use it.
type Search interface {
	// Next returns how far the search has come as soon as the number of that is above after, and the number; start with 0. Once Match
	// is set there is nothing newer. The errors are that of ctx, refusal.ErrElsewhere if the user began another search since, those of Open
	// that ended the search, and refusal.ErrClosed.
	Next(ctx context.Context, after uint64) (Looking, uint64, error)
}

// A search is a Search as its owner knows it.
type search struct {
	user  match.User
	spec  seats.Spec
	gone  <-chan struct{} // closed when nobody waits for it any more
	feed  *feed.Feed[Looking]
	since time.Time      // by the machine's clock; with several nodes, by the clock of events
	first pairing.Seeker // as it was first added to the pool

	elsewhere *clusterstore.Seeker // of a search of another node; only user and row are set besides

	// Of owner.run alone.
	ticket pairing.Ticket
	told   bool                  // its feed has a value
	over   bool                  // it has found a match
	row    clusterstore.SeekerID // with several nodes, the key of its row in the store; zero: it has none
	shown  bool                  // row is in the store
	hiding bool                  // row is being removed here, so its removal is no reason to retry
}

// isGone reports whether nobody waits for the search any more.
func (s *search) isGone() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

func (m *Service) newSearch(ctx context.Context, u match.User, spec seats.Spec) *search {
	s := &search{user: u, spec: spec, gone: ctx.Done(), feed: feed.New[Looking](m.config.Feeds), since: m.time()}
	st := m.config.Standings.Strength(ctx, u.Occupant(), spec.Game).OrNewcomer()
	s.first = pairing.Seeker{
		Person: u.Key(), Want: wantOf(spec), Rating: st.Rating, Deviation: st.Deviation, Since: s.since, Tried: make(map[match.Key]bool),
	}
	return s
}

// time returns the time on the clock of searches, which all nodes share.
func (m *Service) time() time.Time { return m.config.Node.Now() }

// Next implements Search.
func (s *search) Next(ctx context.Context, after uint64) (Looking, uint64, error) {
	return s.feed.Next(ctx, after)
}

// An owner owns those who look for a quick match.
type owner struct {
	requests chan func() // run by run
	closing  <-chan struct{}

	// Of run alone.
	pool     *pairing.Pool
	searches map[pairing.Ticket]*search
	next     time.Time // when everybody is looked at again

	// Of a club with several nodes, and of run alone.
	rows  map[clusterstore.SeekerID]*search      // unfinished searches of this node
	other map[pairing.Ticket]clusterstore.Seeker // searches of other nodes in the pool
	taken map[clusterstore.SeekerID]bool         // searches of other nodes for which this one is opening a match
	retry map[*search]bool                       // searches that retryAll tries again: their rows are gone, or another node was faster

	unwanted map[clusterstore.SeekerID]*search // finished searches of this node whose rows could not be removed yet
	tickets  atomic.Uint64                     // the number of the last ticket, so that tickets of this node sort by age
}

func newOwner(blocked func(a, b match.Key) bool, closing <-chan struct{}) *owner {
	return &owner{
		requests: make(chan func()), closing: closing, pool: pairing.New(blocked), searches: make(map[pairing.Ticket]*search),
		rows: make(map[clusterstore.SeekerID]*search), other: make(map[pairing.Ticket]clusterstore.Seeker), taken: make(map[clusterstore.SeekerID]bool),
		retry: make(map[*search]bool), unwanted: make(map[clusterstore.SeekerID]*search),
	}
}

// run pairs those who wait until ctx ends.
func (q *owner) run(ctx context.Context, m *Service) {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	for {
		var tick <-chan time.Time
		if q.pool.Len()+len(q.retry)+len(q.unwanted) > 0 {
			timer.Reset(time.Until(q.next))
			tick = timer.C
		}
		select {
		case <-ctx.Done():
			return
		case request := <-q.requests:
			request()
		case <-tick:
		}
		if now := time.Now(); !now.Before(q.next) {
			q.next = now.Add(lookEvery)
			q.retryAll(m)
		}
		q.pair(m)
		q.publish(m)
	}
}

// do has the owner run f, and returns when it has. The error is that of ctx or refusal.ErrClosed.
func (q *owner) do(ctx context.Context, f func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan struct{})
	select {
	case q.requests <- func() { defer close(done); f() }:
		<-done
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-q.closing:
		return refusal.ErrClosed
	}
}

// add takes in a search, with the time that it has waited already. Another one of the same person ends.
func (q *owner) add(m *Service, s *search, seeker pairing.Seeker) {
	if s.over || q.searches[s.ticket] == s { // another node was faster, or it waits already
		return
	}
	for _, o := range q.other {
		if match.User(o.Who).Key() == s.user.Key() && seeker.Turn != "" && turnOf(o.Since, o.ID) > seeker.Turn {
			q.end(m, s, refusal.ErrElsewhere) // the other one is newer
			return
		}
	}
	t, replaced, err := q.pool.Add(seeker)
	q.replace(m, replaced)
	if err != nil {
		q.end(m, s, refusal.ErrFull)
		return
	}
	s.ticket = t
	q.searches[t] = s
}

// replace ends a search whose person has begun another one.
func (q *owner) replace(m *Service, replaced pairing.Ticket) {
	if old, elsewhere := q.other[replaced]; elsewhere {
		delete(q.other, replaced)
		_ = m.config.Tasks.Go(func(ctx, _ context.Context) { // the error: the club closes
			if err := m.config.Shared.EndSeeker(ctx, old.ID); err != nil && ctx.Err() == nil {
				m.config.Log.Warn("somebody may look for two matches", "err", err)
			}
		})
	}
	if old := q.searches[replaced]; old != nil {
		delete(q.searches, replaced)
		q.end(m, old, refusal.ErrElsewhere)
	}
}

// remove takes a search out that is over, or has nobody who waits for it any more.
func (q *owner) remove(m *Service, s *search) {
	if q.searches[s.ticket] == s {
		q.pool.Remove(s.ticket)
		delete(q.searches, s.ticket)
	}
	q.forgetRow(m, s)
}

// end ends a search with an error.
func (q *owner) end(m *Service, s *search, err error) {
	s.feed.Close(err)
	q.forgetRow(m, s)
}

// pair begins the matches that can begin now.
func (q *owner) pair(m *Service) {
	if q.pool.Len() == 0 {
		return
	}
	now := m.time()
	ids, offers := m.offers(now)
	q.begin(m, q.pool.Pairs(now, offers), ids, offers)
}

// begin begins the matches of some pairs.
func (q *owner) begin(m *Service, pairs []pairing.Pair, ids []storage.MatchID, offers []pairing.Offer) {
	for _, p := range pairs {
		a := q.take(p.A)
		if p.B == 0 {
			row := a.row
			if a.elsewhere == nil {
				a.first.Tried[offers[p.Offer].Person] = true
			}
			q.start(m, func(ctx context.Context) { m.takeFor(ctx, a, row, ids[p.Offer]) }, a)
			continue
		}
		b := q.take(p.B)
		terms := termsOf(a, b)
		q.start(m, func(ctx context.Context) { m.openFor(ctx, a, b, terms) }, a, b)
	}
}

// take returns the search of a ticket that is in a pair, and removes it from those that wait.
func (q *owner) take(t pairing.Ticket) *search {
	if o, elsewhere := q.other[t]; elsewhere {
		delete(q.other, t)
		q.taken[o.ID] = true
		return &search{user: match.User(o.Who), row: o.ID, elsewhere: &o}
	}
	s := q.searches[t]
	delete(q.searches, t)
	return s
}

// start begins a match for some searches, in a goroutine of its own.
func (q *owner) start(m *Service, begin func(context.Context), of ...*search) {
	if err := m.config.Tasks.Go(func(ctx, _ context.Context) { begin(ctx) }); err != nil {
		for _, s := range of {
			if s.elsewhere == nil {
				s.feed.Close(err)
			}
		}
	}
}

// publish tells everybody who waits how far they are.
func (q *owner) publish(m *Service) {
	now := m.time()
	for t, s := range q.searches {
		at, _ := q.pool.Looking(t, now)
		at.Waited = at.Waited.Truncate(time.Second)
		s.feed.Update(func(old Looking, _ uint64) (Looking, bool) { return Looking{Looking: at}, old.Looking != at || !s.told })
		s.told = true
	}
}

// Seek looks for an opponent for a match with the game, the options and the clock of spec, rated if spec.Rated; otherwise, and for every
// guest, it is casual. Nothing else of spec counts. The search ends with ctx, at once. It takes the fairest among those who look for the same
// and the public offers of it. A user looks for one match at a time: a search before ends with refusal.ErrElsewhere. The errors are
// refusal.ErrNoSuchGame, a *games.OptionError, refusal.ErrEndless, that of ctx, refusal.ErrClosed; what else Open may say ends the search
// later.
func (m *Service) Seek(ctx context.Context, u match.User, spec seats.Spec) (Search, error) {
	spec, err := m.spec(u, spec)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	s := m.newSearch(ctx, u, spec)
	seeker := s.first
	if err := m.show(ctx, s, &seeker); err != nil {
		return nil, err
	}
	err = m.owner.do(context.WithoutCancel(ctx), func() {
		if s.row == (clusterstore.SeekerID{}) || m.owner.rows[s.row] == s { // else another node has paired it already
			m.owner.add(m, s, seeker)
		}
	})
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = m.owner.do(context.Background(), func() { m.owner.remove(m, s) }) }) // the error: the club closes
	return s, nil
}

// spec returns what a quick match of a user is, with all options.
func (m *Service) spec(u match.User, spec seats.Spec) (seats.Spec, error) {
	spec = seats.Spec{
		Game: spec.Game, Options: spec.Options, Clock: spec.Clock, Public: true, Rated: spec.Rated && u.Kind == storage.Person,
	}
	o, err := m.config.Seats.Plan(spec)
	if err == nil {
		err = m.config.Manners.MayMeet(u)
	}
	spec.Game, spec.Options = o.Game, o.Options
	return spec, err
}

// wantOf returns what a quick match is, as those who look for one are compared.
func wantOf(spec seats.Spec) pairing.Want {
	return pairing.Want{Game: spec.Game, Options: spec.Options.String(), Clock: spec.Clock, Rated: spec.Rated}
}

// offers returns the public offers that a quick match may take: of each person the oldest of a kind, and none of a person who keeps
// another one waiting for a first move.
func (m *Service) offers(now time.Time) (ids []storage.MatchID, offers []pairing.Offer) {
	type kind struct {
		by     match.Key
		want   pairing.Want
		within [2]int
	}
	seen, owes := make(map[kind]bool), make(map[match.Key]bool)
	open := m.config.Registry.Offers()
	slices.SortFunc(open, match.ByAge)
	for _, s := range open {
		if s.Studied() { // a position is for those who want just that
			continue
		}
		side := s.FreeSide().Other()
		by := match.KeyOf(s.Seats[side])
		k := kind{by, wantOf(specOf(s)), s.Range}
		late, known := owes[by]
		if !known {
			late = m.config.Manners.OwesFirstMove(by)
			owes[by] = late
		}
		if late || seen[k] {
			continue
		}
		seen[k] = true
		ids = append(ids, s.ID)
		offers = append(offers, pairing.Offer{
			Person: by, Rating: s.Strength[side].OrNewcomer().Rating, Range: s.Range, Since: m.config.Node.TimeOf(now, s.Opened), Want: k.want, Turn: string(s.ID),
		})
	}
	return ids, offers
}

// openFor opens the match of two who have found each other. If one of them can't play, the other one looks on.
func (m *Service) openFor(ctx context.Context, a, b *search, terms clusterstore.Terms) {
	spec := a.spec
	if a.elsewhere != nil {
		spec = b.spec
	}
	ref, whose, err := m.config.Seats.OpenBetween(ctx, a.user, b.user, spec, terms)
	for i, s := range []*search{a, b} {
		switch {
		case err == nil:
			m.found(ctx, s, ref)
		case errors.Is(err, clusterstore.ErrTaken):
			m.retryLater(ctx, s)
		case whose == i || whose < 0:
			m.fail(ctx, s, err)
		default:
			m.resume(ctx, s)
		}
	}
}

// takeFor takes an offer for the user of a search, which goes on if that fails.
func (m *Service) takeFor(ctx context.Context, s *search, row clusterstore.SeekerID, id storage.MatchID) {
	ref, err := m.hide(ctx, s, row)
	switch {
	case err != nil:
		m.retryLater(ctx, s)
		return
	case ref != (match.Ref{}):
		m.found(ctx, s, ref)
		return
	}
	ref, err = m.config.Seats.Take(ctx, s.user, id)
	switch {
	case err == nil:
		m.found(ctx, s, ref)
	case seats.OwnFault(err), errors.Is(err, refusal.ErrClosed), ctx.Err() != nil:
		m.fail(ctx, s, err)
	default:
		m.retryLater(ctx, s)
	}
}

// retryLater is Resume, but with several nodes only at the next retryAll, because this node's rows are out of date.
func (m *Service) retryLater(ctx context.Context, s *search) { m.rows.retryLater(ctx, s) }

// fail ends a search with the error with which its match could not be opened.
func (m *Service) fail(ctx context.Context, s *search, err error) {
	if s.elsewhere != nil {
		_, _ = m.config.Shared.RemoveSeeker(ctx, s.elsewhere.ID) // its own node retries and reports the error; if that fails it is paired again
		return
	}
	if m.owner.do(ctx, func() { m.owner.end(m, s, err) }) != nil {
		s.feed.Close(err)
	}
}

// found tells somebody of the match that was found for them. One whose session has ended meanwhile leaves it.
func (m *Service) found(ctx context.Context, s *search, ref match.Ref) {
	if s.elsewhere != nil {
		return // its own node sees the match in the row
	}
	known := false               // putRow has published it already
	_ = m.owner.do(ctx, func() { // the error: the club closes
		known = s.over
		m.owner.finish(s)
	})
	if !known {
		m.tellFound(ctx, s, ref)
	}
}

// finish marks a search as over and removes it from the pool.
func (q *owner) finish(s *search) {
	q.leavePool(s)
	s.over = true
}

// tellFound publishes the match of a search that is over. If its session has ended, the match is aborted.
func (m *Service) tellFound(ctx context.Context, s *search, ref match.Ref) {
	s.feed.Publish(Looking{Match: ref})
	_ = m.owner.do(ctx, func() { m.owner.forgetRow(m, s) }) // the error: the club closes
	if s.isGone() {
		_ = m.config.Matches.Do(ctx, ref.ID, match.Abort(s.user), func() {}) // the error: the other one was faster
	}
}

// resume has a search wait again, from when it began.
func (m *Service) resume(ctx context.Context, s *search) {
	q := m.owner
	if s.elsewhere != nil {
		_ = q.do(ctx, func() { // the error: the club closes
			if q.taken[s.elsewhere.ID] { // else its row is gone by now
				q.putOther(m, *s.elsewhere)
			}
		})
		return
	}
	seeker := s.first
	err := m.show(ctx, s, &seeker)
	if err != nil && !errors.Is(err, refusal.ErrClosed) && ctx.Err() == nil {
		err = q.do(ctx, func() { q.retry[s] = true })
	} else if err == nil {
		err = q.do(ctx, func() {
			switch {
			case s.isGone():
				q.forgetRow(m, s)
			case s.row == clusterstore.SeekerID{} || q.rows[s.row] == s: // else another node has paired it
				q.add(m, s, seeker)
			}
		})
	}
	if err != nil {
		s.feed.Close(err)
	}
}

// maxTries is how many opponents Quick tries, one after the other, who are gone when it comes to it.
const maxTries = 20

// Quick takes the fairest among the public offers of others with the game, the options and the clock of spec, and those who look for the
// same (Seek), or else opens an offer; asked again while that waits, it returns it. Fairest is the nearest rating, less so much for each
// second of waiting (package pairing). If spec.Rated, it takes a casual match only if there is no rated one; otherwise, and for
// every guest, the match is casual. Nothing else of spec counts. Users are served one after the other: two who come at the same
// moment meet, and don't both wait. A search of the same user ends. The errors are those of Open.
func (m *Service) Quick(ctx context.Context, u match.User, spec seats.Spec) (match.Ref, error) {
	spec, err := m.spec(u, spec)
	if err != nil {
		return match.Ref{}, err
	}
	done, err := m.turn.Take(ctx)
	if err != nil {
		return match.Ref{}, err
	}
	defer done()
	for range maxTries {
		ref, err := m.try(ctx, u, spec)
		if !errors.Is(err, clusterstore.ErrTaken) {
			return ref, err
		}
	}
	return match.Ref{}, refusal.ErrBusy
}

// try is one try of Quick, by a user who holds m.turn. The error is cluster.ErrTaken if a user of another node was faster.
func (m *Service) try(ctx context.Context, u match.User, spec seats.Spec) (match.Ref, error) {
	terms, err := m.terms(ctx, spec)
	if err != nil {
		return match.Ref{}, err
	}
	for _, s := range m.config.Registry.Offers() {
		if _, own := s.Side(u); own && !s.Studied() && wantOf(specOf(s)) == wantOf(spec) {
			return s.Ref, nil
		}
	}
	casual := spec
	casual.Rated = false
	for _, wanted := range []seats.Spec{spec, casual} {
		ref, err := m.takeFairest(ctx, u, wanted)
		if err != nil || ref != (match.Ref{}) {
			return ref, err
		}
	}
	return m.config.Seats.OpenOn(ctx, u, spec, terms)
}

// specOf returns what kind of match an offer is.
func specOf(s *match.Summary) seats.Spec {
	return seats.Spec{Game: s.Game.About().ID, Options: s.Options, Clock: s.Clock.Setting, Rated: s.Rated}
}

// takeFairest gives a user the fairest match that there is now; the zero Ref if there is none. The errors are those that are about the
// user, that of ctx and refusal.ErrClosed.
func (m *Service) takeFairest(ctx context.Context, u match.User, spec seats.Spec) (match.Ref, error) {
	tried := make(map[match.Key]bool)
	for range maxTries {
		s := m.newSearch(ctx, u, spec)
		seeker := s.first
		seeker.Anyone, seeker.Tried = true, tried
		var other *search
		var offer storage.MatchID
		var terms clusterstore.Terms
		err := m.owner.do(ctx, func() {
			if other, offer = m.owner.fairest(m, s, seeker); other != nil {
				terms = termsOf(other)
			}
		})
		if err != nil {
			return match.Ref{}, err
		}
		var ref match.Ref
		switch {
		case other != nil:
			var whose int
			ref, whose, err = m.config.Seats.OpenBetween(ctx, u, other.user, spec, terms)
			switch {
			case err == nil:
				m.found(ctx, other, ref)
			case errors.Is(err, clusterstore.ErrTaken):
				m.retryLater(ctx, other)
			case whose == 1:
				m.fail(ctx, other, err)
			default:
				m.resume(ctx, other)
				return match.Ref{}, err
			}
		case offer != "":
			if ref, err = m.config.Seats.Take(ctx, u, offer); seats.OwnFault(err) || errors.Is(err, refusal.ErrClosed) || ctx.Err() != nil {
				return match.Ref{}, err
			}
		default:
			return match.Ref{}, nil
		}
		if err == nil {
			return ref, nil
		}
	}
	return match.Ref{}, nil
}

// fairest finds the opponent of somebody who does not wait: another search, which waits no more, or an offer, which still does.
func (q *owner) fairest(m *Service, s *search, seeker pairing.Seeker) (other *search, offer storage.MatchID) {
	if q.add(m, s, seeker); q.searches[s.ticket] != s {
		return nil, ""
	}
	now := m.time()
	ids, offers := m.offers(now)
	pairs := q.pool.Pairs(now, offers)
	at := slices.IndexFunc(pairs, func(p pairing.Pair) bool { return p.A == s.ticket || p.B == s.ticket })
	if at >= 0 {
		switch p := pairs[at]; {
		case p.B == 0:
			offer = ids[p.Offer]
			seeker.Tried[offers[p.Offer].Person] = true
		case p.B == s.ticket:
			other = q.take(p.A)
		default:
			other = q.take(p.B)
		}
		pairs = slices.Delete(pairs, at, at+1)
	}
	q.pool.Remove(s.ticket)
	delete(q.searches, s.ticket)
	q.begin(m, pairs, ids, offers)
	return other, offer
}

// forgetRow removes the row of a search that is over, here and in the store.
func (q *owner) forgetRow(m *Service, s *search) {
	id := s.row
	if id == (clusterstore.SeekerID{}) || q.rows[id] != s {
		return
	}
	delete(q.rows, id)
	q.removeRow(m, s, id)
}

// removeRow removes the row of a search from the store, in a goroutine of its own. retryAll retries what fails.
func (q *owner) removeRow(m *Service, s *search, id clusterstore.SeekerID) {
	over := s.over
	_ = m.config.Tasks.Go(func(ctx, _ context.Context) { // the error: the club closes, and the rows of the node go with it
		was, err := m.config.Shared.RemoveSeeker(ctx, id)
		if was.Match != "" && !over { // paired at the last moment
			_ = m.config.Matches.Do(ctx, was.Match, match.Abort(s.user), func() {}) // the error: the other one was faster
		}
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			_ = q.do(ctx, func() { q.unwanted[id] = s }) // as above
		}
	})
}

// putRow handles a new or changed row of a search.
func (q *owner) putRow(m *Service, row clusterstore.Seeker) {
	s := q.rows[row.ID]
	switch {
	case row.Over && s != nil:
		q.leavePool(s)
		q.end(m, s, refusal.ErrElsewhere)
	case row.Over:
		q.goneOther(row.ID)
	case row.Match == "" && s == nil && !m.config.Node.Own(row.ID.Node):
		q.putOther(m, row)
	case row.Match != "" && s != nil && !s.over:
		q.finish(s)
		_ = m.config.Tasks.Go(func(ctx, _ context.Context) { // the error: the club closes
			m.config.Matches.UntilKnown(ctx, row.Match)
			m.tellFound(ctx, s, match.Ref{ID: row.Match, Code: row.Code})
		})
	case row.Match != "" && s != nil:
	case row.Match != "":
		q.goneOther(row.ID)
	}
}

// leavePool removes a search from the pool, if it is there.
func (q *owner) leavePool(s *search) {
	if q.searches[s.ticket] == s {
		q.pool.Remove(s.ticket)
		delete(q.searches, s.ticket)
	}
}

// putOther adds a search of another node to the pool, unless the same person has begun a newer one.
func (q *owner) putOther(m *Service, row clusterstore.Seeker) {
	setting, err := clock.Parse(row.Clock)
	if row.Clock != "" && err != nil {
		return // another version of the program
	}
	u, turn := match.User(row.Who), turnOf(row.Since, row.ID)
	for _, s := range q.searches {
		if s.user.Key() == u.Key() && turnOf(s.since, s.row) > turn {
			return // they have begun a newer search here
		}
	}
	for _, o := range q.other {
		if match.User(o.Who).Key() == u.Key() && turnOf(o.Since, o.ID) > turn {
			return // or at a third node
		}
	}
	q.goneOther(row.ID)
	t, replaced, err := q.pool.Add(pairing.Seeker{
		Person: u.Key(), Want: pairing.Want{Game: row.Game, Options: row.Options, Clock: setting, Rated: row.Rated},
		Rating: row.Rating, Deviation: row.Deviation, Since: row.Since, Elsewhere: true, Turn: turn,
	})
	q.replace(m, replaced)
	if err == nil {
		q.other[t] = row
	}
}

// goneOther removes a search of another node.
func (q *owner) goneOther(id clusterstore.SeekerID) {
	delete(q.taken, id)
	for t, o := range q.other {
		if o.ID == id {
			q.pool.Remove(t)
			delete(q.other, t)
		}
	}
}

// gone handles the removal of a row. If its search is still going on here, this node was declared gone, or another node removed the row
// because it could not open a match; then the search is retried.
func (q *owner) gone(id clusterstore.SeekerID) {
	q.goneOther(id)
	if s := q.rows[id]; s != nil {
		delete(q.rows, id)
		q.leavePool(s)
		if !s.hiding {
			q.retry[s] = true
		}
	}
}

// retryAll retries what could not be done before: searches whose rows are gone or that another node has overtaken, and removing rows.
func (q *owner) retryAll(m *Service) {
	unwanted := maps.Clone(q.unwanted)
	clear(q.unwanted)
	for id, s := range unwanted {
		q.removeRow(m, s, id)
	}
	retry := maps.Clone(q.retry)
	clear(q.retry)
	for s := range retry {
		switch {
		case s.elsewhere != nil || q.rows[s.row] == s:
			q.start(m, func(ctx context.Context) { m.resume(ctx, s) }, s)
		case !s.over && !s.isGone():
			q.start(m, func(ctx context.Context) { m.restart(ctx, s) }, s)
		case s.row != (clusterstore.SeekerID{}):
			q.removeRow(m, s, s.row) // it may have been written after all
		}
	}
}
