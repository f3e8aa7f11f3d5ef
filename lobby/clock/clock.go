package clock

import "time"

// A Clock is how the clock of a match stands after an event. It is a value: what happens next gives another one. Sides are 0 and
// 1, in the order of play. The zero value is that of a match without a clock, where nothing ever runs out.
type Clock struct {
	Setting Setting
	Left    [2]time.Duration // what each side had left at Since
	Since   time.Time        // since when the side to move has been thinking; zero: the match has not started
	Turn    int              // the side to move
	Moved   [2]bool          // which sides have made their first move
}

// MaxCredit is how much of the delay of a player's line is not charged in a move.
const MaxCredit = 300 * time.Millisecond

// Credit returns how much time is given back for a measured delay.
func Credit(lag time.Duration) time.Duration { return min(max(lag, 0), MaxCredit) }

// A client that delays its answers looks like one with a slow line. So a side gets no more than a budget of credit in a match, which each
// of its moves fills up a little.
const (
	CreditBudget = 3 * time.Second
	CreditRefill = 30 * time.Millisecond
)

// A Budget is how much of the credit of a side is used up, from 0 to CreditBudget.
type Budget time.Duration

// Limit returns a measured delay, or what is left of the budget if that is less than the credit for the delay.
func (used Budget) Limit(lag time.Duration) time.Duration {
	if left := max(CreditBudget-time.Duration(used), 0); left < Credit(lag) {
		return left
	}
	return lag
}

// After returns the budget after a move over a line with a delay.
func (used Budget) After(lag time.Duration) Budget {
	return Budget(min(max(time.Duration(used)+Credit(lag)-CreditRefill, 0), CreditBudget))
}

// New returns the clock of a match that has not started.
func New(s Setting) Clock { return Clock{Setting: s, Left: [2]time.Duration{s.Base, s.Base}} }

// Start returns the clock after both seats have been taken.
func (c Clock) Start(at time.Time, turn int) Clock { return c.next(at, turn) }

// next returns the clock when a side begins to think.
func (c Clock) next(at time.Time, turn int) Clock {
	if c.Setting.Kind != None {
		c.Since, c.Turn = at, turn
	}
	return c
}

// Running reports whether the clock of the side to move runs: both sides have made their first move.
func (c Clock) Running() bool {
	return c.Setting.Kind != None && !c.Since.IsZero() && c.Moved[0] && c.Moved[1]
}

// LeftAt returns what a side has left at a time, at least 0.
func (c Clock) LeftAt(side int, t time.Time) time.Duration {
	left := c.Left[side]
	if c.Running() && side == c.Turn {
		left -= max(t.Sub(c.Since), 0)
	}
	return max(left, 0)
}

// Deadline returns when the side to move runs out of time, or has not made its first move in time. It is zero if that can't happen.
func (c Clock) Deadline() time.Time {
	switch {
	case c.Setting.Kind == None || c.Since.IsZero():
		return time.Time{}
	case c.Running():
		return c.Since.Add(c.Left[c.Turn])
	}
	return c.Since.Add(c.Setting.FirstMove())
}

// Expired reports whether the deadline has passed.
func (c Clock) Expired(at time.Time) bool {
	deadline := c.Deadline()
	return !deadline.IsZero() && !at.Before(deadline)
}

// Move returns the clock after a move of the side to move that arrived at a time over a line with a delay; turn is the side to move
// then. ok is false for a move that comes too late.
//
// The first move of a side is not charged, and brings no increment.
func (c Clock) Move(at time.Time, lag time.Duration, turn int) (next Clock, ok bool) {
	if c.Setting.Kind == None {
		return c, true
	}
	used := max(at.Sub(c.Since)-Credit(lag), 0)
	if c.Expired(c.Since.Add(used)) {
		return c, false
	}
	switch {
	case c.Setting.Kind == Correspondence:
		c.Left[c.Turn] = c.Setting.Base
	case c.Running():
		c.Left[c.Turn] += c.Setting.Increment - used
	}
	c.Moved[c.Turn] = true
	return c.next(at, turn), true
}

// LeftAfter returns what the side that has moved had left then, if the move made next of the clock: with its increment, or what was
// left of its days.
func (c Clock) LeftAfter(next Clock, at time.Time) time.Duration {
	if c.Setting.Kind == Correspondence {
		return c.LeftAt(c.Turn, at)
	}
	return next.Left[c.Turn]
}

// TakeBack returns the clock after moves have been undone; turn is the side to move then. Time that was used stays used, and
// increments stay; with a correspondence clock the side to move has all of its days again. ok is false if the side that was to move has run out of time.
func (c Clock) TakeBack(at time.Time, turn int) (next Clock, ok bool) {
	if c.Expired(at) {
		return c, false
	}
	switch c.Setting.Kind {
	case Fischer:
		c.Left[c.Turn] = c.LeftAt(c.Turn, at)
	case Correspondence:
		c.Left = [2]time.Duration{c.Setting.Base, c.Setting.Base}
	}
	return c.next(at, turn), true
}

// Stop returns the clock of a match that ends at a time.
func (c Clock) Stop(at time.Time) Clock {
	c.Left = [2]time.Duration{c.LeftAt(0, at), c.LeftAt(1, at)}
	c.Since = time.Time{}
	return c
}

// MaxResumed is how much more time than a clock shows each side may have when a match goes on after the program was down.
const MaxResumed = 20 * time.Second

// Resume returns the clock of a match that goes on at a time after the program was down, with what each side has left then. ok is
// false if that is more than the program gives.
func (c Clock) Resume(at time.Time, left [2]time.Duration) (next Clock, ok bool) {
	if c.Setting.Kind == None || c.Since.IsZero() {
		return c, false
	}
	for side := range left {
		if left[side] < 0 || left[side] > c.Left[side]+MaxResumed {
			return c, false
		}
	}
	c.Left = left
	return c.next(at, c.Turn), true
}

// minOutage is how long the program must have been down for days of a correspondence clock to be given back.
const minOutage = time.Minute

// Interrupted reports whether the clock has to be resumed because the program was down from a time to another: nothing has happened in the
// match since.
func (c Clock) Interrupted(down, up time.Time) bool {
	switch {
	case c.Setting.Kind == None, c.Since.IsZero(), !c.Since.Before(up):
		return false
	case c.Setting.Kind == Fischer:
		return true
	}
	return up.Sub(later(down, c.Since)) >= minOutage
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// AfterOutage returns what each side has left when the program, which was down, takes a match up again at a time: nobody is charged
// for the time from down to up, and with a Fischer clock that runs both sides get MaxResumed on top. down is the last moment at which the
// program is known to have run.
func (c Clock) AfterOutage(down, up, now time.Time) [2]time.Duration {
	outage := max(up.Sub(later(down, c.Since)), 0)
	left := [2]time.Duration{c.LeftAt(0, now.Add(-outage)), c.LeftAt(1, now.Add(-outage))}
	if c.Setting.Kind == Fischer && c.Running() {
		left[0] += MaxResumed
		left[1] += MaxResumed
	}
	return left
}
