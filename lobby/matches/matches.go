// Package matches has all matches of a club, unfinished and finished ones. It connects package live, which runs one match, with package registry,
// which knows all unfinished ones, and with the store.
//
//	matches.go     the service that callers ask: views, records, acts and new matches
//	start.go       adds what the store has to the registry when the program starts
//	loading.go     loads unfinished matches into memory
//	deadlines.go   loads matches that have something to do
//	finished.go    finished matches, of which some are in memory
//	changes.go     passes on what has changed in a match
//	following.go   applies what other nodes do in matches
//	nodes.go       which node owns a match, for package live
//	outages.go     the times during which clocks stood still
//	failover.go    what follows when nodes come and go
//	timekeeping.go keeps the time while clocks run
//	ending.go      ends the matches of accounts that are closed or deleted
package matches

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A Store keeps matches; see matches.Store and results.Store.
type Store interface {
	live.Store
	StartStore
}

// Shared is the store of a club with several nodes; see cluster.Store and matches.Store.
type Shared interface {
	OpenMatch(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary, t cluster.Terms) error
	FollowSummaries(ctx context.Context, f storage.Follower[storage.MatchID, matches.Summary]) error
}

// A Node is this one: *nodes.Nodes or *nodes.Alone.
type Node interface {
	Owner
	timeNode
	Settled() bool
	Follow(ctx context.Context, f func(context.Context) error)
	RemovedElsewhere(err error) bool
	Await(ctx context.Context, known func(context.Context) bool, news func() <-chan struct{})
}

// Presence knows who is at the board of a match; see presence.Registry.
type Presence interface {
	Presence(id storage.MatchID, seats [2]storage.Occupant) ([2]atboard.Presence, atboard.Spectators)
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

	// Restrictions knows which accounts are closed or deleted.
	Restrictions *restrictions.Service

	// Strengths returns the strengths of players by game; see standings.Service.
	Strengths func(ctx context.Context, players map[string][]storage.PlayerID) map[string]map[storage.PlayerID]match.Strength

	Live  *live.Config // but for its Registry, which New sets
	Tasks *tasks.Group
	Now   func() time.Time // the clock of events
	Log   *slog.Logger
	Stats *NodeStats

	CachedPlies int // 0: CachedPlies
}

// A Service gives access to all matches of a club, unfinished and finished ones. It is safe for concurrent use.
type Service struct {
	Finished  *Finished  // finished matches
	Deadlines *Deadlines // loads matches that have something to do
	Follower  *Follower  // applies what other nodes do
	Failover  *Failover  // continues matches when nodes come and go
	Outages   *Outages   // times during which clocks stood still
	Ending    *Ending    // ends matches of accounts that are closed or deleted

	Timekeeper *Timekeeper // keeps the time, so that no clock runs while the program is down

	config   Config
	live     *live.Config
	registry *registry.Registry
	loader   *loader
}

// New returns a service without matches. The caller must call Start before anything else, and run Deadlines, Follower, Timekeeper and Ending.
func New(c Config) *Service {
	changes := notifier{c.Nodes.Outages, c.News}
	loader := &loader{live: c.Live, registry: c.Registry, node: c.Node, notifier: changes, tasks: c.Tasks, log: c.Log}
	s := &Service{
		config: c, live: c.Live, registry: c.Registry, loader: loader,
		Deadlines: &Deadlines{registry: c.Registry, loader: loader, tasks: c.Tasks},
		Outages:   c.Nodes.Outages,
		Finished:  &Finished{records: c.Store, live: c.Live, presence: c.Presence, news: c.News, log: c.Log, cache: newFinishedCache(cmp.Or(c.CachedPlies, CachedPlies))},
		Follower: &Follower{
			node: c.Node, shared: c.Shared, registry: c.Registry, live: c.Live, notifier: changes, stats: c.Stats, now: c.Now, log: c.Log,
		},
		Failover: &Failover{registry: c.Registry, store: c.Store, outages: c.Nodes.Outages, stats: c.Stats, now: c.Now, log: c.Log},
	}
	c.Live.Registry = &liveRegistry{registry: c.Registry, finished: s.Finished, notifier: changes}
	s.Timekeeper = &Timekeeper{registeredClocks{c.Registry}, c.Node, c.Log}
	s.Ending = &Ending{matches: s, registry: c.Registry, restrictions: c.Restrictions, log: c.Log}
	return s
}

// Start adds all unfinished matches in the store to the registry.
func (s *Service) Start(ctx context.Context) error {
	c := s.config
	first := starter{
		store: c.Store, registry: c.Registry, live: c.Live, strengths: c.Strengths, notifier: notifier{c.Nodes.Outages, c.News}, log: c.Log,
	}
	return first.run(ctx)
}

// GoesOn reports whether a match is unfinished.
func (s *Service) GoesOn(id storage.MatchID) bool {
	return s.registry.Find(id).Summary != nil
}

// IsPrivate reports whether a match is unfinished and private.
func (s *Service) IsPrivate(id storage.MatchID) bool {
	m := s.registry.Find(id).Summary
	return m != nil && !m.Public
}

