// Package tournaments runs the tournaments of a club: announces them, enters players, and pairs them until they end.
//
// A tournament is its log (storage/tournaments), whose meaning is in package state. Each node has all tournaments that are open or running in
// memory, each owned by one goroutine (tournament.go). Any node accepts what people do: it checks the act against its copy and appends the entries
// with the next numbers; if another node was faster, it reads the new entries and checks again. The node that owns a tournament pairs, opens the
// matches and enters their results.
//
// A pairing is written with the ids of its matches before they are opened, and a match with a given id is opened once: so after a crash at any
// moment the owner opens the matches that are missing and enters the results that are missing, and nobody plays twice.
//
//	service.go      the service: what is there, lists and pages
//	announcing.go   announces tournaments
//	entering.go     what entrants and announcers do
//	tournament.go   the goroutine that owns one tournament
//	boards.go       opens the matches of pairings and reads their results
//	series.go       tournaments that come again every week
package tournaments

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"ludoteca/lobby/attempts"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/tasks"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/cluster"
	"ludoteca/storage/results"
	"ludoteca/storage/tournaments"
)

// A Store keeps tournaments, and reads accounts and finished matches; see tournaments.Store, accounts.Store and results.Store.
type Store interface {
	AppendTournament(ctx context.Context, id storage.TournamentID, entries []tournaments.Entry, m tournaments.Summary) error
	TournamentLog(ctx context.Context, id storage.TournamentID, from uint64, most int) ([]tournaments.Entry, error)
	Tournaments(ctx context.Context) ([]tournaments.Summary, error)
	PastTournaments(ctx context.Context, before time.Time, most int) ([]tournaments.Summary, error)
	TournamentByCode(ctx context.Context, code string) (storage.TournamentID, error)
	TournamentsOf(ctx context.Context, id storage.PlayerID) ([]storage.TournamentID, error)
	AddSeries(ctx context.Context, series tournaments.Series) error
	RemoveSeries(ctx context.Context, id tournaments.SeriesID) error
	Series(ctx context.Context) ([]tournaments.Series, error)

	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)
	LastBlocks(ctx context.Context, ids []storage.PlayerID) (map[storage.PlayerID]string, error)
	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
}

// Shared is the store of a club with several nodes; see tournaments.Store.
type Shared interface {
	FollowTournaments(ctx context.Context, f storage.Follower[storage.TournamentID, tournaments.Summary]) error
}

// A Node is this one: *nodes.Nodes or *nodes.Alone.
type Node interface {
	Owns(id storage.MatchID) bool
	Settled() bool
	nodes.Follower
}

// Matches opens matches; see matches.Service.
type Matches interface {
	Open(ctx context.Context, id storage.MatchID, away bool, opening match.Act, terms cluster.Terms, release func()) error
}

// Restrictions knows what is in force about people; see restrictions.Service.
type Restrictions interface {
	MayPlay(u match.User) error
	MutedUntil(u match.User) time.Time
	Closed(id storage.PlayerID) bool
	Deleted(id storage.PlayerID) bool
	Named(o storage.Occupant) storage.Occupant
}

// A Config configures New.
type Config struct {
	Store        Store
	Shared       Shared // nil in a club with one node
	Node         Node
	Reach        *nodes.Reach
	Matches      Matches
	Registry     *registry.Registry
	Restrictions Restrictions
	Players      live.Players
	Catalogue    *live.Catalogue
	Guesses      attempts.Attempts // limits wrong codes
	Feeds        *feed.Group
	Tasks        *tasks.Group
	Now          func() time.Time // the clock of events
	Log          *slog.Logger

	// HasBlocked reports whether a player has blocked another one; see relations.Service.
	HasBlocked func(u, other match.User) bool

	// TellBegins tells a player who is away that a tournament begins in which they take part, and reports whether they are told; see notices.Service.
	TellBegins func(ctx context.Context, id storage.PlayerID, v *View) (told bool, err error)
}

// A Ref names a tournament. Code is empty unless the user has given it or may know it.
type Ref struct {
	ID   storage.TournamentID
	Code string
}

// A View is a tournament at one moment. It is never changed.
type View struct {
	*state.State
	Number uint64 // for Service.Next
}

// Ref returns the name of the tournament.
func (v *View) Ref() Ref { return Ref{v.ID, v.Settings.Code} }

// Lists reports whether lists show the tournament to a user: it is public, or the user has announced or entered it.
func (v *View) Lists(u match.User) bool {
	return !v.Settings.Private || u.Is(v.Settings.By) || v.Find(u.Occupant()) != nil
}

// A Listing is all tournaments that are open or running at one moment, in the order in which they begin. It is never changed.
type Listing struct {
	Number uint64 // for Service.List
	All    []*View
}

