package quick

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// A Looking is the state of a search.
type Looking struct {
	pairing.Looking
	Call  Call
	Match match.Ref // the match found; zero while there is none
}

// A Search is a user's search for a quick match. It is safe for concurrent use.
type Search interface {
	// Next returns the state of the search and its number as soon as the number is above after. Start with 0. A state with Match set is
	// the last one. The errors are ctx.Err(), refusal.ErrElsewhere if the user began another search since, an error of seats.Service.Open
	// that ended the search, refusal.ErrMissedCall if the user did not come when they were called, and refusal.ErrClosed.
	Next(ctx context.Context, after uint64) (Looking, uint64, error)

	// SetAway says that the user does something else from now on, or is there again. While they are away, no match begins: they are called to it
	// first (Call), and have CallTime to come. A search begins with a user who is there.
	SetAway(away bool)
}

// A search is a Search of this node. The goroutine of follow acts on its row.
type search struct {
	service *Service
	user    match.User
	left    <-chan struct{} // closed when the user no longer waits
	feed    *feed.Feed[Looking]
	changed chan struct{} // holds one: the pool has news of the search

	told bool // its feed has a value; of pool.run alone

	away    atomic.Bool   // as SetAway says
	outcome atomic.Int32  // undecided, accepted or abandoned
	decided chan struct{} // closed when outcome isn't undecided any more

	// Of follow alone.
	id    cluster.SeekerID
	tries int // offers taken, or not
}

// Next implements Search.
func (s *search) Next(ctx context.Context, after uint64) (Looking, uint64, error) {
	l, seq, err := s.feed.Next(ctx, after)
	if err == nil && l.Match != (match.Ref{}) && !s.decide(accepted) {
		return Looking{}, 0, context.Canceled // the user has left, and the match is called off
	}
	return l, seq, err
}

// SetAway implements Search.
func (s *search) SetAway(away bool) {
	s.away.Store(away)
	s.wake()
}

// What a user does about the match that a search has found: they learn of it, or have left before.
const (
	undecided = iota
	accepted
	abandoned
)

// decide decides what is done about the match that was found, unless that is decided, and reports whether it is this.
func (s *search) decide(what int32) bool {
	if s.outcome.CompareAndSwap(undecided, what) {
		close(s.decided)
		return true
	}
	return s.outcome.Load() == what
}

// wake has follow ask the pool for news.
func (s *search) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Seek begins a search for an opponent in a match that a user wants. The match is rated if w.Rated and the user is not a guest. The search takes
// the fairest opponent: a player who looks for the same, or the owner of a public offer of it. It ends at once when ctx ends. A user has one search
// at a time: an earlier one ends with refusal.ErrElsewhere. The errors are refusal.ErrNoSuchGame, a *games.OptionError, refusal.ErrEndless, an error
// of Manners.MayMeet, refusal.ErrCutOff, refusal.ErrBusy, refusal.ErrClosed and ctx.Err(). Other errors of seats.Service.Open end the search later.
func (m *Service) Seek(ctx context.Context, u match.User, w Wanted) (Search, error) {
	w, err := m.complete(u, w)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = m.config.Reach.Check()
	}
	if err != nil {
		return nil, err
	}
	wishes := m.wishes(ctx, u, w)
	s := &search{
		service: m, user: u, left: ctx.Done(), feed: feed.New[Looking](m.config.Feeds), changed: make(chan struct{}, 1), decided: make(chan struct{}),
		id: cluster.SeekerID{Node: m.config.Node.ID(), Ticket: fmt.Sprintf("%016x%s", m.last.Add(1), rand.Text())},
	}
	row := cluster.Seeker{
		ID: s.id, Who: u.Occupant(), Wish: rowOf(wishes[0]), Since: m.time(), Apart: m.config.Manners.ApartFrom(u.Key()),
	}
	for _, more := range wishes[1:] {
		row.More = append(row.More, rowOf(more))
	}
	if err := m.pool.do(ctx, func() { m.pool.begin(s, row) }); err != nil {
		return nil, err
	}
	if err := m.rows.AddSeeker(ctx, row); err != nil {
		m.start(s.leave) // it may have been written
		return nil, refusal.OfStore(err)
	}
	return s, m.config.Tasks.Go(func(ctx, _ context.Context) { s.follow(ctx) })
}

