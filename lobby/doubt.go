package lobby

import (
	"context"
	"errors"
	"time"

	"ludoteca/storage"
)

// doubt says that nobody knows what is on disk of a match, because a write failed half-way. Until its log has been read
// again, the match does nothing, and shows what it showed before.
type doubt struct {
	is    bool
	again time.Time // when to read again
	tries int
	next  state // what the match is if the write took place
}

// resume goes on after a failed write from what the store says. It returns nil if it turns out that the events of
// next were written all the same.
func (m *match) resume(ctx context.Context, cause error, next state) error {
	if errors.Is(cause, storage.ErrCodeTaken) {
		return cause // a refusal of the very first event: there is no match
	}
	if m.failures == 0 {
		m.house.log.Error("writing to a match failed", "match", m.id, "err", cause)
	}
	m.failures++
	m.bot.drop()
	m.doubt = doubt{is: true, next: next}
	m.reload(ctx)
	switch {
	case m.doubt.is || m.gone:
		return ErrBusy
	case m.state.has(&next):
		return nil
	case errors.Is(cause, storage.ErrStale):
		return ErrLate
	}
	return ErrBusy
}

// reload reads the match again, and ends the doubt if that succeeds.
func (m *match) reload(ctx context.Context) {
	s, ratings, err := m.read(ctx)
	switch {
	case errors.Is(err, storage.ErrNotFound) && m.state.seq() == 0:
		m.gone, m.doubt = true, doubt{} // it has never been written
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, errLog), errors.Is(err, storage.ErrDamaged):
		m.house.log.Error("the log of a match is damaged", "match", m.id, "err", err)
		m.gone, m.doubt = true, doubt{}
		m.house.damaged(m)
	case err != nil:
		m.doubt.tries++
		m.doubt.again = time.Now().Add(backoff(m.doubt.tries))
	default:
		m.doubt = doubt{}
		m.adopt(ctx, s, ratings)
	}
}

// read returns the match as it is in the store: its log, or its record if it has ended.
func (m *match) read(ctx context.Context) (state, *[2]storage.RatingChange, error) {
	log, err := m.house.store.Log(ctx, m.id)
	if err == nil {
		s, err := fold(m.id, m.house.find, log)
		return s, nil, err
	}
	if !errors.Is(err, storage.ErrNotFound) {
		return state{}, nil, err
	}
	f, err := m.house.store.Finished(ctx, m.id)
	if err != nil {
		return state{}, nil, err
	}
	if want := m.doubt.next; want.over() && want.result == f.Result && want.reason == f.Reason && len(want.moves) == f.Plies {
		return want, f.Ratings, nil
	}
	s, err := relive(f, m.house.find)
	return s, f.Ratings, err
}

// has says whether s contains what next does.
func (s *state) has(next *state) bool {
	if len(s.events) < len(next.events) {
		return false
	}
	for i, e := range next.events {
		got := s.events[i]
		got.Opening, e.Opening = nil, nil // pointers; an opening is known by its other fields
		if got != e {
			return false
		}
	}
	return true
}
