// Package matches finds, loads and ends the matches of a club, and does what players want of them: it keeps all that live, which runs one match,
// and registry, which knows all unfinished ones, need of each other.
package matches

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A Store keeps matches; see matches.Store and results.Store.
type Store interface {
	live.Store

	// Summaries returns the summaries of all matches that have a log. One with Seq 0 is missing.
	Summaries(ctx context.Context) ([]matches.Summary, error)

	// KeepSummaries keeps summaries that were missing; storage.ErrStale if a log is another by now.
	KeepSummaries(ctx context.Context, all []matches.Summary) error

	// Visits returns where a player has come from; see accounts.VisitStore.
	Visits(ctx context.Context, id storage.PlayerID) ([]accounts.Visit, error)
}

// Shared is the store of a club with several nodes; see cluster.Store and matches.Store.
type Shared interface {
	OpenMatch(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary, t cluster.Terms) error
	FollowSummaries(ctx context.Context, f storage.Follower[storage.MatchID, matches.Summary]) error
}

// A Node is this one: *nodes.Nodes or *nodes.Alone.
type Node interface {
	Owner
	Settled() bool
	Follow(ctx context.Context, f func(context.Context) error)
	RemovedElsewhere(err error) bool
	Await(ctx context.Context, known func(context.Context) bool, news func() <-chan struct{})
}

// Presence is who is at the board of a match; presence.Registry knows it.
type Presence interface {
	Presence(id storage.MatchID, seats [2]storage.Occupant) ([2]match.Presence, match.Spectators)
}

// News hears what becomes of matches. Its methods must not block.
type News interface {
	// Filed says that the registry has another summary of a match. It may be called by several goroutines at a time.
	Filed(c registry.Change)

	// Changed says how a match stands after a change, or once it is over, after the registry knows it and before a view shows it.
	Changed(s *match.Summary, over bool)

	// Over says that a match in memory is over, while the registry still knows it. EndedElsewhere says so of one that was not in memory here.
	Over(v *match.View)
	EndedElsewhere(last *match.Summary)

	// Loaded says that a finished match has come into memory.
	Loaded(id storage.MatchID)
}

// A Config configures New.
type Config struct {
	Store    Store
	Shared   Shared // nil in a club with one node
	Node     Node
	Nodes    *Nodes
	Reach    *nodes.Reach
	Registry *registry.Registry
	Presence Presence
	News     News

	// Restrictions says which accounts are closed or deleted.
	Restrictions *restrictions.Service

	// Strengths returns how strong players are, by game; see standings.Service.
	Strengths func(ctx context.Context, players map[string][]storage.PlayerID) map[string]map[storage.PlayerID]match.Strength

	Live  *live.Config // but for its Registry, which New sets
	Tasks *tasks.Group
	Now   func() time.Time // the clock of events
	Log   *slog.Logger
	Stats *NodeStats

	// ListsChanged returns a channel that is closed when lists are made after matches have changed.
	ListsChanged func() <-chan struct{}

	CachedPlies int // 0: CachedPlies
}

// A Service has all matches of a club. It is safe for concurrent use.
type Service struct {
	config   Config
	live     *live.Config
	registry *registry.Registry
	finished *finishedCache
}

// New returns a service that knows of no match. The caller must call Start before anything else, and run RunDeadlines and Follow.
func New(c Config) *Service {
	s := &Service{config: c, live: c.Live, registry: c.Registry, finished: newFinishedCache(cmp.Or(c.CachedPlies, CachedPlies))}
	s.live.Registry = filing{s}
	return s
}

// NodeStats counts what a node has taken over and followed since the program started. All fields only grow. The zero value is ready to use.
type NodeStats struct {
	Takeovers   atomic.Int64 // matches taken over by this node
	Followed    atomic.Int64 // changes of matches made by other nodes
	FollowedLag atomic.Int64 // total time from those changes to their arrival here, in nanoseconds; includes differences between clocks
}

// GoesOn reports whether a match goes on.
func (s *Service) GoesOn(id storage.MatchID) bool {
	return s.registry.Find(id).Summary != nil
}

