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

// Matches has the unfinished matches; *registry.Registry implements it. Its methods must not block.
type Matches interface {
	Of(k match.Key) []*match.Summary // matches that concern a person
	Concerns(k match.Key) bool
	Wake(k match.Key) // has the matches of a person who has come or gone look again at what they wait for
}

// Boards has the views of matches and knows their readers; *matches.Service implements it. Its methods must not block.
type Boards interface {
	InMemory(id storage.MatchID) *feed.Feed[*match.View] // the feed of a match at which a user may be looking; nil for any other
	WatchedElsewhere(id storage.MatchID)                 // makes a match check again whether a user on another node watches it
}

// A Failover gives clocks back the time that was lost with another node; *matches.Failover implements it.
type Failover interface {
	// NodeLost handles the loss of a node to which the user k was connected. upAt is when the node was last known to be up.
	NodeLost(ctx context.Context, upAt time.Time, k match.Key)
}

// A Listener is notified of changes of presence. Its methods must not block.
type Listener interface {
	Arrived(u match.User) // u has begun their first session on any node
	Left(k match.Key)     // k has ended their last session on any node
	CameOrWent()          // some user has arrived or left
	Changed()             // a user who is here has gone idle, come back, changed the board or got another name
	Renamed(k match.Key)  // k, who is here, has got another name
}

// A Node is this one: *nodes.Nodes or *nodes.Alone.
type Node interface {
	nodes.Follower
	ID() cluster.NodeID
	Rejoined() <-chan struct{} // is closed when other nodes had declared this one gone and it is back under another id
	Own(id cluster.NodeID) bool
	Gone(ctx context.Context, id cluster.NodeID) bool
	LastBeat(id cluster.NodeID) time.Time
}

// Shared is the store of a club with several nodes; see cluster.Store.
type Shared interface {
	ShowPresent(ctx context.Context, node cluster.NodeID, rows []cluster.Present) error
	FollowPresent(ctx context.Context, f storage.Follower[cluster.PresentID, cluster.Present]) error
}

// A Service shows presence: to the users at the board of a match who else is there, and to other nodes who is connected to this one. The views
// of a match contain its presence. A change shows in a new view at once, or, if there was such a view in the last second, a second after
// that one.
type Service struct {
	config   Config
	registry *Registry
	others   *otherNodes
	views    *viewThrottle
	rows     *rows
}

// NewService returns a service and subscribes it to the registry. The caller must run Run, ShowRows and Follow.
func NewService(c Config) *Service {
	s := &Service{config: c, registry: c.Registry, others: newOtherNodes(c.Registry), views: newViewThrottle(), rows: newRows()}
	here := func(match.Key) {}
	if c.Shared != nil {
		here = func(k match.Key) { s.rows.note(k) }
	}
	c.Registry.notify(s.changed, here, c.Listener.Renamed)
	return s
}

// Seen records that a user has given a command, which began at since by the machine's clock. It shows this to the user's opponents, who must
// wait longer before they may claim a match.
func (s *Service) Seen(u match.User, since time.Time) {
	k := u.Key()
	if !u.Kind.HasAccount() || !s.config.Matches.Concerns(k) || !s.registry.Seen(k, since) {
		return
	}
	for _, m := range s.config.Matches.Of(k) {
		s.showSoon(m.ID)
	}
}

// Away reports whether a user is gone, and since when.
func (s *Service) Away(o storage.Occupant) (since time.Time, gone bool) {
	return s.registry.Away(match.KeyOf(o))
}

// IsHere reports whether a user is here.
func (s *Service) IsHere(o storage.Occupant) bool {
	_, gone := s.Away(o)
	return !gone
}

// Near returns how near the occupants of the seats of a match are to its board.
func (s *Service) Near(id storage.MatchID, seats [2]storage.Occupant) [2]atboard.Presence {
	near, _ := s.registry.Presence(id, seats)
	return near
}

// Now returns v with the presence as of the call: v itself if nothing has changed, else a copy.
func (s *Service) Now(v *match.View) *match.View {
	now := *v
	now.Presence, now.Spectators = s.registry.Presence(v.ID, v.Seats)
	if now.Presence == v.Presence && sameSpectators(now.Spectators, v.Spectators) {
		return v
	}
	return &now
}

// changed shows a change of a user's presence in all their matches and at the boards that they left and came to.
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

// showSoon shows the presence at a match now, or later if the throttle says so.
func (s *Service) showSoon(id storage.MatchID) {
	if s.views.take(id) {
		s.show(id)
	}
}

// show publishes a view with the presence at a match if that has changed. If only the spectators have, it waits until the throttle allows it.
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

// idleEvery is how often Run looks for idle sessions.
const idleEvery = 15 * time.Second

// Run publishes delayed changes of presence and marks idle sessions until ctx ends.
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
