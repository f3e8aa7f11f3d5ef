package presence

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// rows keeps track of which rows about people on this node have to be written to the store.
type rows struct {
	wake chan struct{} // holds one: stale is not empty

	mu    sync.Mutex // guards what follows
	stale map[match.Key]bool
	shown map[match.Key]bool // people of whom the store may have a row
}

func newRows() *rows {
	return &rows{wake: make(chan struct{}, 1), stale: make(map[match.Key]bool), shown: make(map[match.Key]bool)}
}

// note marks the rows of people as out of date.
func (r *rows) note(people ...match.Key) {
	r.mu.Lock()
	for _, k := range people {
		r.stale[k] = true
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// take removes up to cluster.MaxPresent people from those whose rows are out of date, and returns them.
func (r *rows) take() (people []match.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.stale {
		if len(people) == cluster.MaxPresent {
			break
		}
		people = append(people, k)
		delete(r.stale, k)
	}
	return people
}

// rows returns the rows to write for people. It skips those who have no row in the store and need none.
func (r *rows) rows(people []match.Key, here func(match.Key) cluster.Present) (rows []cluster.Present) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range people {
		row := here(k)
		is := len(row.Sessions) > 0 || row.Left != (cluster.Departure{})
		if is || r.shown[k] {
			rows = append(rows, row)
		}
		if is {
			r.shown[k] = true
		} else {
			delete(r.shown, k)
		}
	}
	return rows
}

// failed marks the rows of people as out of date again after a write that may or may not have taken place.
func (r *rows) failed(people []match.Key) {
	r.mu.Lock()
	for _, k := range people {
		r.shown[k] = true
	}
	r.mu.Unlock()
	r.note(people...)
}

// ShowRows writes the rows of this node as they change until ctx ends.
func (s *Service) ShowRows(ctx context.Context) {
	const gather, retry = 50 * time.Millisecond, 250 * time.Millisecond
	timer := time.NewTimer(gather)
	defer timer.Stop()
	rejoined := s.config.Node.Rejoined()
	for {
		select {
		case <-s.rows.wake:
		case <-rejoined:
			rejoined = s.config.Node.Rejoined()
			s.rejoined()
		case <-ctx.Done():
			return
		}
		wait := gather
		for people := s.rows.take(); len(people) > 0; people = s.rows.take() {
			rows := s.rows.rows(people, s.registry.Here)
			if len(rows) == 0 {
				continue
			}
			if err := s.config.Shared.ShowPresent(ctx, s.config.Node.ID(), rows); err != nil { // also while this node is declared gone
				s.rows.failed(people)
				wait = retry
				break
			}
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// rejoined marks the rows of all people here as out of date: other nodes have removed them with this node.
func (s *Service) rejoined() {
	s.rows.mu.Lock()
	again := slices.Collect(maps.Keys(s.rows.shown))
	s.rows.mu.Unlock()
	s.rows.note(append(again, s.registry.Users()...)...)
}

// Follow follows who is connected to other nodes until ctx ends.
func (s *Service) Follow(ctx context.Context) {
	s.config.Node.Follow(ctx, func(ctx context.Context) error {
		return s.config.Shared.FollowPresent(ctx, nodes.Mirror[cluster.PresentID, cluster.Present]{
			Key:   func(row cluster.Present) cluster.PresentID { return presentID(row.Node, match.KeyOf(row.Who)) },
			Known: s.others.rows,
			Put:   s.elsewhere,
			Gone: func(id cluster.PresentID) {
				s.goneElsewhere(ctx, id.Node, match.KeyOf(storage.Occupant{Kind: id.Kind, ID: id.ID}))
			},
		}.Follower(s.config.Node.Unreadable))
	})
}

// elsewhere updates presence from a row of another node. If news is set and the person has just come online, their followers are notified.
func (s *Service) elsewhere(row cluster.Present, news bool) {
	if s.config.Node.Own(row.Node) {
		return
	}
	u := match.User(row.Who)
	k := u.Key()
	first, last, boards := s.others.put(row)
	for _, id := range boards {
		s.config.Boards.WatchedElsewhere(id)
	}
	if first && news {
		s.config.Listener.Arrived(u)
	}
	if last {
		s.config.Listener.Left(k)
	}
	if !s.config.Matches.Concerns(k) {
		s.registry.Forget(k)
	}
	if first || last {
		s.config.Matches.Wake(k)
		s.config.Listener.CameOrWent()
	}
}

// goneElsewhere handles the removal of another node's row of a user: the node is gone, or the user has left it but has a session on another one.
func (s *Service) goneElsewhere(ctx context.Context, node cluster.NodeID, k match.Key) {
	if s.config.Node.Own(node) {
		return
	}
	if s.others.isAt(node, k) && s.config.Node.Gone(ctx, node) {
		if upAt := s.config.Node.LastBeat(node); !upAt.IsZero() {
			s.config.Failover.NodeLost(ctx, upAt, k)
		}
	}
	s.elsewhere(cluster.Present{Node: node, Who: storage.Occupant{Kind: k.Kind, ID: k.ID}}, false)
	s.config.Matches.Wake(k)
}
