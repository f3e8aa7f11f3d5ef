package registry

import (
	"context"
	"errors"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// A Loading is a match that is being loaded. Any number of callers may Wait for it. The caller for whom Use returned first loads it and calls Admit
// and then Loaded or Failed.
type Loading struct {
	registry *Registry
	id       storage.MatchID

	done  chan struct{} // closed by Loaded and Failed
	match Match         // nil if it could not be loaded
	err   error         // why it could not be loaded
}

func newLoading(r *Registry, id storage.MatchID) *Loading {
	return &Loading{registry: r, id: id, done: make(chan struct{})}
}

// Wait waits until the match is in memory and returns it, or nil if it has ended meanwhile. The errors are ctx.Err() and the error given to Failed.
func (l *Loading) Wait(ctx context.Context) (Match, error) {
	select {
	case <-l.done:
		return l.match, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Admit reserves room in memory for the match. If there is none, it returns matches that may leave memory in its place.
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

// Loaded puts the match that resume returns into memory, before it runs. It returns nil, without calling resume, if the end of the match has arrived
// from the store meanwhile.
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
	m.Follow(e.summary.Events) // events that were written while the log was read
	r.memory.update(e)
	if e.evicting {
		m.Evict()
	}
	l.match = m
	return m
}

// Failed ends the loading with an error. If the match has something to do, it is due again later.
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

// EndedElsewhere is Registry.FollowEnd for a match that can't be loaded because it has ended, before its end has arrived from the store.
func (l *Loading) EndedElsewhere() (s *match.Summary, c Change) {
	r := l.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, c = r.followEnd(l.id); s != nil {
		r.others.ended[l.id] = true
	}
	return s, c
}
