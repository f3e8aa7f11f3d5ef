package tournaments

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// Unfinished are the tournaments that are open or running, each with the goroutine that owns it at this node, and the listing of all of them. Any
// goroutine may use it.
type Unfinished struct {
	config  *Config
	listing *feed.Feed[*Listing]
	started chan struct{} // closed when the tournaments have been read

	mu   sync.Mutex // guards what follows
	open map[storage.TournamentID]*tournament
}

func newUnfinished(c *Config) *Unfinished {
	return &Unfinished{config: c, listing: feed.New[*Listing](c.Feeds), started: make(chan struct{}), open: make(map[storage.TournamentID]*tournament)}
}

// read reads the tournaments and runs them. It tries again until it has or ctx ends.
func (s *Unfinished) read(ctx context.Context) {
	retries := time.NewTimer(0)
	defer retries.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-retries.C:
		}
		all, err := s.config.Store.Tournaments(ctx)
		if err == nil {
			for _, m := range all {
				s.add(m.ID)
			}
			break
		}
		s.config.Log.Warn("the tournaments can't be read", "err", err)
		retries.Reset(retryAfter)
	}
	s.publish()
	close(s.started)
}

// untilStarted waits until the tournaments have been read.
func (s *Unfinished) untilStarted(ctx context.Context) error {
	select {
	case <-s.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.config.Tasks.Closing():
		return refusal.ErrClosed
	}
}

// Follow follows what other nodes write until ctx ends.
func (s *Unfinished) Follow(ctx context.Context) {
	s.config.Node.Follow(ctx, func(ctx context.Context) error {
		return s.config.Shared.FollowTournaments(ctx, storage.Follower[storage.TournamentID, tournaments.Summary]{
			All: func(all []tournaments.Summary) {
				for _, m := range all {
					s.add(m.ID).written(m.Seq)
				}
				for _, t := range s.all() {
					if !slices.ContainsFunc(all, func(m tournaments.Summary) bool { return m.ID == t.id }) {
						t.written(0)
					}
				}
			},
			Put: func(m tournaments.Summary) { s.add(m.ID).written(m.Seq) },
			Gone: func(id storage.TournamentID) {
				if t := s.find(id); t != nil {
					t.written(0)
				}
			},
			Bad: s.config.Node.Unreadable,
		})
	})
}

// add returns a tournament that is in memory, and runs it if it wasn't.
func (s *Unfinished) add(id storage.TournamentID) *tournament {
	s.mu.Lock()
	t := s.open[id]
	if t == nil {
		t = newTournament(s.config, s, id)
		s.open[id] = t
		s.mu.Unlock()
		if s.config.Tasks.Go(t.run) != nil {
			close(t.done) // the club closes
		}
		return t
	}
	s.mu.Unlock()
	return t
}

// find returns a tournament that is in memory, or nil.
func (s *Unfinished) find(id storage.TournamentID) *tournament {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

// all returns the tournaments that are in memory, in no order.
func (s *Unfinished) all() []*tournament {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.open))
}

// remove takes a tournament that has ended out of memory.
func (s *Unfinished) remove(t *tournament) {
	s.mu.Lock()
	delete(s.open, t.id)
	s.mu.Unlock()
	s.publish()
}

// publish publishes the listing.
func (s *Unfinished) publish() {
	all := s.all()
	s.listing.Update(func(_ *Listing, seq uint64) (*Listing, bool) {
		l := &Listing{Number: seq}
		for _, t := range all {
			if v, _ := t.views.Latest(); v != nil && !v.Stage.Closed() {
				l.All = append(l.All, v)
			}
		}
		slices.SortFunc(l.All, func(a, b *View) int {
			return cmp.Or(a.Settings.Begins.Compare(b.Settings.Begins), cmp.Compare(a.ID, b.ID))
		})
		return l, true
	})
}

// Wake has a tournament look at its matches, because one of them has changed. It doesn't block.
func (s *Unfinished) Wake(id storage.TournamentID) {
	if t := s.find(id); t != nil {
		t.look()
	}
}

// WakeAll is Wake for all tournaments, after nodes have come or gone.
func (s *Unfinished) WakeAll() {
	for _, t := range s.all() {
		t.look()
	}
}
