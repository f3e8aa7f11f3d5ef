package live

import (
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// A timers knows when a match in memory has something to do because time passes or people are gone. Only the match's goroutine uses it.
type timers struct {
	config    *Config
	waiting   Waiting   // but for ReadAt, which readers knows
	firstMove time.Time // as Waiting.firstMoveAt said last
	firstBy   time.Time // the same by the clock of events
	changedAt time.Time // when the state last changed, or the match was loaded, by the machine's clock
	usedAt    time.Time // when it was last asked for something
}

// used notes that the match is asked for something.
func (t *timers) used() { t.usedAt = time.Now() }

// changed notes that the match is in another state, or has been loaded.
func (t *timers) changed(s *match.State) {
	t.changedAt = time.Now()
	summary := s.Summary()
	t.waiting.seat(&summary, t.changedAt)
}

// leaving returns which seat leaves the match and when; see Waiting.
func (t *timers) leaving(s *match.State) (seat storage.Seat, at time.Time) {
	summary := s.Summary()
	return t.waiting.leaving(t.config.Schedule, &summary)
}

// lookAtFirstMove looks until when the side to move may make its first move in a match without a clock, and reports whether that has changed.
func (t *timers) lookAtFirstMove(s *match.State) (changed bool) {
	var at time.Time
	if summary := s.Summary(); !s.Over() {
		at = t.waiting.firstMoveAt(t.config.Schedule, &summary)
	}
	if at.Equal(t.firstMove) {
		return false
	}
	if t.firstMove, t.firstBy = at, at; !at.IsZero() {
		t.firstBy = t.config.Now().Add(time.Until(at))
	}
	return true
}

// interrupted reports whether the clock of the match has to be resumed before anything else happens: the program was down.
func (t *timers) interrupted(s *match.State) bool {
	o := t.config.Nodes.OutageOf(s.ID, s.Clock.Since)
	return s.Clock.Interrupted(o.Down, o.Up)
}

// clockAt returns when the clock of the match has something to do: zero for never.
func (t *timers) clockAt(s *match.State) time.Time {
	switch {
	case s.Over():
		return time.Time{}
	case t.interrupted(s):
		return time.Now()
	case botToMove(s):
		return t.config.hurryAt(s)
	}
	summary := s.Summary()
	return t.waiting.flagAt(t.config.Schedule, &summary)
}

// idleAt is when to see whether a match with nothing to do may go out of memory, which has had no reader since a time.
func (t *timers) idleAt(unread time.Time) time.Time {
	return later(later(unread, t.changedAt), t.usedAt).Add(t.config.Idle)
}