// Seats returns who sits in a match, running or finished. The errors are those of next.
func (s *Service) Seats(ctx context.Context, id storage.MatchID) (seats [2]storage.Occupant, err error) {
	if m := s.registry.Find(id).Summary; m != nil {
		return m.Seats, nil
	}
	v, err := s.View(ctx, id)
	if err != nil {
		return seats, err
	}
	return v.Seats, nil
}

// errGone means that a match has ended on another node.
var errGone = errors.New("the match has ended on another node")

// inMemory returns an unfinished match, which is loaded if it has to be; nil if there is no unfinished match with this id. The
// errors are refusal.ErrDamaged, refusal.ErrFull, refusal.ErrBusy, refusal.ErrClosed and that of ctx.
func (s *Service) inMemory(ctx context.Context, id storage.MatchID) (*live.Match, error) {
	found, load, first := s.registry.Use(id)
	if load == nil {
		if found == nil && s.registry.Find(id).Quarantined {
			return nil, refusal.ErrDamaged
		}
		return liveMatch(found), nil
	}
	if first {
		if err := s.config.Tasks.Go(func(ctx, writes context.Context) { s.load(ctx, writes, id, load) }); err != nil {
			load.Failed(err)
		}
	}
	found, err := load.Wait(ctx)
	return liveMatch(found), err
}

// liveMatch returns a match in memory as what it is; nil for none.
func liveMatch(m registry.Match) *live.Match {
	of, _ := m.(*live.Match)
	return of
}

// load loads a match and runs it.
func (s *Service) load(ctx, writes context.Context, id storage.MatchID, load *registry.Loading) {
	state, err := s.readMatch(ctx, id, load)
	if errors.Is(err, errGone) {
		load.Failed(nil) // it can be read from its record
		return
	}
	if err != nil {
		load.Failed(err)
		return
	}
	if m := load.Loaded(func(w live.Waiting) registry.Match { return live.Resume(s.live, state, w) }); m != nil {
		liveMatch(m).Run(ctx, writes, func() {})
	}
}

// readMatch makes room for a match and reads its log.
func (s *Service) readMatch(ctx context.Context, id storage.MatchID, load *registry.Loading) (match.State, error) {
	if err := s.makeRoom(ctx, load); err != nil {
		return match.State{}, err
	}
	state, err := live.Load(ctx, s.live, id)
	if s.config.Node.RemovedElsewhere(err) {
		s.endedElsewhere(load.EndedElsewhere())
		return state, errGone
	}
	switch {
	case errors.Is(err, match.ErrLog), errors.Is(err, storage.ErrDamaged), errors.Is(err, storage.ErrNotFound):
		s.config.Log.Error("the log of a match is damaged", "match", id, "err", err)
		s.config.News.Filed(s.registry.Quarantine(id))
		return state, refusal.ErrDamaged
	case ctx.Err() != nil:
		return state, refusal.ErrClosed
	}
	return state, refusal.OfStore(err)
}

// makeRoom has matches that nobody looks at leave memory for one that is about to be loaded; refusal.ErrFull if that is not enough.
func (s *Service) makeRoom(ctx context.Context, load *registry.Loading) error {
	const rounds = 3 // in each, others may be faster and take the room
	for range rounds {
		ok, rest := load.Admit()
		if ok {
			return nil
		}
		if len(rest) == 0 {
			break
		}
		s.rest(ctx, rest)
	}
	return refusal.ErrFull
}

// rest has matches leave memory, if they can.
func (s *Service) rest(ctx context.Context, matches []registry.Match) {
	const patience = 5 * time.Second // one of them may be writing
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, m := range matches {
		liveMatch(m).Rest(ctx)
	}
}

// RunDeadlines loads matches that have something to do, a few at a time, and keeps memory within its limit.
func (s *Service) RunDeadlines(ctx context.Context) {
	const atOnce = 4
	free := make(chan struct{}, atOnce)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if rest := s.registry.Over(); len(rest) > 0 {
			s.rest(ctx, rest)
		}
		id, next := s.registry.TakeDue(time.Now())
		if id != "" {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			err := s.config.Tasks.Go(func(ctx, _ context.Context) {
				s.inMemory(ctx, id) // an error was logged where it matters, and the match is due again
				<-free
			})
			if err != nil {
				return
			}
			continue
		}
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
		select {
		case <-ctx.Done():
			return
		case <-s.registry.Due:
		case <-timer.C:
		}
	}
}

