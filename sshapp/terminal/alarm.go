package terminal

import "time"

// An alarm wakes the loop at a time. It is one timer for all that the loop waits for, and is set only when that comes to be
// sooner than it was: most keys set nothing, since the client is answered long before the time is over.
type alarm struct {
	rings chan struct{}
	timer *time.Timer
	at    time.Time // zero: not set
}

// newAlarm returns an alarm that isn't set.
func newAlarm() alarm {
	rings := make(chan struct{}, 1)
	timer := time.AfterFunc(time.Hour, func() {
		select {
		case rings <- struct{}{}:
		default: // it rings already
		}
	})
	timer.Stop()
	return alarm{rings: rings, timer: timer}
}

// set makes the alarm ring at the given time at the latest; the zero time is never.
func (a *alarm) set(at time.Time) {
	if at.IsZero() || !a.at.IsZero() && !at.Before(a.at) {
		return
	}
	a.at = at
	a.timer.Reset(time.Until(at))
}

// rang says that the alarm has rung, perhaps too soon.
func (a *alarm) rang() { a.at = time.Time{} }

// idle ends a session after a time without key presses.
type idle struct {
	limit time.Duration // zero is never
	last  time.Time     // press
}

// end is when the session has been idle for too long; the zero time is never.
func (i *idle) end() time.Time {
	if i.limit <= 0 {
		return time.Time{}
	}
	return i.last.Add(i.limit)
}
