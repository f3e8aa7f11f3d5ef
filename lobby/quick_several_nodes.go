package lobby

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
)

// # Quick matches of several nodes
//
// Each node's pool holds all people who look for a match: its own, and those of other nodes from rows in the store (cluster.Seeker). All
// pools find the same pairs, and pairing.Seeker says which node opens the match of a pair. It does so in a transaction that enters the
// match in both rows, so another node that has paired one of the two is refused.

// searchRows are how other nodes know of the searches of this one: storedRows, or noRows in a club with one node.
type searchRows interface {
	show(ctx context.Context, s *search, seeker *pairing.Seeker) error
	terms(ctx context.Context, spec seats.Spec) (clusterstore.Terms, error)
	retryLater(ctx context.Context, s *search)
}

// noRows is for a club with one node.
type noRows struct{ lobby *Lobby }

func (noRows) show(context.Context, *search, *pairing.Seeker) error { return nil }

func (noRows) terms(context.Context, seats.Spec) (clusterstore.Terms, error) {
	return clusterstore.Terms{}, nil
}

// storedRows are rows in the store.
type storedRows struct{ lobby *Lobby }

// turnOf returns pairing.Seeker.Turn: an order of all searches that is the same on every node.
func turnOf(came time.Time, id clusterstore.SeekerID) string {
	return came.UTC().Format("2006-01-02T15:04:05.000") + " " + id.Ticket
}

// showSeeker writes the row of a search to the store, unless it is there, and sets seeker.Turn.
func (l *Lobby) showSeeker(ctx context.Context, s *search, seeker *pairing.Seeker) error {
	return l.searchRows.show(ctx, s, seeker)
}

func (r storedRows) show(ctx context.Context, s *search, seeker *pairing.Seeker) error {
	l := r.lobby
	if s.isGone() {
		return nil
	}
	if err := l.reach.Check(); err != nil {
		return err
	}
	id, isNew := clusterstore.SeekerID{Node: l.node.ID(), Ticket: fmt.Sprintf("%016x%s", l.quick.tickets.Add(1), rand.Text())}, false
	err := l.quick.do(ctx, func() {
		if isNew = s.row == (clusterstore.SeekerID{}); isNew {
			l.quick.rows[id], s.row = s, id
		}
		id = s.row
	})
	if isNew && err == nil {
		w := seeker.Want
		err = l.shared.AddSeeker(ctx, clusterstore.Seeker{
			ID: id, Who: s.user.Occupant(), Game: w.Game, Options: w.Options, Clock: seats.StoredClock(w.Clock), Rated: w.Rated,
			Rating: seeker.Rating, Deviation: seeker.Deviation, Since: s.since,
		})
		failed := l.quick.do(context.WithoutCancel(ctx), func() {
			switch {
			case s.over: // another node has paired it: the row was written
				err = nil
			case err != nil:
				l.quick.forgetRow(l, s)
				delete(l.quick.retry, s)
				s.row = clusterstore.SeekerID{}
			default:
				s.shown = true
			}
		})
		err = errors.Join(refusal.OfStore(err), failed)
	}
	seeker.Turn = turnOf(s.since, id)
	return err
}

// hideSeeker removes the row of a search from the store. ref is the match that another node has opened for it before, if any.
func (l *Lobby) hideSeeker(ctx context.Context, s *search, row clusterstore.SeekerID) (ref Ref, err error) {
	if row == (clusterstore.SeekerID{}) {
		return Ref{}, nil
	}
	var was clusterstore.Seeker
	err = l.quick.do(ctx, func() { s.hiding = true })
	if err == nil {
		was, err = l.shared.RemoveSeeker(ctx, row)
	}
	failed := err != nil && !errors.Is(err, storage.ErrNotFound)
	closed := l.quick.do(context.WithoutCancel(ctx), func() {
		if s.hiding = false; !failed {
			delete(l.quick.rows, row)
			s.row, s.shown = clusterstore.SeekerID{}, false
		}
	})
	if failed {
		return Ref{}, err
	}
	return Ref{ID: was.Match, Code: was.Code}, closed
}

// forgetRow removes the row of a search that is over, here and in the store.
func (q *quickMatches) forgetRow(l *Lobby, s *search) {
	id := s.row
	if id == (clusterstore.SeekerID{}) || q.rows[id] != s {
		return
	}
	delete(q.rows, id)
	q.removeRow(l, s, id)
}

// removeRow removes the row of a search from the store, in a goroutine of its own. retryAll retries what fails.
func (q *quickMatches) removeRow(l *Lobby, s *search, id clusterstore.SeekerID) {
	over := s.over
	_ = l.tasks.Go(func(ctx, _ context.Context) { // the error: the club closes, and the rows of the node go with it
		was, err := l.shared.RemoveSeeker(ctx, id)
		if was.Match != "" && !over { // paired at the last moment
			_ = l.Matches.Do(ctx, was.Match, match.Abort(s.user), func() {}) // the error: the other one was faster
		}
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			_ = q.do(ctx, func() { q.unwanted[id] = s }) // as above
		}
	})
}

// termsOf returns the terms of a match between people who looked for one.
func termsOf(of ...*search) (t clusterstore.Terms) {
	for _, s := range of {
		if s.row != (clusterstore.SeekerID{}) {
			t.Seekers = append(t.Seekers, s.row)
		}
	}
	return t
}

// quickTerms returns the terms on which Quick opens an offer: no other node may have opened one like it that isn't known here.
func (l *Lobby) quickTerms(ctx context.Context, spec seats.Spec) (clusterstore.Terms, error) {
	return l.searchRows.terms(ctx, spec)
}

