package lobby

import (
	"context"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
)

// # Outages

// outages keeps the times during which clocks stood still, for the matches to give back.
type outages struct {
	mu      sync.Mutex // guards what follows
	club    clusterstore.Outage
	matches map[storage.MatchID]lostTime // whose side to move was connected to a node that is gone
}

// A lostTime is what a side to move gets back.
type lostTime struct {
	clusterstore.Outage
	since time.Time // since when its clock runs: that is another once the time is given back, or it has moved all the same
}

// began notes the outage that ended when this program began.
func (o *outages) began(club clusterstore.Outage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if club.Up.After(o.club.Up) {
		o.club = club
	}
}

// yetToResume returns the matches in which it is the turn of a person who was at a node that is gone, and was up at a time. It leaves out those
// whose clock was resumed since: another node may have heard sooner of this one, and what it has written may come here first.
func (l *Lobby) yetToResume(ctx context.Context, upAt time.Time, k match.Key) (matches []*match.Summary) {
	for _, s := range l.registry.Of(k) {
		switch {
		case s.Started.IsZero() || s.Clock.Setting.Kind != clock.Fischer || match.KeyOf(s.Seats[s.Turn]) != k:
		case s.Clock.Since.After(upAt) && l.resumedAt(ctx, s.ID, s.Clock.Since):
		default:
			matches = append(matches, s)
		}
	}
	return matches
}

// resumedAt reports whether the clock of a match was resumed at a time. If the store doesn't say, it was not.
func (l *Lobby) resumedAt(ctx context.Context, id storage.MatchID, at time.Time) (resumed bool) {
	_ = live.ReadLog(ctx, l.store, id, func(events []matches.Event) error { // the error: see above
		resumed = resumed || slices.ContainsFunc(events, func(e matches.Event) bool { return e.Kind == matches.Resumed && e.At.Equal(at) })
		return nil
	})
	return resumed
}

// lost notes that a node is gone, which was up at a time: in matches in which a person was there whose turn it is they get the time since then
// back.
func (o *outages) lost(upAt, now time.Time, matches []*match.Summary) {
	now = now.Truncate(time.Millisecond) // as events are: one that follows is not before it
	if !upAt.Before(now) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range matches {
		o.matches[s.ID] = lostTime{clusterstore.Outage{Down: upAt, Up: now}, s.Clock.Since}
	}
}

// changed takes in the newest summary of a match: another node may have given the time back.
func (o *outages) changed(s *match.Summary, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if lost, ok := o.matches[s.ID]; ok && (over || !s.Clock.Since.Equal(lost.since)) {
		delete(o.matches, s.ID)
	}
}

// outage is nodes.Config.Outage: it records the last outage of the whole club.
func (l *Lobby) outage(o clusterstore.Outage) {
	l.outages.mu.Lock()
	isNew := o.Up.After(l.outages.club.Up)
	if isNew {
		l.outages.club = o
	}
	l.outages.mu.Unlock()
	if isNew {
		l.log.Warn("no node could write for a while: clocks get that time back", "from", o.Down, "to", o.Up)
		l.stats.Takeovers.Add(int64(l.registry.OwnersChanged()))
	}
}
