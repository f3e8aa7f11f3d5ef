// Package seats opens matches, finds them by code or id, fills their free seats, and handles challenges and rematches. A Seat is one user's
// handle to one match.
package seats

import (
	"cmp"
	"context"
	"time"

	"ludoteca/lobby/chat"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// A Store reads accounts and finished matches; see accounts.Store and results.Store.
type Store interface {
	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)

	// FreeName returns nil if a new player could take a name. The errors are storage.ErrNameTaken and storage.ErrNameAlike.
	FreeName(ctx context.Context, name, nameKey string) error

	History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error)
	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
}

// Relations knows who follows and who has blocked whom; see relations.Service.
type Relations interface {
	Blocks(a, b match.User) bool
	HasBlocked(u, other match.User) bool
	RelationTo(u match.User, id storage.PlayerID) (follows, blocks bool)
}

// A Config configures New.
type Config struct {
	Store        Store
	Matches      *matches.Service
	Registry     *registry.Registry
	Presence     *presence.Service
	Restrictions *restrictions.Service
	Relations    Relations
	Players      live.Players
	Chat         *chat.Service
	Standings    *standings.Service
	Catalogue    *live.Catalogue
	Reach        *nodes.Reach
	Limits       *limits.InForce
	Now          func() time.Time // the clock of events

	MaxPlies     int // 0: match.MaxPlies
	MaxTakebacks int // 0: match.MaxTakebacks

	Finder     *Finder
	Manners    *Manners
	Challenges *Challenges
	Rematches  *Rematches
	Standing   Standing
}

// A Service opens matches and returns seats in them. It is safe for concurrent use.
type Service struct {
	config   Config
	pace     pace
	quotas   quotas
	programs bool // see Programs
}

// New returns a service.
func New(c Config) *Service {
	c.MaxPlies, c.MaxTakebacks = cmp.Or(c.MaxPlies, match.MaxPlies), cmp.Or(c.MaxTakebacks, match.MaxTakebacks)
	return &Service{config: c, pace: newPace(*c.Limits.Now(), c.Players), quotas: quotas{c.Limits, c.Store, c.Now}}
}

// Programs returns the service as the programs of computer accounts use it. No other caller opens a match for a computer account or takes a
// seat for one: the error is refusal.ErrEngine. A program takes offers of computer accounts, and challenges.
func (s *Service) Programs() *Service {
	with := *s
	with.programs = true
	return &with
}