// Running returns an unfinished match; match.ErrOver if it has ended, and the errors of views.
func (s *Service) Running(ctx context.Context, id storage.MatchID) (*live.Match, error) {
	m, err := s.inMemory(ctx, id)
	if m != nil || err != nil {
		return m, err
	}
	if _, err := s.Views(ctx, id); err != nil {
		return nil, err
	}
	return nil, match.ErrOver
}

// Do has an unfinished match do an act. release is called once, when it is known what has come of it, before do returns unless
// ctx ends first.
func (s *Service) Do(ctx context.Context, id storage.MatchID, act match.Act, release func()) error {
	if err := s.config.Reach.Check(); err != nil {
		release()
		return err
	}
	asking, done := s.config.Reach.WhileReached(ctx)
	defer done()
	for {
		m, err := s.Running(asking, id)
		if err != nil {
			release()
			return nodes.Unreached(ctx, asking, err)
		}
		if err := m.Do(asking, act, release); !errors.Is(err, live.ErrUnloaded) {
			return nodes.Unreached(ctx, asking, err)
		}
	}
}

// Views returns the feed of any match, running or finished; refusal.ErrNoSuchMatch, refusal.ErrDamaged, refusal.ErrFull, refusal.ErrBusy.
func (s *Service) Views(ctx context.Context, id storage.MatchID) (*feed.Feed[*match.View], error) {
	m, err := s.inMemory(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case m != nil:
		return m.Views(), nil
	}
	if views := s.finished.get(id); views != nil {
		return views, nil
	}
	f, err := s.config.Store.Finished(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, refusal.ErrNoSuchMatch
	case errors.Is(err, storage.ErrDamaged):
		return nil, refusal.ErrDamaged
	case err != nil:
		return nil, refusal.OfStore(err)
	}
	return s.loadFinished(f)
}

// loadFinished puts a match from the records into the cache.
func (s *Service) loadFinished(f results.Finished) (*feed.Feed[*match.View], error) {
	state, err := match.Replay(f, s.live.Catalogue.Game)
	if err != nil {
		s.config.Log.Error("the record of a match is damaged", "match", f.ID, "err", err)
		return nil, refusal.ErrDamaged
	}
	v, views := state.View(), feed.New[*match.View](s.live.Feeds)
	v.Rated, v.Ratings = f.Rated, f.Ratings // as the record says: earlier versions rated matches of any length
	views.Update(func(_ *match.View, seq uint64) (*match.View, bool) {
		v.Seq = seq
		v.Presence, v.Spectators = s.config.Presence.Presence(f.ID, v.Seats)
		return v, true
	})
	views = s.finished.put(f.ID, views, v.Ply())
	s.config.News.Loaded(f.ID)
	return views, nil
}

// Next returns a view of any match as soon as its Seq is above after. The errors are those of views and of feed.Feed.Next.
func (s *Service) Next(ctx context.Context, id storage.MatchID, after uint64) (*match.View, error) {
	for {
		views, err := s.Views(ctx, id)
		if err != nil {
			return nil, err
		}
		if v, _, err := views.Next(ctx, after); !errors.Is(err, feed.ErrRetired) {
			return v, err
		}
	}
}

// View returns the present view of any match. The errors are those of next and refresh.
func (s *Service) View(ctx context.Context, id storage.MatchID) (*match.View, error) {
	if err := s.Refresh(ctx, id); err != nil {
		return nil, err
	}
	return s.Next(ctx, id, 0)
}

// Refresh makes sure that a view of a match does not show less than other nodes have shown already: this node may be cut off, or have had
// trouble with the store a moment ago. The errors are refusal.ErrCutOff, refusal.ErrBusy and that of ctx.
func (s *Service) Refresh(ctx context.Context, id storage.MatchID) error {
	if s.config.Node.Settled() { // and so not cut off
		return nil
	}
	found := s.registry.Find(id)
	if found.Summary == nil { // what is over doesn't change
		return nil
	}
	if err := s.config.Reach.Check(); err != nil {
		return err
	}
	m := liveMatch(found.Match)
	if m == nil {
		return nil
	}
	if err := m.Refresh(ctx); errors.Is(err, refusal.ErrBusy) || ctx.Err() != nil {
		return err
	}
	return nil // or the view says what is wrong
}