// Seats returns the occupants of the seats of any match, unfinished or finished. It returns the errors of View.
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

// ByCode reports whether the second player of a match came by its code: it is private, and nobody was challenged to it. Of a match that was read from
// the records that isn't known: ByCode returns false. It returns the errors of Seats.
func (s *Service) ByCode(ctx context.Context, id storage.MatchID) (bool, error) {
	of := s.registry.Find(id).Summary
	if of == nil {
		v, err := s.View(ctx, id)
		if err != nil {
			return false, err
		}
		of = &v.Summary
	}
	return !of.Public && of.Reserved.Kind == storage.Free && of.Opener != storage.Nobody, nil
}

// Live returns an unfinished match, loaded if necessary. After it leaves memory its methods return live.ErrUnloaded, and the caller must call Live
// again. It returns match.ErrOver if the match has ended, and the errors of Feed.
func (s *Service) Live(ctx context.Context, id storage.MatchID) (*live.Match, error) {
	m, err := s.loader.match(ctx, id)
	if m != nil || err != nil {
		return m, err
	}
	if _, err := s.Feed(ctx, id); err != nil {
		return nil, err
	}
	return nil, match.ErrOver
}

// Do applies an act to an unfinished match. It returns the errors of the act, of Live and of Refresh.
func (s *Service) Do(ctx context.Context, id storage.MatchID, act match.Act) error {
	return s.DoReserved(ctx, id, act, func() {})
}

// DoReserved is Do for an act that needs a reservation. It calls release once, as soon as the result of the act is known: before it returns,
// unless ctx ends first.
func (s *Service) DoReserved(ctx context.Context, id storage.MatchID, act match.Act, release func()) error {
	if err := s.config.Reach.Check(); err != nil {
		release()
		return err
	}
	asking, done := s.config.Reach.WhileReached(ctx)
	defer done()
	for {
		m, err := s.Live(asking, id)
		if err != nil {
			release()
			return nodes.Unreached(ctx, asking, err)
		}
		if err := m.Do(asking, act, release); !errors.Is(err, live.ErrUnloaded) {
			return nodes.Unreached(ctx, asking, err)
		}
	}
}

// Feed returns the feed of views of any match, unfinished or finished. The errors are refusal.ErrNoSuchMatch, refusal.ErrDamaged,
// refusal.ErrFull, refusal.ErrBusy, refusal.ErrClosed and ctx.Err().
func (s *Service) Feed(ctx context.Context, id storage.MatchID) (*feed.Feed[*match.View], error) {
	m, err := s.loader.match(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case m != nil:
		return m.Views(), nil
	}
	return s.Finished.feed(ctx, id)
}

// Next returns the newest view of any match as soon as its Seq is above after. It returns the errors of Feed and of feed.Feed.Next.
func (s *Service) Next(ctx context.Context, id storage.MatchID, after uint64) (*match.View, error) {
	for {
		views, err := s.Feed(ctx, id)
		if err != nil {
			return nil, err
		}
		if v, _, err := views.Next(ctx, after); !errors.Is(err, feed.ErrRetired) {
			return v, err
		}
	}
}

// View returns the present view of any match. It returns the errors of Next and Refresh.
func (s *Service) View(ctx context.Context, id storage.MatchID) (*match.View, error) {
	if err := s.Refresh(ctx, id); err != nil {
		return nil, err
	}
	return s.Next(ctx, id, 0)
}

// Refresh brings a match on this node up to date with what other nodes may have shown already: this node may be cut off, or may have lost the
// store a moment ago. The errors are refusal.ErrCutOff, refusal.ErrBusy and ctx.Err().
func (s *Service) Refresh(ctx context.Context, id storage.MatchID) error {
	if s.config.Node.Settled() { // and so not cut off
		return nil
	}
	found := s.registry.Find(id)
	if found.Summary == nil { // a match that is over doesn't change
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

// Open opens a new match on terms, which matter only with several nodes, and runs it. It calls release once, when the registry counts the match or
// opening has failed. It returns refusal.ErrClosed and the errors of the function opened of live.Open. On storage.ErrCodeTaken or
// storage.ErrStale the caller should try another code and id.
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

// InMemory returns the feed of a match that is in memory, unfinished or finished; nil for any other. A match that a user looks at is in memory.
func (s *Service) InMemory(id storage.MatchID) *feed.Feed[*match.View] {
	if m := s.registry.Find(id).Match; m != nil {
		return m.Views()
	}
	return s.Finished.InMemory(id)
}

// WatchedElsewhere makes a match check again whether a user on another node watches it.
func (s *Service) WatchedElsewhere(id storage.MatchID) {
	s.config.News.Filed(s.registry.WatchedElsewhere(id))
}

// Record returns the record of a match with its moves and their times. It returns the errors of View.
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
				return f, refusal.ErrNoSuchMatch // it was temporary, and the store has forgotten it
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

// UntilKnown waits until this node knows a match that another node may have opened, or until the match is over. It waits at most nodes.AwaitFor,
// because the match may be gone by now.
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
	}, func() <-chan struct{} {
		_, _, newer := s.registry.Arrivals.Watch()
		return newer
	})
}
