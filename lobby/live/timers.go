package live

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// What a match does without being asked: computer players reply, guests who have gone leave, offers that nobody takes end,
// an evicted match ends, and an uncertain commit is read again. A match with none of these sets no timer.

// nextTimer returns when the match has something to do; zero for never.
func (m *Match) nextTimer() (at time.Time) {
	if m.uncertain.is {
		return m.uncertain.retryAt
	}
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if m.bot.ready {
		sooner(m.replyAt())
	}
	if m.bot.status == match.Paused {
		sooner(m.unwatchedAt())
	}
	if m.evicted.Load() {
		sooner(time.Now())
	}
	_, t := m.leaving()
	sooner(t)
	if at.Before(m.retryAt) && !at.IsZero() {
		return m.retryAt
	}
	return at
}

// runTimers does what is due.
func (m *Match) runTimers(ctx context.Context) {
	now := time.Now()
	due := func(t time.Time) bool { return !t.IsZero() && !now.Before(t) }
	switch {
	case m.state.Over() || m.stopped:
		return
	case m.uncertain.is:
		if due(m.uncertain.retryAt) {
			m.reload(ctx)
		}
		return
	case now.Before(m.retryAt):
		return
	}
	seat, left := m.leaving()
	err := m.safely(func() error {
		switch {
		case m.evicted.Load():
			return m.act(ctx, match.Leave(storage.Nobody))
		case due(left):
			return m.act(ctx, match.Leave(seat))
		case m.bot.status == match.Paused && m.watchedLately():
			m.startBot(ctx)
			m.publish()
		case m.bot.status == match.Paused && due(m.unwatchedAt()):
			return m.act(ctx, match.Leave(storage.Nobody))
		case m.bot.ready && due(m.replyAt()):
			return m.reply(ctx)
		}
		return nil
	})
	if err != nil {
		if !errors.Is(err, ErrBusy) { // which was logged and counted where it happened
			m.config.Log.Error("a timer's event was refused", "match", m.id, "err", err)
			m.failures++
		}
		m.retryAt = time.Now().Add(backoff(m.failures))
	}
}

// replyAt is when a computer player that has its move plays it.
func (m *Match) replyAt() time.Time { return m.changedAt.Add(m.config.BotDelay) }

// watchedLingers is how long after its last reader an exhibition still counts as watched: readers come and go between
// one view and the next.
const watchedLingers = 10 * time.Second

func (m *Match) watchedLately() bool {
	now, last := m.views.Readers()
	return now || time.Since(last) < watchedLingers
}

// unwatchedAt is when an exhibition has been unwatched for too long; zero while it is watched.
func (m *Match) unwatchedAt() time.Time {
	now, last := m.views.Readers()
	if now {
		return time.Time{}
	}
	return last.Add(m.config.Unwatched)
}

// leaving returns which seat leaves the match and when, if nobody comes back before: that of a guest who has gone, that of
// the owner of a public offer who has, or Nobody for an offer that has waited too long. The time is zero if none will.
func (m *Match) leaving() (seat storage.Seat, at time.Time) {
	waiting := m.state.Started.IsZero()
	sooner := func(s storage.Seat, t time.Time) {
		if at.IsZero() || t.Before(at) {
			seat, at = s, t
		}
	}
	for side, o := range m.state.Seats {
		var patience time.Duration
		switch {
		case o.Kind == storage.Guest:
			patience = m.config.AwayGuest
		case o.Kind == storage.Person && waiting && m.state.Opening.Public:
			patience = m.config.AwayOffer
		default:
			continue
		}
		if since, gone := m.config.Away(o); gone {
			sooner(storage.SeatOf(games.Side(side)), later(since, m.seatedAt[side]).Add(patience))
		}
	}
	if !waiting {
		return seat, at
	}
	if reserved := m.state.Opening.Reserved; reserved.Kind == storage.Guest {
		if since, gone := m.config.Away(reserved); gone {
			sooner(storage.Nobody, later(since, m.changedAt).Add(m.config.AwayGuest))
		}
	}
	sooner(storage.Nobody, time.Now().Add(m.config.PrivateWait-m.config.Now().Sub(m.state.Opened)))
	return seat, at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
