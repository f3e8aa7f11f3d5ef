package quick

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

// rows are how other nodes know of the searches of this one: storedRows, or noRows in a club with one node.
type rows interface {
	show(ctx context.Context, s *search, seeker *pairing.Seeker) error
	terms(ctx context.Context, spec seats.Spec) (clusterstore.Terms, error)
	retryLater(ctx context.Context, s *search)
}

// noRows is for a club with one node.
type noRows struct{ service *Service }

func (noRows) show(context.Context, *search, *pairing.Seeker) error { return nil }

func (noRows) terms(context.Context, seats.Spec) (clusterstore.Terms, error) {
	return clusterstore.Terms{}, nil
}

// storedRows are rows in the store.
type storedRows struct{ service *Service }

func (r noRows) retryLater(ctx context.Context, s *search) { r.service.resume(ctx, s) }

func (r storedRows) retryLater(ctx context.Context, s *search) {
	m := r.service
	if err := m.owner.do(ctx, func() { m.owner.retry[s] = true }); err != nil && s.elsewhere == nil {
		s.feed.Close(err)
	}
}

// turnOf returns pairing.Seeker.Turn: an order of all searches that is the same on every node.
func turnOf(came time.Time, id clusterstore.SeekerID) string {
	return came.UTC().Format("2006-01-02T15:04:05.000") + " " + id.Ticket
}

// show writes the row of a search to the store, unless it is there, and sets seeker.Turn.
func (m *Service) show(ctx context.Context, s *search, seeker *pairing.Seeker) error {
	return m.rows.show(ctx, s, seeker)
}

func (r storedRows) show(ctx context.Context, s *search, seeker *pairing.Seeker) error {
	m := r.service
	if s.isGone() {
		return nil
	}
	if err := m.config.Reach.Check(); err != nil {
		return err
	}
	id, isNew := clusterstore.SeekerID{Node: m.config.Node.ID(), Ticket: fmt.Sprintf("%016x%s", m.owner.tickets.Add(1), rand.Text())}, false
	err := m.owner.do(ctx, func() {
		if isNew = s.row == (clusterstore.SeekerID{}); isNew {
			m.owner.rows[id], s.row = s, id
		}
		id = s.row
	})
	if isNew && err == nil {
		w := seeker.Want
		err = m.config.Shared.AddSeeker(ctx, clusterstore.Seeker{
			ID: id, Who: s.user.Occupant(), Game: w.Game, Options: w.Options, Clock: seats.StoredClock(w.Clock), Rated: w.Rated,
			Rating: seeker.Rating, Deviation: seeker.Deviation, Since: s.since,
		})
		failed := m.owner.do(context.WithoutCancel(ctx), func() {
			switch {
			case s.over: // another node has paired it: the row was written
				err = nil
			case err != nil:
				m.owner.forgetRow(m, s)
				delete(m.owner.retry, s)
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

// hide removes the row of a search from the store. ref is the match that another node has opened for it before, if any.
func (m *Service) hide(ctx context.Context, s *search, row clusterstore.SeekerID) (ref match.Ref, err error) {
	if row == (clusterstore.SeekerID{}) {
		return match.Ref{}, nil
	}
	var was clusterstore.Seeker
	err = m.owner.do(ctx, func() { s.hiding = true })
	if err == nil {
		was, err = m.config.Shared.RemoveSeeker(ctx, row)
	}
	failed := err != nil && !errors.Is(err, storage.ErrNotFound)
	closed := m.owner.do(context.WithoutCancel(ctx), func() {
		if s.hiding = false; !failed {
			delete(m.owner.rows, row)
			s.row, s.shown = clusterstore.SeekerID{}, false
		}
	})
	if failed {
		return match.Ref{}, err
	}
	return match.Ref{ID: was.Match, Code: was.Code}, closed
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

// terms returns the terms on which Quick opens an offer: no other node may have opened one like it that isn't known here.
func (m *Service) terms(ctx context.Context, spec seats.Spec) (clusterstore.Terms, error) {
	return m.rows.terms(ctx, spec)
}

func (r storedRows) terms(ctx context.Context, spec seats.Spec) (clusterstore.Terms, error) {
	m := r.service
	w := wantOf(spec)
	w.Rated = false // a rated offer may find a casual one
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", w))
	t := clusterstore.Terms{Place: "quick " + hex.EncodeToString(sum[:])}
	last, err := m.config.Shared.Place(ctx, t.Place)
	if err != nil {
		return t, refusal.OfStore(err)
	}
	t.Last = last
	m.config.Matches.UntilKnown(ctx, last)
	return t, ctx.Err()
}

// Follow follows the rows of all searches until ctx ends: those of other nodes, and matches that these open for people here.
func (m *Service) Follow(ctx context.Context) {
	q := m.owner
	do := func(f func()) { _ = q.do(ctx, f) } // the error: the club closes
	m.config.Node.Follow(ctx, func(ctx context.Context) error {
		return m.config.Shared.FollowSeekers(ctx, storage.Follower[clusterstore.SeekerID, clusterstore.Seeker]{
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
						q.putRow(m, row)
					}
				})
			},
			Put:  func(row clusterstore.Seeker) { do(func() { q.putRow(m, row) }) },
			Gone: func(id clusterstore.SeekerID) { do(func() { q.gone(id) }) },
			Bad:  m.unreadable,
		})
	})
}

// restart begins a search again whose row is gone, or ends it if its person can't have a match now.
func (m *Service) restart(ctx context.Context, s *search) {
	ref, err := m.hide(ctx, s, s.row)
	switch {
	case err != nil:
		err = m.owner.do(ctx, func() { m.owner.retry[s] = true })
	case ref != (match.Ref{}):
		m.found(ctx, s, ref)
	default:
		if fault := m.config.Seats.HasRoom(ctx, s.user); seats.OwnFault(fault) {
			m.fail(ctx, s, fault)
		} else {
			m.resume(ctx, s)
		}
	}
	if err != nil {
		s.feed.Close(err)
	}
}
