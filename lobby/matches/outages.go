package matches

import (
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// Outages holds the times during which clocks stood still, which matches give back. The zero value holds none. It is safe for concurrent use.
type Outages struct {
	mu      sync.Mutex // guards what follows
	club    cluster.Outage
	matches map[storage.MatchID]lostTime // whose side to move was connected to a node that is gone
}

// A lostTime is what a side to move gets back.
type lostTime struct {
	cluster.Outage
	since time.Time // start of the clock that lost the time; a clock with another start gets nothing back
}

// ClubDown records an outage of the whole club, and reports whether it is a new one.
func (o *Outages) ClubDown(club cluster.Outage) (isNew bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if isNew = club.Up.After(o.club.Up); isNew {
		o.club = club
	}
	return isNew
}

// Downtime returns how long the club was down after a time.
func (o *Outages) Downtime(since time.Time) time.Duration {
	o.mu.Lock()
	club := o.club
	o.mu.Unlock()
	if club.Down.IsZero() || !since.Before(club.Up) {
		return 0
	}
	if club.Down.Before(since) {
		club.Down = since
	}
	return max(club.Up.Sub(club.Down), 0)
}

// of returns the time that a match gets back if its clock has run since the given time. A lost time with another since was given back already.
// Only the node that owns the match gives back time that was lost with another node.
func (o *Outages) of(id storage.MatchID, since time.Time, owns func(storage.MatchID) bool) cluster.Outage {
	o.mu.Lock()
	club := o.club
	lost, ok := o.matches[id]
	o.mu.Unlock()
	if ok && lost.since.Equal(since) && lost.Up.After(club.Up) && owns(id) {
		return lost.Outage
	}
	return club
}

// nodeLost records the loss of a node that was last known to be up at upAt: the side to move of each match gets the time since then back.
func (o *Outages) nodeLost(upAt, now time.Time, in []*match.Summary) {
	now = now.Truncate(time.Millisecond) // as events are: one that follows is not before it
	if !upAt.Before(now) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.matches == nil {
		o.matches = make(map[storage.MatchID]lostTime)
	}
	for _, s := range in {
		o.matches[s.ID] = lostTime{cluster.Outage{Down: upAt, Up: now}, s.Clock.Since}
	}
}

// changed applies the newest summary of a match: another node may have given the time back.
func (o *Outages) changed(s *match.Summary, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if lost, ok := o.matches[s.ID]; ok && (over || !s.Clock.Since.Equal(lost.since)) {
		delete(o.matches, s.ID)
	}
}
