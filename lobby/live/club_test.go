package live

import (
	"context"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
)

// A fakeClub implements the interfaces of Config for a club with one node, in which all players are here. Tests set the functions that they need.
type fakeClub struct {
	store       Store
	away        func(k match.Key) (since time.Time, gone bool)
	lookedAt    func(id storage.MatchID) bool
	owns        func(id storage.MatchID) bool
	outage      cluster.Outage
	shared      bool
	changed     func(m *Match, v *match.View)
	unload      func(m *Match, w Waiting) bool
	quarantined func(m *Match)
}

func (c *fakeClub) Away(k match.Key) (since time.Time, gone bool) {
	if c.away == nil {
		return time.Time{}, false
	}
	return c.away(k)
}

func (c *fakeClub) Presence(storage.MatchID, [2]storage.Occupant) (near [2]atboard.Presence, others atboard.Spectators) {
	return near, others
}

func (c *fakeClub) LookedAt(id storage.MatchID) bool { return c.lookedAt != nil && c.lookedAt(id) }

func (c *fakeClub) Owns(id storage.MatchID) bool { return c.owns == nil || c.owns(id) }

func (c *fakeClub) Several() bool { return c.shared }

func (c *fakeClub) OutageOf(storage.MatchID, time.Time) cluster.Outage { return c.outage }

func (c *fakeClub) OpenMatch(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary, _ cluster.Terms) error {
	return c.store.Append(ctx, id, events, m)
}

func (c *fakeClub) Origin(storage.Occupant) origin.Origin { return origin.Origin{} }

func (c *fakeClub) Named(o storage.Occupant) storage.Occupant { return o }

func (c *fakeClub) Strength(context.Context, storage.Occupant, string) match.Strength {
	return match.Strength{}
}

func (c *fakeClub) Changed(m *Match, v *match.View) {
	if c.changed != nil {
		c.changed(m, v)
	}
}

func (c *fakeClub) Unload(m *Match, w Waiting) bool { return c.unload != nil && c.unload(m, w) }

func (c *fakeClub) Quarantine(m *Match) {
	if c.quarantined != nil {
		c.quarantined(m)
	}
}