func (r storedRows) terms(ctx context.Context, spec seats.Spec) (clusterstore.Terms, error) {
	l := r.lobby
	w := wantOf(spec)
	w.Rated = false // a rated offer may find a casual one
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", w))
	t := clusterstore.Terms{Place: "quick " + hex.EncodeToString(sum[:])}
	last, err := l.shared.Place(ctx, t.Place)
	if err != nil {
		return t, refusal.OfStore(err)
	}
	t.Last = last
	l.Matches.UntilKnown(ctx, last)
	return t, ctx.Err()
}

// followSeekers follows the rows of all searches until ctx ends: those of other nodes, and matches that these open for people here.
func (l *Lobby) followSeekers(ctx context.Context) {
	q := l.quick
	do := func(f func()) { _ = q.do(ctx, f) } // the error: the club closes
	l.node.Follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowSeekers(ctx, storage.Follower[clusterstore.SeekerID, clusterstore.Seeker]{
			All: func(rows []clusterstore.Seeker) {
				there := make(map[clusterstore.SeekerID]bool)
				for _, row := range rows {
					there[row.ID] = true
				}
				do(func() {
					for _, o := range q.other {
						if !there[o.ID] {
							q.goneOther(o.ID)
						}
					}
					maps.DeleteFunc(q.taken, func(id clusterstore.SeekerID, _ bool) bool { return !there[id] })
					for id, s := range q.rows {
						if !there[id] && s.shown {
							q.gone(id)
						}
					}
					for _, row := range rows {
						q.putRow(l, row)
					}
				})
			},
			Put:  func(row clusterstore.Seeker) { do(func() { q.putRow(l, row) }) },
			Gone: func(id clusterstore.SeekerID) { do(func() { q.gone(id) }) },
			Bad:  l.unreadable,
		})
	})
}

// putRow handles a new or changed row of a search.
func (q *quickMatches) putRow(l *Lobby, row clusterstore.Seeker) {
	s := q.rows[row.ID]
	switch {
	case row.Over && s != nil:
		q.leavePool(s)
		q.end(l, s, ErrElsewhere)
	case row.Over:
		q.goneOther(row.ID)
	case row.Match == "" && s == nil && !l.node.Own(row.ID.Node):
		q.putOther(l, row)
	case row.Match != "" && s != nil && !s.over:
		q.finish(s)
		_ = l.tasks.Go(func(ctx, _ context.Context) { // the error: the club closes
			l.Matches.UntilKnown(ctx, row.Match)
			l.tellFound(ctx, s, Ref{ID: row.Match, Code: row.Code})
		})
	case row.Match != "" && s != nil:
	case row.Match != "":
		q.goneOther(row.ID)
	}
}

// leavePool removes a search from the pool, if it is there.
func (q *quickMatches) leavePool(s *search) {
	if q.searches[s.ticket] == s {
		q.pool.Remove(s.ticket)
		delete(q.searches, s.ticket)
	}
}

// putOther adds a search of another node to the pool, unless the same person has begun a newer one.
func (q *quickMatches) putOther(l *Lobby, row clusterstore.Seeker) {
	setting, err := ParseClock(row.Clock)
	if row.Clock != "" && err != nil {
		return // another version of the program
	}
	u, turn := User(row.Who), turnOf(row.Since, row.ID)
	for _, s := range q.searches {
		if s.user.Key() == u.Key() && turnOf(s.since, s.row) > turn {
			return // they have begun a newer search here
		}
	}
	for _, o := range q.other {
		if User(o.Who).Key() == u.Key() && turnOf(o.Since, o.ID) > turn {
			return // or at a third node
		}
	}
	q.goneOther(row.ID)
	t, replaced, err := q.pool.Add(pairing.Seeker{
		Person: u.Key(), Want: pairing.Want{Game: row.Game, Options: row.Options, Clock: setting, Rated: row.Rated},
		Rating: row.Rating, Deviation: row.Deviation, Since: row.Since, Elsewhere: true, Turn: turn,
	})
	q.replace(l, replaced)
	if err == nil {
		q.other[t] = row
	}
}

// goneOther removes a search of another node.
func (q *quickMatches) goneOther(id clusterstore.SeekerID) {
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
func (q *quickMatches) gone(id clusterstore.SeekerID) {
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
func (q *quickMatches) retryAll(l *Lobby) {
	unwanted := maps.Clone(q.unwanted)
	clear(q.unwanted)
	for id, s := range unwanted {
		q.removeRow(l, s, id)
	}
	retry := maps.Clone(q.retry)
	clear(q.retry)
	for s := range retry {
		switch {
		case s.elsewhere != nil || q.rows[s.row] == s:
			q.start(l, func(ctx context.Context) { l.resumeSearch(ctx, s) }, s)
		case !s.over && !s.isGone():
			q.start(l, func(ctx context.Context) { l.restartSearch(ctx, s) }, s)
		case s.row != (clusterstore.SeekerID{}):
			q.removeRow(l, s, s.row) // it may have been written after all
		}
	}
}

// restartSearch begins a search again whose row is gone, or ends it if its person can't have a match now.
func (l *Lobby) restartSearch(ctx context.Context, s *search) {
	ref, err := l.hideSeeker(ctx, s, s.row)
	switch {
	case err != nil:
		err = l.quick.do(ctx, func() { l.quick.retry[s] = true })
	case ref != (Ref{}):
		l.found(ctx, s, ref)
	default:
		if fault := l.Seats.HasRoom(ctx, s.user); seats.OwnFault(fault) {
			l.failSearch(ctx, s, fault)
		} else {
			l.resumeSearch(ctx, s)
		}
	}
	if err != nil {
		s.feed.Close(err)
	}
}
