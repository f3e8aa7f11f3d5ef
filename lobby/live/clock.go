package live

import (
	"context"
	"time"

	"ludoteca/games/bot"
	"ludoteca/lobby/match"
	"ludoteca/storage"
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

// clockAt returns when the clock of the match has something to do: zero for never.
func (m *Match) clockAt() time.Time {
	switch {
	case m.state.Over():
		return time.Time{}
	case !m.owned:
		return time.Time{}
	case m.interrupted():
		return time.Now()
	case m.botToMove():
		return m.hurryAt()
	}
	s := m.state.Summary()
	return m.waiting.flagAt(m.config.Schedule, &s)
}

// interrupted says whether the clock of the match has to be resumed before anything else happens: the program was down.
func (m *Match) interrupted() bool {
	o := m.config.Nodes.OutageOf(m.id, m.state.Clock.Since)
	return m.state.Clock.Interrupted(o.Down, o.Up)
}

// resumeClock lets the clock go on after the program was down: not before that was over, which another node may have noted by a clock that is
// ahead.
func (m *Match) resumeClock(ctx context.Context) error {
	since := m.state.Clock.Since
	o := m.config.Nodes.OutageOf(m.id, since)
	now := later(m.config.Now(), o.Up)
	return m.act(ctx, func(s *match.State) ([]storage.Event, error) {
		if !s.Clock.Since.Equal(since) || !s.Clock.Interrupted(o.Down, o.Up) {
			return nil, nil // another node has resumed it
		}
		return match.Resume(s.Clock.AfterOutage(o.Down, o.Up, now))(s)
	}, now)
}

// runClock does what the clock has to do: it ends the match if the time of the side to move is up, and lets a computer player that is
// about to run out of time move at once.
func (m *Match) runClock(ctx context.Context) {
	for range maxServed {
		if !m.clockDue() {
			return
		}
		select {
		case r := <-m.requests:
			m.usedAt = time.Now()
			m.do(ctx, r)
			continue
		default:
		}
		break
	}
	if m.clockDue() {
		m.timed(func() error {
			if m.botToMove() {
				m.hurryBot()
				return m.reply(ctx)
			}
			return m.actNow(ctx, func(s *match.State) ([]storage.Event, error) {
				if !m.clockDue() {
					return nil, nil // a move was made first
				}
				return match.Flag()(s)
			})
		})
	}
}

// clockDue says whether the clock has something to do now.
func (m *Match) clockDue() bool {
	now := time.Now()
	if m.state.Over() || m.stopped || m.unloaded || m.uncertain.is || m.behind() || m.interrupted() || now.Before(m.retryAt) {
		return false
	}
	at := m.clockAt()
	return !at.IsZero() && !now.Before(at)
}

// # Computer players
//
// A computer player plans its thinking by what it has left (bot.Clock), so its time never runs out by that, and plays its move as
// soon as it has it. On a busy machine it may still wait for its worker too long: then it makes any move just before the end. What
// its move takes from there to the disk is not charged, so it never loses on time.

// hurryReserve is how long before the end a computer player moves at once; less if it has little left.
const hurryReserve = time.Second

// botToMove says whether it is a computer player's turn.
func (m *Match) botToMove() bool {
	s := &m.state
	return !s.Over() && !s.Started.IsZero() && s.Seats[s.Turn()].Kind == storage.Bot
}

// botClock returns the clock of the computer player whose turn it is, without the reserve; the zero value if its clock counts days,
// or there is none.
func (m *Match) botClock() bot.Clock {
	end := m.hurryAt()
	if end.IsZero() {
		return bot.Clock{}
	}
	return bot.Clock{End: end, Increment: m.state.Clock.Setting.Increment, Ply: len(m.state.Moves)}
}

// hurryAt returns when a computer player has to move at once; zero for never.
func (m *Match) hurryAt() time.Time {
	s := m.state.Summary()
	if !s.Ticks() {
		return time.Time{}
	}
	deadline := s.Clock.Deadline()
	reserve := min(hurryReserve, deadline.Sub(s.Clock.Since)/4)
	return m.config.machineTime(deadline.Add(-reserve))
}

// hurryBot has the computer player decide at once, if it has not yet.
func (m *Match) hurryBot() {
	if m.bot.ready {
		return
	}
	m.bot.drop()
	moves := m.state.Position.Legal()
	m.bot.ready = true
	m.bot.decision.Move = moves[m.seeds.Uint64()%uint64(len(moves))]
}

// botMovedAt returns the time of a computer player's move that is made now.
func (m *Match) botMovedAt() time.Time {
	now, deadline := m.config.Now(), m.state.Clock.Deadline()
	if !deadline.IsZero() && !now.Before(deadline) {
		return deadline.Add(-time.Millisecond)
	}
	return now
}
