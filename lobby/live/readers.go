package live

import (
	"sync/atomic"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// watchedLingers is how long after its last reader a match still counts as watched: readers come and go between
// one view and the next.
const watchedLingers = 10 * time.Second

// readers knows whether a match has readers, on this node or another. Any goroutine may read unwatched.
type readers struct {
	config    *Schedule
	id        storage.MatchID
	views     *feed.Feed[*match.View]
	before    time.Time   // when a reader last came or left before the match was in memory
	unwatched atomic.Bool // a computer player sits in the match and it has no readers
}

// last reports whether the match has a reader, and when one last came or left.
func (r *readers) last() (now bool, at time.Time) {
	switch elsewhere := r.config.LookedAt(r.id); {
	case elsewhere:
		return true, time.Now()
	case r.views.Unread():
		return false, r.before
	}
	return r.views.Readers()
}

// lately reports whether the match has a reader, or had one a moment ago.
func (r *readers) lately() bool {
	now, last := r.last()
	return now || time.Since(last) < watchedLingers
}

// lookAt returns when to call look again, in a match with a computer player; zero while it waits for a reader to come.
func (r *readers) lookAt(hasBot bool) time.Time {
	now, last := r.last()
	switch {
	case !hasBot:
		return time.Time{}
	case now && !r.unwatched.Load():
		return time.Now().Add(watchedLingers)
	case !r.unwatched.Load():
		return last.Add(watchedLingers)
	case r.lately():
		return time.Now()
	}
	return time.Time{}
}

// look updates unwatched, and reports whether it has changed.
func (r *readers) look(hasBot bool) (changed bool) {
	unwatched := hasBot && !r.lately()
	return r.unwatched.Swap(unwatched) != unwatched
}

// tooLongAt returns when an exhibition has been unwatched for too long; zero while it has a reader.
func (r *readers) tooLongAt() time.Time {
	now, last := r.last()
	if now {
		return time.Time{}
	}
	return last.Add(Unwatched)
}

// idleSince returns since when the match has no reader: now if it has one.
func (r *readers) idleSince() time.Time {
	now, last := r.last()
	if now {
		return time.Now()
	}
	return last
}
