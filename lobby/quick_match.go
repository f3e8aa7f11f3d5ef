package lobby

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/pairing"
	"ludoteca/storage"
)

// # Quick matches
//
// People who look for a quick match wait in a pairing.Pool, which one goroutine owns, quickMatches.run, with one timer for all of them.
// It pairs them with each other and with the open offers, and tells each how far the search has come. A match is opened, or an offer
// taken, in a goroutine of its own, so that a slow disk holds up nobody else.

// lookEvery is how often those who wait are told how far they are, and looked at again.
const lookEvery = time.Second

// A Looking is how far a search has come.
type Looking struct {
	pairing.Looking
	Match Ref // what was found; the zero value while there is nothing
}

// A Search is somebody's wait for a quick match. Any goroutine may use it.
type Search interface {
	// Next returns how far the search has come as soon as the number of that is above after, and the number; start with 0. Once Match
	// is set there is nothing newer. The errors are that of ctx, ErrElsewhere if the user began another search since, those of Open
	// that ended the search, and ErrClosed.
	Next(ctx context.Context, after uint64) (Looking, uint64, error)
}

// A search is a Search as its owner knows it.
type search struct {
	user  User
	spec  Spec
	gone  <-chan struct{} // closed when nobody waits for it any more
	feed  *feed.Feed[Looking]
	since time.Time

	// Of quickMatches.run alone.
	ticket pairing.Ticket
	told   bool // its feed has a value
}

// isGone says whether nobody waits for the search any more.
func (s *search) isGone() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

func (l *Lobby) newSearch(ctx context.Context, u User, spec Spec) *search {
	return &search{user: u, spec: spec, gone: ctx.Done(), feed: feed.New[Looking](l.feeds), since: time.Now()}
}

// Next implements Search.
func (s *search) Next(ctx context.Context, after uint64) (Looking, uint64, error) {
	return s.feed.Next(ctx, after)
}

// quickMatches owns those who look for a quick match.
type quickMatches struct {
	requests chan func() // run by run
	closing  <-chan struct{}

	// Of run alone.
	pool     *pairing.Pool
	searches map[pairing.Ticket]*search
	next     time.Time // when everybody is looked at again
}

func newQuickMatches(blocked func(a, b match.Key) bool, closing <-chan struct{}) *quickMatches {
	return &quickMatches{
		requests: make(chan func()), closing: closing, pool: pairing.New(blocked), searches: make(map[pairing.Ticket]*search),
	}
}

// run pairs those who wait until ctx ends.
func (q *quickMatches) run(ctx context.Context, l *Lobby) {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	for {
		var tick <-chan time.Time
		if q.pool.Len() > 0 {
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
		}
		q.pair(l)
		q.publish()
	}
}

// do has the owner run f, and returns when it has. The error is that of ctx or ErrClosed.
func (q *quickMatches) do(ctx context.Context, f func()) error {
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
		return ErrClosed
	}
}

// add takes in a search, with the time that it has waited already. Another one of the same person ends.
func (q *quickMatches) add(s *search, seeker pairing.Seeker) {
	t, replaced, err := q.pool.Add(seeker)
	if old := q.searches[replaced]; old != nil {
		delete(q.searches, replaced)
		old.feed.Close(ErrElsewhere)
	}
	if err != nil {
		s.feed.Close(ErrFull)
		return
	}
	s.ticket = t
	q.searches[t] = s
}

// remove takes a search out that is over, or has nobody who waits for it any more.
func (q *quickMatches) remove(s *search) {
	if q.searches[s.ticket] == s {
		q.pool.Remove(s.ticket)
		delete(q.searches, s.ticket)
	}
}

// pair begins the matches that can begin now.
func (q *quickMatches) pair(l *Lobby) {
	if q.pool.Len() == 0 {
		return
	}
	ids, offers := l.quickOffers(time.Now(), nil)
	q.begin(l, q.pool.Pairs(time.Now(), offers), ids)
}

// begin begins the matches of some pairs.
func (q *quickMatches) begin(l *Lobby, pairs []pairing.Pair, offers []storage.MatchID) {
	for _, p := range pairs {
		a := q.searches[p.A]
		delete(q.searches, p.A)
		if p.B == 0 {
			q.start(l, func(ctx context.Context) { l.takeFor(ctx, a, offers[p.Offer]) }, a)
			continue
		}
		b := q.searches[p.B]
		delete(q.searches, p.B)
		q.start(l, func(ctx context.Context) { l.openFor(ctx, a, b) }, a, b)
	}
}

