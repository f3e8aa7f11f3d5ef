package live

import (
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// timers knows when a match in memory has something to do because time passes or people are gone. Only the match's goroutine uses it.
type timers struct {
	config    *Config
	waiting   Waiting   // without ReadAt, which readers has
	firstMove time.Time // last result of Waiting.firstMoveAt
	firstBy   time.Time // the same by the clock of events
	changedAt time.Time // when the state last changed, or the match was loaded, by the machine's clock
	usedAt    time.Time // when the last request came
}

// used sets usedAt when a request comes.
func (t *timers) used() { t.usedAt = time.Now() }

// changed sets changedAt when the state has changed or the match has been loaded.
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

// lookAtFirstMove updates firstMove and firstBy, and reports whether they have changed.
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

// interrupted reports whether the program was down while the clock of the match ran: then it has to be resumed before anything else happens.
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

// idleAt returns when an idle match may leave memory. unread is since when it has no reader.
func (t *timers) idleAt(unread time.Time) time.Time {
	return later(later(unread, t.changedAt), t.usedAt).Add(t.config.Idle)
}
