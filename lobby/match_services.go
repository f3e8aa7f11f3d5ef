package lobby

import (
	"context"
	"time"

	"ludoteca/lobby/live"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/restrictions"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
)

// # What matches ask of the club
//
// A match knows the club by four small interfaces (live.Config). presence.Registry is one of them; the types here are the others.

// seatedPeople is live.Players: where the people in the seats of matches come from, what they are called, and how strong they are.
type seatedPeople struct {
	origins *origins
	names   *restrictions.Service
	ratings Archive
	now     func() time.Time
}

// Origin returns where a person comes from: from no address, if they have no session.
func (s *seatedPeople) Origin(o storage.Occupant) origin.Origin { return s.origins.of(o) }

// Named returns an occupant under the name that they have now.
func (s *seatedPeople) Named(o storage.Occupant) storage.Occupant {
	return s.names.Named(o)
}

// Strength returns how strong the occupant of a seat is; unknown if the store does not say.
func (s *seatedPeople) Strength(ctx context.Context, o storage.Occupant, game string) Strength {
	if o.Kind != storage.Person {
		return Strength{}
	}
	var found Strength
	id := storage.PlayerID(o.ID)
	ratings, err := s.ratings.RatingsIn(ctx, game, []storage.PlayerID{id})
	if r, ok := ratings[id]; ok && err == nil {
		found = strengthOf(standing(game, r, s.now()))
	}
	if c, err := s.ratings.Conduct(ctx, id); err == nil {
		found.Conduct = c
	}
	return found
}

// matchNodes is live.Nodes. Lobby.openNode fills it.
type matchNodes struct {
	store   live.Store
	outages *outages
	nodes   ownership
	shared  Shared // nil: this node is alone
}

// Owns reports whether this node owns a match.
func (n *matchNodes) Owns(id storage.MatchID) bool { return n.nodes.Owns(id) }

// Shared reports whether other nodes write to the logs of matches too.
func (n *matchNodes) Shared() bool { return n.shared != nil }

// OutageOf returns the time that a match gets back whose clock runs since a time. Time that was lost while the clock ran since another moment
// was given back already.
func (n *matchNodes) OutageOf(id storage.MatchID, since time.Time) clusterstore.Outage {
	n.outages.mu.Lock()
	club := n.outages.club
	lost, ok := n.outages.matches[id]
	n.outages.mu.Unlock()
	if ok && lost.since.Equal(since) && lost.Up.After(club.Up) && n.Owns(id) { // one node gives the time back
		return lost.Outage
	}
	return club
}

// OpenMatch writes the first events of a match. A node that is alone needs no terms: what they guard against is other nodes.
func (n *matchNodes) OpenMatch(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary, t clusterstore.Terms) error {
	if n.shared == nil {
		return n.store.Append(ctx, id, events, m)
	}
	return n.shared.OpenMatch(ctx, id, events, m, t)
}

// matchRegistry is live.Registry. The goroutines of matches call it.
type matchRegistry struct {
	registry *registry.Registry
	finished *finishedCache
	over     func(v *View)                                   // what follows from the end of a match while the registry still knows it
	indexed  func(c registry.Change)                         // passes on what has changed in the registry
	changed  func(id storage.MatchID, s *Summary, over bool) // what follows from a change once the registry knows it
}

// Changed files a match after a change.
func (r *matchRegistry) Changed(m *live.Match, v *View) {
	if v.Over {
		r.finished.put(m.ID(), m.Views(), v.Ply()) // before the registry forgets it: a match is always found
		r.over(v)
	}
	r.indexed(r.registry.Put(m, v))
	r.changed(m.ID(), &v.Summary, v.Over)
}

// Unload takes a match out of memory, and reports whether it is: not if it has a reader.
func (r *matchRegistry) Unload(m *live.Match, w live.Waiting) bool { return r.registry.Unload(m, w) }

// Quarantine takes a match that can't go on out of play.
func (r *matchRegistry) Quarantine(m *live.Match) { r.indexed(r.registry.Quarantine(m.ID())) }
