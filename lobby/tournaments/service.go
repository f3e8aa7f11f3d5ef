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
//	service.go                  the services, and what they need
//	views.go                    what readers see: one tournament, and all that are unfinished
//	unfinished_tournaments.go   the tournaments in memory, their listing, and what other nodes write of them
//	reading.go                  finds tournaments, unfinished and past
//	announcing.go               announces tournaments, and calls them off
//	series.go                   tournaments that come again every week
//	entering.go                 enters, withdraws and pauses players
//	applying_acts.go            applies what people do, as often as they may
//	tournament.go               the goroutine that owns one tournament: its log, and what is due when
//	paired_matches.go           opens the matches of pairings and reads their results
package tournaments

import (
	"context"
	"log/slog"
	"time"

	"ludoteca/lobby/attempts"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/tasks"
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
	ID() cluster.NodeID
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

// A Service is the services over the tournaments of a club.
type Service struct {
	Reader       *Reader       // finds and shows them
	Announcer    *Announcer    // announces them, and calls them off
	Series       *Calendar     // announces those that come again every week
	Registration *Registration // enters, withdraws and pauses players
	Unfinished   *Unfinished   // runs those that are open or running
}

// New returns the services. The caller must run Run and Unfinished.Follow.
func New(c Config) *Service {
	unfinished := newUnfinished(&c)
	reader := newReader(&c, unfinished)
	acts := newActs(&c, unfinished, reader)
	announcer := newAnnouncer(&c, unfinished, reader, acts)
	return &Service{reader, announcer, &Calendar{&c, announcer}, &Registration{&c, reader, acts}, unfinished}
}

// Run reads the tournaments that are open or running, and announces the tournaments of series, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	s.Unfinished.read(ctx)
	s.Series.run(ctx)
}

// owns reports whether this node pairs the players of a tournament.
func (c *Config) owns(id storage.TournamentID) bool {
	return c.Node.Owns(storage.MatchID("tournament " + string(id)))
}
