package registry

import (
	"context"
	"errors"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// A Loading is a match that is being loaded, for all who wait for it. The caller that Use told to load it calls Admit and then Loaded or Failed.
type Loading struct {
	registry *Registry
	id       storage.MatchID

	done  chan struct{} // closed when it is known what has come of it
	match Match         // nil if it could not be loaded
	err   error         // why not
}

func newLoading(r *Registry, id storage.MatchID) *Loading {
	return &Loading{registry: r, id: id, done: make(chan struct{})}
}

// Wait returns the match when it is in memory; nil if it has ended meanwhile. The errors are that given to Failed and that of ctx.
func (l *Loading) Wait(ctx context.Context) (Match, error) {
	select {
	case <-l.done:
		return l.match, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Admit makes room in memory for the match. If there is none, it returns matches that may leave memory in its place.
func (l *Loading) Admit() (ok bool, rest []Match) {
	r := l.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.directory.byID[l.id]
	if e == nil {
		return true, nil
	}
	return r.memory.admit(e)
}

// Loaded puts the match into memory. resume makes it of what is known of its people; it does not run yet. Loaded returns nil if the end of the match
// has arrived from the store meanwhile.
func (l *Loading) Loaded(resume func(live.Waiting) Match) Match {
	r := l.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	defer close(l.done)
	e := r.directory.byID[l.id]
	if e == nil {
		return nil
	}
	m := resume(e.waiting)
	e.loading, e.loadedForDue = nil, false
	r.memory.put(e, m)
	m.Follow(e.summary.Events) // events written while it was being read
	r.memory.update(e)
	if e.evicting {
		m.Evict()
	}
	l.match = m
	return m
}

// Failed says why the match could not be loaded. It is tried again if it has something to do.
func (l *Loading) Failed(err error) {
	r := l.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	l.err = err
	close(l.done)
	e := r.directory.byID[l.id]
	if e == nil {
		return
	}
	wasDue := e.loadedForDue
	e.loading, e.loadedForDue = nil, false
	r.memory.update(e)
	r.deadlines.schedule(e)
	if wasDue || !errors.Is(err, refusal.ErrFull) {
		r.deadlines.postpone(e)
	}
}

// EndedElsewhere is Registry.FollowEnd for a match whose log was found to be gone before its end has arrived from the store.
func (l *Loading) EndedElsewhere() (s *match.Summary, c Change) {
	r := l.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, c = r.followEnd(l.id); s != nil {
		r.others.ended[l.id] = true
	}
	return s, c
}