// Seen returns the tournaments that lists show to a user.
func (l *Listing) Seen(u match.User) (seen []*View) {
	for _, v := range l.All {
		if v.Lists(u) {
			seen = append(seen, v)
		}
	}
	return seen
}

// A Part is the part of a user in a tournament that is open or running.
type Part struct {
	View    *View
	Entrant *state.Entrant
	Playing *state.Pairing // the match of the user that goes on; nil: none
}

// Parts returns the tournaments in which a user takes part.
func (l *Listing) Parts(u match.User) (parts []Part) {
	for _, v := range l.All {
		if e := v.Find(u.Occupant()); e != nil && e.In() {
			parts = append(parts, Part{v, e, e.Playing()})
		}
	}
	return parts
}

// maxPastInMemory is how many past tournaments stay in memory.
const maxPastInMemory = 32

// A Service has the tournaments of a club. Any goroutine may use it.
type Service struct {
	config   Config
	listing  *feed.Feed[*Listing]
	past     *lru.Cache[storage.TournamentID, *View]
	throttle throttles
	started  chan struct{} // closed when the tournaments have been read

	mu   sync.Mutex
	open map[storage.TournamentID]*tournament
}

// New returns a service. The caller must run Run and Follow.
func New(c Config) *Service {
	past, err := lru.New[storage.TournamentID, *View](maxPastInMemory)
	if err != nil {
		panic(err) // the size is right
	}
	return &Service{
		config: c, listing: feed.New[*Listing](c.Feeds), past: past, throttle: newThrottles(), started: make(chan struct{}),
		open: make(map[storage.TournamentID]*tournament),
	}
}

// Run reads the tournaments that are open or running, and runs series, until ctx ends.
func (s *Service) Run(ctx context.Context) {
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
	s.runSeries(ctx)
}

// Follow follows what other nodes write until ctx ends.
func (s *Service) Follow(ctx context.Context) {
	s.config.Node.Follow(ctx, func(ctx context.Context) error {
		return s.config.Shared.FollowTournaments(ctx, storage.Follower[storage.TournamentID, tournaments.Summary]{
			All: func(all []tournaments.Summary) {
				for _, m := range all {
					s.add(m.ID).written(m.Seq)
				}
				s.mu.Lock()
				known := slices.Collect(maps.Values(s.open))
				s.mu.Unlock()
				for _, t := range known {
					if !slices.ContainsFunc(all, func(m tournaments.Summary) bool { return m.ID == t.id }) {
						t.written(0)
					}
				}
			},
			Put: func(m tournaments.Summary) { s.add(m.ID).written(m.Seq) },
			Gone: func(id storage.TournamentID) {
				s.mu.Lock()
				t := s.open[id]
				s.mu.Unlock()
				if t != nil {
					t.written(0)
				}
			},
			Bad: s.config.Node.Unreadable,
		})
	})
}

// add returns a tournament that is in memory, and runs it if it wasn't.
func (s *Service) add(id storage.TournamentID) *tournament {
	s.mu.Lock()
	t := s.open[id]
	if t == nil {
		t = newTournament(s, id)
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

// remove takes a tournament that has ended out of memory.
func (s *Service) remove(t *tournament) {
	s.mu.Lock()
	delete(s.open, t.id)
	s.mu.Unlock()
	s.publish()
}

// publish publishes the listing.
func (s *Service) publish() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.open))
	s.mu.Unlock()
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
func (s *Service) Wake(id storage.TournamentID) {
	s.mu.Lock()
	t := s.open[id]
	s.mu.Unlock()
	if t != nil {
		t.look()
	}
}

// WakeAll is Wake for all tournaments, after nodes have come or gone.
func (s *Service) WakeAll() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.open))
	s.mu.Unlock()
	for _, t := range all {
		t.look()
	}
}

// List returns all tournaments that are open or running, as soon as there is a listing with a number above after. It returns the errors of
// feed.Feed.Next.
func (s *Service) List(ctx context.Context, after uint64) (*Listing, error) {
	l, _, err := s.listing.Next(ctx, after)
	return l, err
}

// Now returns all tournaments that are open or running.
func (s *Service) Now() *Listing {
	if l, _ := s.listing.Latest(); l != nil {
		return l
	}
	return &Listing{}
}

// Watch returns the newest listing and a channel that is closed when there is a newer one: for readers that wait for several things.
func (s *Service) Watch() (l *Listing, newer <-chan struct{}) {
	l, _, newer = s.listing.Watch()
	if l == nil {
		l = &Listing{}
	}
	return l, newer
}

// MostPast is how many past tournaments Past returns at most.
const MostPast = 100

