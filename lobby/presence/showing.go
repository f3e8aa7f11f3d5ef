package presence

import (
	"context"
	"slices"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// A Config configures NewService.
type Config struct {
	Registry *Registry
	Matches  Matches
	Boards   Boards
	Failover Failover
	Listener Listener
	Node     Node
	Shared   Shared // nil in a club with one node
}

// Matches are the unfinished matches; *registry.Registry has them. Its methods must not block.
type Matches interface {
	Of(k match.Key) []*match.Summary // matches that concern a person
	Concerns(k match.Key) bool
	Wake(k match.Key) // has the matches of a person who has come or gone look again at what they wait for
}

// Boards are the boards of matches, at which users look; *matches.Service has them. Its methods must not block.
type Boards interface {
	InMemory(id storage.MatchID) *feed.Feed[*match.View] // the feed of a match at which a user may be looking; nil for any other
	WatchedElsewhere(id storage.MatchID)                 // has a match look again at whether a person at another node watches it
}

// A Failover gives clocks back the time that was lost with another node; *matches.Failover does.
type Failover interface {
	// NodeLost applies that a node is gone at which a person was, and which was up at a time.
	NodeLost(ctx context.Context, upAt time.Time, k match.Key)
}

// A Listener hears who comes and goes. Its methods must not block.
type Listener interface {
	Arrived(u match.User) // with the first session anywhere
	Left(k match.Key)     // with the last session anywhere
	CameOrWent()          // somebody did
	Changed()             // what somebody does who is here
}

// A Node is this one: *nodes.Nodes or *nodes.Alone.
type Node interface {
	nodes.Follower
	ID() cluster.NodeID
	Own(id cluster.NodeID) bool
	Gone(ctx context.Context, id cluster.NodeID) bool
	LastBeat(id cluster.NodeID) time.Time
}

// Shared is the store of a club with several nodes; see cluster.Store.
type Shared interface {
	ShowPresent(ctx context.Context, node cluster.NodeID, rows []cluster.Present) error
	FollowPresent(ctx context.Context, f storage.Follower[cluster.PresentID, cluster.Present]) error
}

// A Service shows who is where: those at the board of a match to each other, and people on this node to other nodes. What follows for a match
// is part of its views: those who look at the board see it in the next one, and nobody is asked. Many may come and go: the views of a match
// show it at once if they have not in the last second, else after that.
type Service struct {
	config   Config
	registry *Registry
	others   *otherNodes
	views    *viewThrottle
	rows     *rows
}

// NewService returns a service that the registry tells of changes. The caller must run Run, ShowRows and Follow.
func NewService(c Config) *Service {
	s := &Service{config: c, registry: c.Registry, others: newOtherNodes(c.Registry), views: newViewThrottle(), rows: newRows()}
	here := func(match.Key) {}
	if c.Shared != nil {
		here = func(k match.Key) { s.rows.note(k) }
	}
	c.Registry.notify(s.changed, here)
	return s
}

// Seen notes a sign of life of somebody who has given commands since a time of the machine's clock, and shows it to their opponents: a
// claim must wait for longer now.
func (s *Service) Seen(u match.User, since time.Time) {
	k := u.Key()
	if u.Kind != storage.Person || !s.config.Matches.Concerns(k) || !s.registry.Seen(k, since) {
		return
	}
	for _, m := range s.config.Matches.Of(k) {
		s.showSoon(m.ID)
	}
}

// Away reports whether a person is gone, and since when.
func (s *Service) Away(o storage.Occupant) (since time.Time, gone bool) {
	return s.registry.Away(match.KeyOf(o))
}

// IsHere reports whether somebody is here.
func (s *Service) IsHere(o storage.Occupant) bool {
	_, gone := s.Away(o)
	return !gone
}

// Online reports whether a player is here.
func (s *Service) Online(id storage.PlayerID) bool {
	return s.IsHere(storage.Occupant{Kind: storage.Person, ID: string(id)})
}

// Near returns how near those who sit in a match are to its board.
func (s *Service) Near(id storage.MatchID, seats [2]storage.Occupant) [2]atboard.Presence {
	near, _ := s.registry.Presence(id, seats)
	return near
}

// Now returns a view of a match with who is there as of this very moment.
func (s *Service) Now(v *match.View) *match.View {
	now := *v
	now.Presence, now.Spectators = s.registry.Presence(v.ID, v.Seats)
	if now.Presence == v.Presence && sameSpectators(now.Spectators, v.Spectators) {
		return v
	}
	return &now
}

// changed shows what has become of somebody's presence, in all their matches and at the boards that they left and came to.
func (s *Service) changed(k match.Key, boards []storage.MatchID) {
	for _, m := range s.config.Matches.Of(k) {
		if !slices.Contains(boards, m.ID) {
			boards = append(boards, m.ID)
		}
	}
	for _, id := range boards {
		s.showSoon(id)
	}
	s.config.Listener.Changed()
}

// showSoon shows who is there at a match, now or when it is time to.
func (s *Service) showSoon(id storage.MatchID) {
	if s.views.take(id) {
		s.show(id)
	}
}

// show shows who is there to all who look at a match, if that has changed, and it is time to if only the spectators have.
func (s *Service) show(id storage.MatchID) {
	views := s.config.Boards.InMemory(id)
	if views == nil {
		return // nobody looks at it
	}
	early, count := false, 0
	shown := views.Update(func(old *match.View, seq uint64) (*match.View, bool) {
		if old == nil {
			return nil, false
		}
		v := *old
		v.Seq = seq
		v.Presence, v.Spectators = s.registry.Presence(id, v.Seats)
		count = v.Spectators.Count
		others := !sameSpectators(v.Spectators, old.Spectators)
		early = others && v.Presence == old.Presence && s.views.early(id)
		return &v, !early && (others || v.Presence != old.Presence)
	})
	switch {
	case early:
		s.views.wait(id)
	case shown != 0:
		s.views.showed(id, count)
	}
}

func sameSpectators(a, b atboard.Spectators) bool {
	return a.Count == b.Count && slices.Equal(a.Names, b.Names)
}

// idleEvery is how often the club looks who has pressed no key for long.
const idleEvery = 15 * time.Second

// Run shows what has waited, and takes those for away who press no key.
func (s *Service) Run(ctx context.Context) {
	idle := time.NewTicker(idleEvery)
	defer idle.Stop()
	pause := time.NewTimer(every)
	defer pause.Stop()
	paused := true // something may have been shown lately
	for {
		select {
		case <-ctx.Done():
			return
		case <-idle.C:
			s.registry.Idle()
		case <-s.views.wake:
			if !paused {
				paused = true
				pause.Reset(every)
			}
		case <-pause.C:
			var late []storage.MatchID
			late, paused = s.views.next()
			for _, id := range late {
				s.show(id)
			}
			if paused {
				pause.Reset(every)
			}
		}
	}
}
