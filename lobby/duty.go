package lobby

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// What a match does without being asked: computer players reply, guests who have gone leave, offers that nobody takes end,
// a match that has been silent for long gives way in a full club, and one that is in doubt reads its log again. A match with
// none of these sets no timer.

// deadline returns when the match has something to do; zero for never.
func (m *match) deadline() (at time.Time) {
	if m.doubt.is {
		return m.doubt.again
	}
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if m.bot.ready {
		sooner(m.replyAt())
	}
	if m.bot.reply == Paused {
		sooner(m.unwatchedAt())
	}
	if m.givesWay.Load() {
		sooner(time.Now())
	}
	_, t := m.leaving()
	sooner(t)
	if at.Before(m.rest) && !at.IsZero() {
		return m.rest
	}
	return at
}

// tick does what is due.
func (m *match) tick(ctx context.Context) {
	now := time.Now()
	due := func(t time.Time) bool { return !t.IsZero() && !now.Before(t) }
	switch {
	case m.state.over() || m.gone:
		return
	case m.doubt.is:
		if due(m.doubt.again) {
			m.reload(ctx)
		}
		return
	case now.Before(m.rest):
		return
	}
	seat, left := m.leaving()
	err := m.safely(func() error {
		switch {
		case m.givesWay.Load():
			return m.write(ctx, m.state.leave(storage.Nobody))
		case due(left):
			return m.write(ctx, m.state.leave(seat))
		case m.bot.reply == Paused && m.watchedLately():
			m.think(ctx)
			m.tell()
		case m.bot.reply == Paused && due(m.unwatchedAt()):
			return m.write(ctx, m.state.leave(storage.Nobody))
		case m.bot.ready && due(m.replyAt()):
			return m.reply(ctx)
		}
		return nil
	})
	if err != nil {
		m.pause(err)
	}
}

// pause has the house leave the match alone for a while after it could not do what it should.
func (m *match) pause(err error) {
	if !errors.Is(err, ErrBusy) { // which has been logged and counted where it happened
		m.house.log.Error("an event of the house was refused", "match", m.id, "err", err)
		m.failures++
	}
	m.rest = time.Now().Add(backoff(m.failures))
}

// backoff is how long to wait after so many failures in a row.
func backoff(failures int) time.Duration {
	const first, most, doublings = 50 * time.Millisecond, 5 * time.Second, 7
	return min(first<<min(max(failures-1, 0), doublings), most)
}

// replyAt is when a computer player that has its move plays it.
func (m *match) replyAt() time.Time { return m.changeAt.Add(m.house.botDelay) }

// unwatchedAt is when a match between two computer players has been unwatched for too long.
func (m *match) unwatchedAt() time.Time {
	watched, last := m.board.watched()
	if watched {
		return time.Time{}
	}
	return last.Add(m.house.limits.Unwatched)
}

// leaving returns which seat leaves the match and when, if nobody comes back before: a guest who has gone, the owner of a
// public offer who has, or Nobody for an offer that has waited too long. The time is zero if nothing of that can happen.
func (m *match) leaving() (seat storage.Seat, at time.Time) {
	limits, waiting := m.house.limits, m.state.started.IsZero()
	sooner := func(s storage.Seat, t time.Time) {
		if at.IsZero() || t.Before(at) {
			seat, at = s, t
		}
	}
	for side, who := range m.state.seats {
		var patience time.Duration
		switch {
		case who.Kind == storage.Guest:
			patience = limits.AwayGuest
		case who.Kind == storage.Person && waiting && m.state.opening.Public:
			patience = limits.AwayOffer
		default:
			continue
		}
		if since, gone := m.house.away(who); gone {
			sooner(storage.SeatOf(games.Side(side)), later(since, m.satAt[side]).Add(patience))
		}
	}
	if !waiting {
		return seat, at
	}
	if kept := m.state.opening.Reserved; kept.Kind == storage.Guest {
		if since, gone := m.house.away(kept); gone {
			sooner(storage.Nobody, later(since, m.changeAt).Add(limits.AwayGuest))
		}
	}
	sooner(storage.Nobody, time.Now().Add(limits.PrivateWait-m.house.now().Sub(m.state.opened)))
	return seat, at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