// start begins a match for some searches, in a goroutine of its own.
func (q *quickMatches) start(l *Lobby, begin func(context.Context), of ...*search) {
	if err := l.start(func(ctx, _ context.Context) { begin(ctx) }); err != nil {
		for _, s := range of {
			s.feed.Close(err)
		}
	}
}

// publish tells everybody who waits how far they are.
func (q *quickMatches) publish() {
	now := time.Now()
	for t, s := range q.searches {
		at, _ := q.pool.Looking(t, now)
		at.Waited = at.Waited.Truncate(time.Second)
		s.feed.Update(func(old Looking, _ uint64) (Looking, bool) { return Looking{Looking: at}, old.Looking != at || !s.told })
		s.told = true
	}
}

// Seek looks for an opponent for a match with the game, the options and the clock of spec, rated if spec.Rated; otherwise, and for
// every guest, it is casual. Nothing else of spec counts. The search ends with ctx, at once. It takes the fairest among those who look
// for the same and the public offers of it. A user looks for one match at a time: a search before ends with ErrElsewhere.
// The errors are ErrNoSuchGame, a *games.OptionError, ErrEndless, that of ctx, ErrClosed; what else Open may say ends the search later.
func (l *Lobby) Seek(ctx context.Context, u User, spec Spec) (Search, error) {
	spec, err := l.quickSpec(u, spec)
	if err != nil {
		return nil, err
	}
	s := l.newSearch(ctx, u, spec)
	seeker := l.seeker(ctx, s)
	if err := l.quick.do(ctx, func() { l.quick.add(s, seeker) }); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = l.quick.do(context.Background(), func() { l.quick.remove(s) }) }) // the error: the club closes
	return s, nil
}

// quickSpec returns what a quick match of a user is, with all options.
func (l *Lobby) quickSpec(u User, spec Spec) (Spec, error) {
	spec = Spec{
		Game: spec.Game, Options: spec.Options, Clock: spec.Clock, Public: true, Rated: spec.Rated && u.Kind == storage.Person,
	}
	o, err := l.plan(spec)
	if err == nil {
		err = l.mayMeet(u)
	}
	spec.Game, spec.Options = o.Game, o.Options
	return spec, err
}

// wantOf returns what a quick match is, as those who look for one are compared.
func wantOf(spec Spec) pairing.Want {
	return pairing.Want{Game: spec.Game, Options: spec.Options.String(), Clock: spec.Clock, Rated: spec.Rated}
}

// seeker returns a search as it waits.
func (l *Lobby) seeker(ctx context.Context, s *search) pairing.Seeker {
	st := ratedAs(l.strength(ctx, s.user.Occupant(), s.spec.Game))
	return pairing.Seeker{Person: s.user.Key(), Want: wantOf(s.spec), Rating: st.Rating, Deviation: st.Deviation, Since: s.since}
}

// quickOffers returns the public offers that a quick match may take, but for some.
func (l *Lobby) quickOffers(now time.Time, without []storage.MatchID) (ids []storage.MatchID, offers []pairing.Offer) {
	for _, s := range l.index.openOffers() {
		o := offerOf(s)
		if s.Studied() || slices.Contains(without, s.ID) { // a position is for those who want just that
			continue
		}
		ids = append(ids, s.ID)
		offers = append(offers, pairing.Offer{
			Person: match.KeyOf(o.By), Rating: ratedAs(o.Strength).Rating, Range: s.Range, Since: now.Add(o.Since.Sub(l.now())),
			Want: wantOf(Spec{Game: o.Game, Options: o.Options, Clock: o.Clock, Rated: o.Rated}),
		})
	}
	return ids, offers
}

// openFor opens the match of two who have found each other. If one of them can't play, the other one looks on.
func (l *Lobby) openFor(ctx context.Context, a, b *search) {
	ref, whose, err := l.openBetween(ctx, a.user, b.user, a.spec)
	for i, s := range []*search{a, b} {
		switch {
		case err == nil:
			l.found(ctx, s, ref)
		case whose == i || whose < 0:
			s.feed.Close(err)
		default:
			l.lookOn(ctx, s)
		}
	}
}

