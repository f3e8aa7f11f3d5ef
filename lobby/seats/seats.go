// Package seats has what people do to play: they open matches, find them by a code, take free seats, challenge others and ask for rematches; a
// Seat is one user's handle to one match.
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

// A Store keeps what seats need of accounts, records and ratings; see accounts.Store and results.Store.
type Store interface {
	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)

	// FreeName reports whether a new player could take a name: storage.ErrNameTaken, storage.ErrNameAlike.
	FreeName(ctx context.Context, name, nameKey string) error

	History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error)
	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
}

// Relations say who has blocked whom; see relations.Service.
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
}

// A Service opens matches and gives seats. It is safe for concurrent use.
type Service struct {
	config Config
	pace   pace
}

// New returns a service.
func New(c Config) *Service {
	c.MaxPlies, c.MaxTakebacks = cmp.Or(c.MaxPlies, match.MaxPlies), cmp.Or(c.MaxTakebacks, match.MaxTakebacks)
	return &Service{config: c, pace: newPace(*c.Limits.Now())}
}