// follow acts on the row of the search until the search is over.
func (s *search) follow(ctx context.Context) {
	m := s.service
	for {
		select {
		case <-s.changed:
		case <-s.left:
			s.leave(ctx)
			return
		case <-ctx.Done():
			return // feeds end with the club, and rows with the node
		}
		var now entry
		if m.pool.do(ctx, func() { now = *m.pool.entries[s.id] }) != nil {
			return
		}
		row, ended := now.row, now.ended
		switch {
		case row.Match != "":
			s.found(ctx, match.Ref{ID: row.Match, Code: row.Code})
			return
		case ended != nil:
		case row.Over:
			ended = refusal.ErrElsewhere
		case row.Refused != nil:
			ended = errorOf(row.Refused)
		case !now.there:
			if row.Offer, row.Held = "", nil; s.restart(ctx, row) {
				return
			}
		case row.Offer != "" && len(row.Tried) > s.tries:
			s.tries = len(row.Tried)
			ref, err := m.config.Seats.Take(ctx, s.user, row.Offer)
			switch {
			case err == nil:
				s.found(ctx, ref)
				return
			case seats.OwnFault(err), errors.Is(err, refusal.ErrClosed), ctx.Err() != nil:
				ended = err
			default:
				m.retry(ctx, s.left, func() error {
					return m.rows.ChangeSeeker(ctx, s.id, func(who *cluster.Seeker) { who.Offer = "" })
				})
			}
		case row.Away != s.away.Load():
			m.retry(ctx, s.left, func() error {
				return m.rows.ChangeSeeker(ctx, s.id, func(who *cluster.Seeker) { who.Away = s.away.Load() })
			})
		}
		if ended != nil {
			s.feed.Close(ended)
			s.leave(ctx)
			return
		}
	}
}

// retry calls f, and again a moment later while it fails, until ctx or left ends. A row that is gone is no failure.
func (m *Service) retry(ctx context.Context, left <-chan struct{}, f func() error) {
	for {
		if err := f(); err == nil || errors.Is(err, storage.ErrNotFound) {
			return
		}
		timer := time.NewTimer(lookEvery)
		select {
		case <-timer.C:
			continue
		case <-left:
		case <-ctx.Done():
		}
		timer.Stop()
		return
	}
}

// restart writes the row of the search again after other nodes have declared this node gone and removed the row. over reports that the row had
// a match by then, which ends the search.
func (s *search) restart(ctx context.Context, row cluster.Seeker) (over bool) {
	m := s.service
	var ref match.Ref
	m.retry(ctx, s.left, func() (err error) {
		if ref.ID, err = m.rows.Place(ctx, cluster.PlaceOf(s.id)); err != nil || ref.ID != "" {
			return err
		}
		if row.ID.Node = m.config.Node.ID(); row.ID != s.id {
			err = m.pool.do(ctx, func() {
				m.pool.forget(s.id)
				m.pool.begin(s, row)
				s.id = row.ID
			})
		}
		if err == nil {
			row.Away = s.away.Load()
			err = m.rows.AddSeeker(ctx, row)
		}
		if errors.Is(err, storage.ErrNotFound) {
			err = refusal.ErrBusy // this node is about to have another id
		}
		return err
	})
	if ref.ID != "" {
		s.found(ctx, ref)
	}
	return ref.ID != ""
}

// found publishes the match that the search has found and ends the search. If the user's session has ended, it calls the match off.
func (s *search) found(ctx context.Context, ref match.Ref) {
	m := s.service
	m.config.Matches.UntilKnown(ctx, ref.ID)
	if now := m.config.Registry.Find(ref.ID).Summary; ref.Code == "" && now != nil {
		ref.Code = now.Code
	}
	s.feed.Publish(Looking{Match: ref})
	s.removeRow(ctx)
	select {
	case <-s.decided:
	case <-ctx.Done():
		return
	case <-s.left:
		if s.decide(abandoned) {
			m.abort(ctx, s.user, ref.ID)
		}
	}
	if s.outcome.Load() == accepted {
		m.letWait(ctx, s.user)
	}
}

// letWait has the practice matches of a user wait who goes to a quick match.
func (m *Service) letWait(ctx context.Context, u match.User) {
	for _, of := range m.config.Registry.Of(u.Key()) {
		if of.MayWait() {
			_ = m.config.Matches.Do(ctx, of.ID, match.Wait(u, m.config.Now())) // the error: it is over, or the store can't be reached
		}
	}
}

// leave removes the search, which is over without a match. It calls off a match that was opened at the last moment.
func (s *search) leave(ctx context.Context) {
	if id := s.removeRow(ctx); id != "" {
		s.service.abort(ctx, s.user, id)
	}
}

// removeRow removes the row of the search, which is over, and returns the match in the row, if any. If the club closes first, the row goes with the
// node.
func (s *search) removeRow(ctx context.Context) (id storage.MatchID) {
	m := s.service
	_ = m.pool.do(ctx, func() { // the error: the club closes
		if e := m.pool.entries[s.id]; e.ended == nil {
			e.ended = context.Canceled
			m.pool.settle(e)
		}
	})
	m.retry(ctx, nil, func() error {
		was, err := m.rows.RemoveSeeker(ctx, s.id)
		if id = was.Match; errors.Is(err, storage.ErrNotFound) {
			id, err = m.rows.Place(ctx, cluster.PlaceOf(s.id))
		}
		return err
	})
	_ = m.pool.do(ctx, func() { m.pool.forget(s.id) }) // as above
	return id
}