// takeFor takes an offer for somebody who looks for a match, who looks on if that fails.
func (l *Lobby) takeFor(ctx context.Context, s *search, id storage.MatchID) {
	ref, err := l.Take(ctx, s.user, id)
	switch {
	case err == nil:
		l.found(ctx, s, ref)
	case ownFault(err), errors.Is(err, ErrClosed), ctx.Err() != nil:
		s.feed.Close(err)
	default:
		l.lookOn(ctx, s)
	}
}

// found tells somebody of the match that was found for them. One whose session has ended meanwhile leaves it.
func (l *Lobby) found(ctx context.Context, s *search, ref Ref) {
	s.feed.Publish(Looking{Match: ref})
	if s.isGone() {
		_ = l.do(ctx, ref.ID, match.Abort(s.user), func() {}) // the error: the other one was faster
	}
}

// lookOn lets somebody wait again, from when they came.
func (l *Lobby) lookOn(ctx context.Context, s *search) {
	seeker := l.seeker(ctx, s)
	err := l.quick.do(ctx, func() {
		if !s.isGone() {
			l.quick.add(s, seeker)
		}
	})
	if err != nil {
		s.feed.Close(err)
	}
}

// ownFault says whether an error is about the user who wants a match, and not about that match.
func ownFault(err error) bool {
	return errors.Is(err, ErrTooMany) || errors.Is(err, ErrTooFast) || errors.Is(err, ErrAccountClosed) || errors.Is(err, ErrNoAccount)
}

// openBetween opens a match between two users, which begins at once. whose says which of them the error is about: 0, 1, or -1 for neither.
func (l *Lobby) openBetween(ctx context.Context, a, b User, spec Spec) (ref Ref, whose int, err error) {
	o, err := l.plan(spec)
	if err != nil {
		return Ref{}, -1, err
	}
	side := games.Side(randomSeed() % 2)
	seats := [2]storage.Occupant{b.Occupant(), b.Occupant()}
	seats[side] = a.Occupant()
	o.First, o.Second = seats[games.First], seats[games.Second]
	release, err := l.reserve(ctx, b, pending{matches: 1})
	if err != nil {
		return Ref{}, blame(err, 1), err
	}
	defer release()
	whose = 1
	err = l.throttled(l.pace.opening, b, func() (err error) {
		whose = 0
		ref, err = l.openMatch(ctx, a, o, storage.SeatOf(side), pending{matches: 1})
		return err
	})
	return ref, blame(err, whose), err
}

// blame returns whose an error is, if it is anybody's.
func blame(err error, whose int) int {
	if ownFault(err) {
		return whose
	}
	return -1
}

// maxQuickTries is how many opponents Quick tries, one after the other, who are gone when it comes to it.
const maxQuickTries = 20

// Quick takes the fairest among the public offers of others with the game, the options and the clock of spec, and those who look for the
// same (Seek), or else opens an offer; asked again while that waits, it returns it. Fairest is the nearest rating, less so much for each
// second of waiting (package pairing). If spec.Rated, it takes a casual match only if there is no rated one; otherwise, and for
// every guest, the match is casual. Nothing else of spec counts. Users are served one after the other: two who come at the same
// moment meet, and don't both wait. A search of the same user ends. The errors are those of Open.
func (l *Lobby) Quick(ctx context.Context, u User, spec Spec) (Ref, error) {
	spec, err := l.quickSpec(u, spec)
	if err != nil {
		return Ref{}, err
	}
	select {
	case l.pairing <- struct{}{}:
		defer func() { <-l.pairing }()
	case <-ctx.Done():
		return Ref{}, ctx.Err()
	case <-l.closing:
		return Ref{}, ErrClosed
	}
	for _, s := range l.index.openOffers() {
		if _, own := s.Side(u); own && !s.Studied() && wantOf(specOf(s)) == wantOf(spec) {
			return s.Ref, nil
		}
	}
	casual := spec
	casual.Rated = false
	for _, wanted := range []Spec{spec, casual} {
		ref, err := l.takeFairest(ctx, u, wanted)
		if err != nil || ref != (Ref{}) {
			return ref, err
		}
	}
	return l.Open(ctx, u, spec)
}

// specOf returns what kind of match an offer is.
func specOf(s *match.Summary) Spec {
	return Spec{Game: s.Game.About().ID, Options: s.Options, Clock: s.Clock.Setting, Rated: s.Rated}
}

