package live

import (
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage/matches"
)

// # Clocks
//
// The clock of a match is part of its state, and changes with its events. It needs one timer: when the time of the side to move is up, the match
// writes an event, whether its players are here or not. A match that is not in memory is loaded for that, see Waiting.Due.
//
// A move may arrive before the time is up and be served later, because the line or the store is slow. So the match flags only when no move that
// was made in time can still arrive, and serves waiting requests first. Each request has the time at which it arrived.

// maxServed is how many waiting requests are served before the match flags.
const maxServed = 64

// resumeAct returns the act that resumes the clock of a match after the program was down, and its time. The time is not before the end of the
// outage, which another node may have recorded by a clock that is ahead.
func (c *Schedule) resumeAct(s *match.State) (act match.Act, at time.Time) {
	since := s.Clock.Since
	o := c.Nodes.OutageOf(s.ID, since)
	at = later(c.Now(), o.Up)
	return func(s *match.State) ([]matches.Event, error) {
		if !s.Clock.Since.Equal(since) || !s.Clock.Interrupted(o.Down, o.Up) {
			return nil, nil // another node has resumed it
		}
		return match.Resume(s.Clock.AfterOutage(o.Down, o.Up, at))(s)
	}, at
}

// # Computer players
//
// A computer player limits its thinking by the time left (bot.Clock) and plays its move as soon as it has found it. On a busy machine it may
// wait too long for a worker: then it makes a random move just before its time is up. The time from there to the disk is not charged, so
// it never loses on time.

// hurryReserve is how long before its deadline a computer player stops thinking and moves; less if it has little time left.
const hurryReserve = time.Second

// hurryAt returns when a computer player whose turn it is has to stop thinking and move; zero for never.
func (c *Schedule) hurryAt(s *match.State) time.Time {
	summary := s.Summary()
	if !summary.Ticks() {
		return time.Time{}
	}
	deadline := summary.Clock.Deadline()
	reserve := min(hurryReserve, deadline.Sub(summary.Clock.Since)/4)
	return c.machineTime(deadline.Add(-reserve))
}

// botMovedAt returns the time of a computer player's move that is made now: never after its deadline.
func (c *Schedule) botMovedAt(s *match.State) time.Time {
	now, deadline := c.Now(), s.Clock.Deadline()
	if !deadline.IsZero() && !now.Before(deadline) {
		return deadline.Add(-time.Millisecond)
	}
	return now
}