// Open makes a match that nobody knows yet, on terms that matter only with several nodes, and runs it. release is called once, when the match
// counts or has failed. The errors are those of live.Open's opened, among them storage.ErrCodeTaken and storage.ErrStale, with which the caller
// tries another code and id; and refusal.ErrClosed.
func (s *Service) Open(ctx context.Context, id storage.MatchID, away bool, opening match.Act, terms cluster.Terms, release func()) error {
	m, opened := live.Open(s.live, id, !away, opening, terms, release)
	forget := s.registry.Expect(id)
	err := s.config.Tasks.Go(func(ctx, writes context.Context) {
		defer forget()
		m.Run(ctx, writes, func() {})
	})
	if err != nil {
		forget()
		release()
		return err
	}
	return opened(ctx)
}

// Board returns the feed of a match that somebody may be looking at: one in memory, or one that has ended; nil for any other.
func (s *Service) Board(id storage.MatchID) *feed.Feed[*match.View] {
	if m := s.registry.Find(id).Match; m != nil {
		return m.Views()
	}
	return s.finished.get(id)
}

// Ended returns the feed of a match that has ended and is in memory; nil for any other.
func (s *Service) Ended(id storage.MatchID) *feed.Feed[*match.View] { return s.finished.get(id) }

// RecordsChanged forgets the finished matches in memory that nobody looks at.
func (s *Service) RecordsChanged() { s.finished.forgetAll() }

// Downtime returns for how long the club was down after a time.
func (s *Service) Downtime(since time.Time) time.Duration { return s.config.Nodes.Downtime(since) }

// Of returns the summaries of the unfinished matches that concern somebody; Concerns reports whether there are any.
func (s *Service) Of(k match.Key) []*match.Summary { return s.registry.Of(k) }

// Concerns reports whether an unfinished match concerns somebody.
func (s *Service) Concerns(k match.Key) bool { return s.registry.Concerns(k) }

// Wake has the matches that concern somebody look again at what they wait for.
func (s *Service) Wake(k match.Key) { s.registry.Wake(k) }

// WatchedElsewhere has a match look again at whether anybody at other nodes watches it.
func (s *Service) WatchedElsewhere(id storage.MatchID) {
	s.config.News.Filed(s.registry.WatchedElsewhere(id))
}

// Record returns the whole of a match. The errors are those of View.
func (s *Service) Record(ctx context.Context, id storage.MatchID) (results.Finished, error) {
	const tries = 3 // it may end just now
	for range tries {
		v, err := s.View(ctx, id)
		if err != nil {
			return results.Finished{}, err
		}
		if v.Over {
			f, err := s.config.Store.Finished(ctx, id)
			if errors.Is(err, storage.ErrNotFound) {
				return f, refusal.ErrNoSuchMatch // it was not to be kept, and its time is over
			}
			return f, refusal.OfStore(err)
		}
		// The times of the moves are in the log alone.
		var t match.Timing
		err = live.ReadLog(ctx, s.config.Store, id, func(events []matches.Event) error {
			for _, e := range events {
				if e.Seq <= v.Events {
					t.Add(e)
				}
			}
			return nil
		})
		switch {
		case errors.Is(err, storage.ErrNotFound): // it has just ended
		case err != nil:
			return results.Finished{}, refusal.OfStore(err)
		default:
			return match.Record(v, t.Times(v)), nil
		}
	}
	return results.Finished{}, refusal.ErrBusy
}

// UntilKnown waits until a match that another node may have opened has arrived here, or is over, but not for long: the match may have been
// forgotten by now.
func (s *Service) UntilKnown(ctx context.Context, id storage.MatchID) {
	if id == "" {
		return
	}
	s.config.Node.Await(ctx, func(ctx context.Context) bool {
		if s.registry.Find(id).Summary != nil {
			return true
		}
		_, err := s.config.Store.Finished(ctx, id)
		return err == nil
	}, s.config.ListsChanged)
}
