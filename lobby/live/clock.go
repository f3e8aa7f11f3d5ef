package live

import (
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage/matches"
)

// # Clocks
//
// The clock of a match is part of its state, and moves on with its events. What is here is the one timer that it needs: when the time of
// the side to move is up, the match says so by an event, whether anybody is there or not. The match needs not be in memory for that, see
// Waiting.Due.
//
// A move may arrive before the time is up and be served after: the line is slow, or the store. So the match flags only when no move that
// was made in time can be on its way any more, and serves the requests first that wait already. Each has the time at which it arrived.

// maxServed is how many waiting requests are served before the match flags.
const maxServed = 64

// resumeAct returns the act that lets the clock of a match go on after the program was down, and its time: not before that was over, which
// another node may have noted by a clock that is ahead.
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
// A computer player plans its thinking by what it has left (bot.Clock), so its time never runs out by that, and plays its move as
// soon as it has it. On a busy machine it may still wait for its worker too long: then it makes any move just before the end. What
// its move takes from there to the disk is not charged, so it never loses on time.

// hurryReserve is how long before the end a computer player moves at once; less if it has little left.
const hurryReserve = time.Second

// hurryAt returns when a computer player whose turn it is has to move at once; zero for never.
func (c *Schedule) hurryAt(s *match.State) time.Time {
	summary := s.Summary()
	if !summary.Ticks() {
		return time.Time{}
	}
	deadline := summary.Clock.Deadline()
	reserve := min(hurryReserve, deadline.Sub(summary.Clock.Since)/4)
	return c.machineTime(deadline.Add(-reserve))
}

// botMovedAt returns the time of a computer player's move that is made now.
func (c *Schedule) botMovedAt(s *match.State) time.Time {
	now, deadline := c.Now(), s.Clock.Deadline()
	if !deadline.IsZero() && !now.Before(deadline) {
		return deadline.Add(-time.Millisecond)
	}
	return now
}
