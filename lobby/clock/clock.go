package clock

import "time"

// A Clock is the state of a match's clock after an event. It is a value: methods return a new one. Sides are 0 and 1, in the order of play. The
// zero value is the clock of a match without a time limit, and never expires.
type Clock struct {
	Setting Setting
	Left    [2]time.Duration // what each side had left at Since
	Since   time.Time        // since when the side to move has been thinking; zero: the match has not started
	Turn    int              // the side to move
	Moved   [2]bool          // which sides have made their first move

	Until time.Time     // until when the clock stands; zero, or in the past: it runs
	Used  time.Duration // what the side to move had used up of the time for its first move at Since
}

// MaxCredit is how much of the delay of a player's line is not charged in a move.
const MaxCredit = 300 * time.Millisecond

// Credit returns how much of a measured delay is not charged: from 0 to MaxCredit.
func Credit(lag time.Duration) time.Duration { return min(max(lag, 0), MaxCredit) }

// A client that delays its answers looks like one with a slow line. So the credit of a side in a match is limited to a budget. Each of its
// moves refills the budget a little.
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

// After returns the budget after a move with a measured delay.
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
		c.Since, c.Turn, c.Used = at, turn, 0
	}
	if !c.Until.After(at) {
		c.Until = time.Time{}
	}
	return c
}

// Running reports whether the clock of the side to move runs: both sides have made their first move.
func (c Clock) Running() bool {
	return c.Setting.Kind != None && !c.Since.IsZero() && c.Moved[0] && c.Moved[1]
}

// RunsFrom returns from when on the time of the side to move is charged: later than Since if the clock stands until then.
func (c Clock) RunsFrom() time.Time { return later(c.Since, c.Until) }

// StandsAt reports whether the clock stands at a time.
func (c Clock) StandsAt(t time.Time) bool { return t.Before(c.Until) }

// Stand returns the clock that stands from a time on until another one, or runs from then on if that is not later. What was used up before stays
// used up, so the time left never grows. ok is false if the clock has expired, does not run yet, or there is none.
func (c Clock) Stand(at, until time.Time) (next Clock, ok bool) {
	if c.Setting.Kind == None || c.Since.IsZero() || c.Expired(at) {
		return c, false
	}
	if c.Running() {
		c.Left[c.Turn] = c.LeftAt(c.Turn, at)
	} else {
		c.Used += max(at.Sub(c.RunsFrom()), 0)
	}
	if !until.After(at) {
		until = time.Time{}
	}
	c.Since, c.Until = at, until
	return c, true
}

// LeftAt returns what a side has left at a time, at least 0.
func (c Clock) LeftAt(side int, t time.Time) time.Duration {
	left := c.Left[side]
	if c.Running() && side == c.Turn {
		left -= max(t.Sub(c.RunsFrom()), 0)
	}
	return max(left, 0)
}

// FirstMoveLeft returns what the side to move has left for its first move at a time, at least 0. It is 0 if nothing limits that, or the clock runs.
func (c Clock) FirstMoveLeft(t time.Time) time.Duration {
	if c.Running() || c.Deadline().IsZero() {
		return 0
	}
	return max(c.Deadline().Sub(later(t, c.RunsFrom())), 0)
}

// Deadline returns when the time of the side to move for all its moves, or for its first one, is up. It is zero if there is no limit.
func (c Clock) Deadline() time.Time {
	switch {
	case c.Setting.Kind == None || c.Since.IsZero():
		return time.Time{}
	case c.Running():
		return c.RunsFrom().Add(c.Left[c.Turn])
	}
	return c.RunsFrom().Add(c.Setting.FirstMove() - c.Used)
}

// Expired reports whether the deadline has passed.
func (c Clock) Expired(at time.Time) bool {
	deadline := c.Deadline()
	return !deadline.IsZero() && !at.Before(deadline)
}

// Move returns the clock after a move that arrived at a time, with a measured delay. turn is the side to move next. ok is false for a move that
// comes too late.
//
// The first move of a side is not charged, and brings no increment.
func (c Clock) Move(at time.Time, lag time.Duration, turn int) (next Clock, ok bool) {
	if c.Setting.Kind == None {
		return c, true
	}
	used := max(at.Sub(c.RunsFrom())-Credit(lag), 0)
	if c.Expired(c.RunsFrom().Add(used)) {
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

// LeftAfter returns the time left to the side to move of c after a move at a time; next is the clock after that move. The time includes the
// increment. With a correspondence clock it is what was left of the days for the move.
func (c Clock) LeftAfter(next Clock, at time.Time) time.Duration {
	if c.Setting.Kind == Correspondence {
		return c.LeftAt(c.Turn, at)
	}
	return next.Left[c.Turn]
}

// TakeBack returns the clock after moves have been taken back; turn is the side to move next. Used time stays used, and increments stay. With a
// correspondence clock the side to move has all of its days again. ok is false if the clock has expired.
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
	c.Since, c.Until, c.Used = time.Time{}, time.Time{}, 0
	return c
}

// MaxResumed is the most time that each side may gain when a match goes on after the program was down.
const MaxResumed = 20 * time.Second

// Resume returns the clock of a match that goes on at a time after the program was down. left is the time left to each side. ok is false if a
// side has gained more than MaxResumed, or has less than 0.
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

// Interrupted reports whether the clock must be resumed because the program was down from down to up, and the clock was not restarted since.
func (c Clock) Interrupted(down, up time.Time) bool {
	switch {
	case c.Setting.Kind == None, c.Since.IsZero(), !c.RunsFrom().Before(up):
		return false
	case c.Setting.Kind == Fischer:
		return true
	}
	return up.Sub(later(down, c.RunsFrom())) >= minOutage
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// AfterOutage returns the time left to each side when a match is resumed at now after the program was down. The time from down to up is charged
// to neither side, and with a running Fischer clock both sides gain MaxResumed. down is the last moment at which the program is known to
// have run.
func (c Clock) AfterOutage(down, up, now time.Time) [2]time.Duration {
	outage := max(up.Sub(later(down, c.RunsFrom())), 0)
	left := [2]time.Duration{c.LeftAt(0, now.Add(-outage)), c.LeftAt(1, now.Add(-outage))}
	if c.Setting.Kind == Fischer && c.Running() {
		left[0] += MaxResumed
		left[1] += MaxResumed
	}
	return left
}