// takeFairest gives a user the fairest match that there is now; the zero Ref if there is none. The errors are those that are about the
// user, that of ctx and ErrClosed.
func (l *Lobby) takeFairest(ctx context.Context, u User, spec Spec) (Ref, error) {
	var gone []storage.MatchID
	for range maxQuickTries {
		s := l.newSearch(ctx, u, spec)
		seeker := l.seeker(ctx, s)
		seeker.Anyone = true
		var other *search
		var offer storage.MatchID
		err := l.quick.do(ctx, func() { other, offer = l.quick.fairest(l, s, seeker, gone) })
		if err != nil {
			return Ref{}, err
		}
		var ref Ref
		switch {
		case other != nil:
			var whose int
			if ref, whose, err = l.openBetween(ctx, u, other.user, spec); err != nil && whose == 1 {
				other.feed.Close(err)
			} else if err != nil {
				l.lookOn(ctx, other)
			} else {
				l.found(ctx, other, ref)
			}
			if err != nil && whose != 1 {
				return Ref{}, err
			}
		case offer != "":
			gone = append(gone, offer)
			if ref, err = l.Take(ctx, u, offer); ownFault(err) || errors.Is(err, ErrClosed) || ctx.Err() != nil {
				return Ref{}, err
			}
		default:
			return Ref{}, nil
		}
		if err == nil {
			return ref, nil
		}
	}
	return Ref{}, nil
}

// fairest finds the opponent of somebody who does not wait: another search, which waits no more, or an offer, which still does.
func (q *quickMatches) fairest(l *Lobby, s *search, seeker pairing.Seeker, without []storage.MatchID) (other *search, offer storage.MatchID) {
	if q.add(s, seeker); q.searches[s.ticket] != s {
		return nil, ""
	}
	ids, offers := l.quickOffers(time.Now(), without)
	pairs := q.pool.Pairs(time.Now(), offers)
	at := slices.IndexFunc(pairs, func(p pairing.Pair) bool { return p.A == s.ticket || p.B == s.ticket })
	if at >= 0 {
		switch p := pairs[at]; {
		case p.B == 0:
			offer = ids[p.Offer]
		case p.B == s.ticket:
			other = q.searches[p.A]
			delete(q.searches, p.A)
		default:
			other = q.searches[p.B]
			delete(q.searches, p.B)
		}
		pairs = slices.Delete(pairs, at, at+1)
	}
	q.pool.Remove(s.ticket)
	delete(q.searches, s.ticket)
	q.begin(l, pairs, ids)
	return other, offer
}

// LastQuick returns the quick match that a player asked for last, as their settings say; ok is false if there was none, or the club does
// not have that game any more.
func (l *Lobby) LastQuick(s storage.Settings) (spec Spec, ok bool) { return LastQuick(l.games, s) }

// LastQuick is Lobby.LastQuick for a club with some games.
func LastQuick(all []games.Game, s storage.Settings) (spec Spec, ok bool) {
	g, ok := games.Find(all, s.QuickGame)
	if s.QuickGame == "" || !ok {
		return Spec{}, false
	}
	spec = Spec{Game: g.About().ID, Rated: !s.QuickCasual}
	if set, ok := g.About().OptionSet(s.QuickSet); ok {
		spec.Options = set.Options
	}
	if c, err := ParseClock(s.QuickClock); err == nil {
		spec.Clock = c
	}
	return spec, true
}

// RememberQuick returns settings that say which quick match a player has asked for last. Of options that are no option set the defaults
// are remembered.
func (l *Lobby) RememberQuick(s storage.Settings, spec Spec) storage.Settings {
	return RememberQuick(l.games, s, spec)
}

// RememberQuick is Lobby.RememberQuick for a club with some games.
func RememberQuick(all []games.Game, s storage.Settings, spec Spec) storage.Settings {
	g, ok := games.Find(all, spec.Game)
	if !ok {
		return s
	}
	s.QuickGame, s.QuickCasual, s.QuickSet, s.QuickClock = g.About().ID, !spec.Rated, "", storedClock(spec.Clock)
	if o, err := games.Complete(g, spec.Options); err == nil {
		if set := g.About().SetOf(o); set != games.Classic {
			s.QuickSet = set
		}
	}
	return s
}