// Past returns the tournaments that ended or were called off before a time and that a user may see in lists, the newest first, and where to go on:
// the zero time at the end. Begin with the zero time. The error is refusal.ErrBusy or ctx.Err().
func (s *Service) Past(ctx context.Context, u match.User, before time.Time, most int) (all []tournaments.Summary, next time.Time, err error) {
	most = min(max(most, 1), MostPast)
	found, err := s.config.Store.PastTournaments(ctx, before, most)
	if err != nil {
		return nil, next, refusal.OfStore(err)
	}
	if len(found) == most {
		next = found[len(found)-1].At
	}
	var own []storage.TournamentID
	if u.Kind.HasAccount() && slices.ContainsFunc(found, func(m tournaments.Summary) bool { return m.Settings.Private }) {
		if own, err = s.config.Store.TournamentsOf(ctx, u.Player()); err != nil {
			return nil, time.Time{}, refusal.OfStore(err)
		}
	}
	for _, m := range found {
		if !m.Settings.Private || slices.Contains(own, m.ID) {
			all = append(all, m)
		}
	}
	return all, next, nil
}

// Find returns the tournament that a code names, in any letter case. Wrong codes count as guesses against the origin; the codes of tournaments that
// lists show to the user don't. The errors are refusal.ErrNoSuchTournament, a *refusal.ThrottledError and refusal.ErrBusy.
func (s *Service) Find(ctx context.Context, u match.User, from origin.Origin, typed string) (Ref, error) {
	if err := s.untilStarted(ctx); err != nil {
		return Ref{}, err
	}
	code := codes.Read(typed)
	for _, v := range s.Now().All {
		if v.Settings.Code == code && v.Lists(u) {
			return v.Ref(), nil
		}
	}
	from.Person = ""
	if u.ID != "" {
		from.Person = match.PersonOf(u.Occupant())
	}
	refund, err := s.config.Guesses.Take(ctx, from)
	if err != nil {
		return Ref{}, err
	}
	var id storage.TournamentID
	if err = storage.ErrNotFound; code != "" {
		id, err = s.config.Store.TournamentByCode(ctx, code)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return Ref{}, refusal.ErrNoSuchTournament
	}
	refund()
	return Ref{id, code}, refusal.OfStore(err)
}

// untilStarted waits until the tournaments have been read.
func (s *Service) untilStarted(ctx context.Context) error {
	select {
	case <-s.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.config.Tasks.Closing():
		return refusal.ErrClosed
	}
}

// Next returns the newest view of any tournament as soon as its Number is above after. One that has ended has one view. The errors are
// refusal.ErrNoSuchTournament, refusal.ErrDamaged, refusal.ErrBusy, refusal.ErrClosed and ctx.Err().
func (s *Service) Next(ctx context.Context, id storage.TournamentID, after uint64) (*View, error) {
	if err := s.untilStarted(ctx); err != nil {
		return nil, err
	}
	for {
		s.mu.Lock()
		t := s.open[id]
		s.mu.Unlock()
		if t == nil {
			v, err := s.ended(ctx, id)
			if err != nil || v.Number > after {
				return v, err
			}
			select { // nothing happens any more
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-s.config.Tasks.Closing():
				return nil, refusal.ErrClosed
			}
		}
		v, _, err := t.views.Next(ctx, after)
		if !errors.Is(err, feed.ErrRetired) {
			return v, err
		}
	}
}

// View returns the present view of any tournament. It returns the errors of Next.
func (s *Service) View(ctx context.Context, id storage.TournamentID) (*View, error) {
	return s.Next(ctx, id, 0)
}

// ended returns the view of a tournament that has ended.
func (s *Service) ended(ctx context.Context, id storage.TournamentID) (*View, error) {
	if v, ok := s.past.Get(id); ok {
		return v, nil
	}
	log, err := s.config.Store.TournamentLog(ctx, id, 1, 0)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, refusal.ErrNoSuchTournament
	case errors.Is(err, storage.ErrDamaged):
		return nil, refusal.ErrDamaged
	case err != nil:
		return nil, refusal.OfStore(err)
	}
	folded, err := state.Fold(id, log)
	if err != nil {
		s.config.Log.Error("the log of a tournament is damaged", "tournament", id, "err", err)
		return nil, refusal.ErrDamaged
	}
	v := &View{State: folded, Number: folded.Seq}
	if v.Stage.Closed() {
		s.past.Add(id, v)
	}
	return v, nil
}

// Board returns the match of a pairing as a user may find it who sees the tournament: with its code while it goes on.
func (s *Service) Board(p *state.Pairing) match.Ref {
	if m := s.config.Registry.Find(p.Match).Summary; m != nil {
		return m.Ref
	}
	return match.Ref{ID: p.Match}
}
