package matches

import (
	"context"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
)

// Nodes is live.Nodes: which node owns a match, and the times during which clocks stood still, which matches give back. It is safe for
// concurrent use.
type Nodes struct {
	Store  live.Store
	Owner  Owner  // set before the first match is opened or loaded
	Shared Shared // nil: this node is alone

	mu      sync.Mutex // guards what follows
	club    cluster.Outage
	matches map[storage.MatchID]lostTime // whose side to move was connected to a node that is gone
}

// An Owner says which matches this node owns; nodes.Nodes and nodes.Alone do.
type Owner interface {
	Owns(id storage.MatchID) bool
}

// A lostTime is what a side to move gets back.
type lostTime struct {
	cluster.Outage
	since time.Time // since when its clock runs: that is another once the time is given back, or it has moved all the same
}

// Owns reports whether this node owns a match.
func (n *Nodes) Owns(id storage.MatchID) bool { return n.Owner.Owns(id) }

// Several reports whether other nodes write to the logs of matches too.
func (n *Nodes) Several() bool { return n.Shared != nil }

// OpenMatch writes the first events of a match. A node that is alone needs no terms: what they guard against is other nodes.
func (n *Nodes) OpenMatch(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary, t cluster.Terms) error {
	if n.Shared == nil {
		return n.Store.Append(ctx, id, events, m)
	}
	return n.Shared.OpenMatch(ctx, id, events, m, t)
}

// ClubDown notes an outage of the whole club, and reports whether it is a new one.
func (n *Nodes) ClubDown(o cluster.Outage) (isNew bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if isNew = o.Up.After(n.club.Up); isNew {
		n.club = o
	}
	return isNew
}

// Downtime returns for how long the club was down after a time.
func (n *Nodes) Downtime(since time.Time) time.Duration {
	n.mu.Lock()
	o := n.club
	n.mu.Unlock()
	if o.Down.IsZero() || !since.Before(o.Up) {
		return 0
	}
	if o.Down.Before(since) {
		o.Down = since
	}
	return max(o.Up.Sub(o.Down), 0)
}

// OutageOf returns the time that a match gets back whose clock runs since a time. Time that was lost while the clock ran since another moment
// was given back already.
func (n *Nodes) OutageOf(id storage.MatchID, since time.Time) cluster.Outage {
	n.mu.Lock()
	club := n.club
	lost, ok := n.matches[id]
	n.mu.Unlock()
	if ok && lost.since.Equal(since) && lost.Up.After(club.Up) && n.Owns(id) { // one node gives the time back
		return lost.Outage
	}
	return club
}

// lost notes that a node is gone, which was up at a time: in matches in which a person was there whose turn it is they get the time since then
// back.
func (n *Nodes) lost(upAt, now time.Time, in []*match.Summary) {
	now = now.Truncate(time.Millisecond) // as events are: one that follows is not before it
	if !upAt.Before(now) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.matches == nil {
		n.matches = make(map[storage.MatchID]lostTime)
	}
	for _, s := range in {
		n.matches[s.ID] = lostTime{cluster.Outage{Down: upAt, Up: now}, s.Clock.Since}
	}
}

// changed takes in the newest summary of a match: another node may have given the time back.
func (n *Nodes) changed(s *match.Summary, over bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if lost, ok := n.matches[s.ID]; ok && (over || !s.Clock.Since.Equal(lost.since)) {
		delete(n.matches, s.ID)
	}
}

// NodeLost takes in that a node is gone at which a person was, and which was up at a time: matches in which it is the turn of that person get
// the time since then back.
func (s *Service) NodeLost(ctx context.Context, upAt time.Time, k match.Key) {
	now := s.config.Now() // before the logs are read
	s.config.Nodes.lost(upAt, now, s.yetToResume(ctx, upAt, k))
}

// yetToResume returns the matches in which it is the turn of a person who was at a node that is gone, and was up at a time. It leaves out those
// whose clock was resumed since: another node may have heard sooner of this one, and what it has written may come here first.
func (s *Service) yetToResume(ctx context.Context, upAt time.Time, k match.Key) (yet []*match.Summary) {
	for _, m := range s.registry.Of(k) {
		switch {
		case m.Started.IsZero() || m.Clock.Setting.Kind != clock.Fischer || match.KeyOf(m.Seats[m.Turn]) != k:
		case m.Clock.Since.After(upAt) && s.resumedAt(ctx, m.ID, m.Clock.Since):
		default:
			yet = append(yet, m)
		}
	}
	return yet
}

// resumedAt reports whether the clock of a match was resumed at a time. If the store doesn't say, it was not.
func (s *Service) resumedAt(ctx context.Context, id storage.MatchID, at time.Time) (resumed bool) {
	_ = live.ReadLog(ctx, s.config.Store, id, func(events []matches.Event) error { // the error: see above
		resumed = resumed || slices.ContainsFunc(events, func(e matches.Event) bool { return e.Kind == matches.Resumed && e.At.Equal(at) })
		return nil
	})
	return resumed
}

// ClubDown takes in the last outage of the whole club.
func (s *Service) ClubDown(o cluster.Outage) {
	if s.config.Nodes.ClubDown(o) {
		s.config.Log.Warn("no node could write for a while: clocks get that time back", "from", o.Down, "to", o.Up)
		s.OwnersChanged()
	}
}

// OwnersChanged has the matches that this node owns now go on here, and others no more.
func (s *Service) OwnersChanged() { s.config.Stats.Takeovers.Add(int64(s.registry.OwnersChanged())) }
