package relations

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/tasks"
	accountstore "ludoteca/storage/accounts"

	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	relationstore "ludoteca/storage/relations"
)

// The lists of a player.
const (
	Following = relationstore.Following
	Blocked   = relationstore.Blocked
)

// A Store keeps relations and players; see relations.Store and accounts.Store.
type Store interface {
	// Relate makes a player follow or block another one if on is true, or stop doing so.
	Relate(ctx context.Context, id storage.PlayerID, kind relationstore.Kind, other storage.PlayerID, on bool, now time.Time) (relationstore.Lists, error)

	Player(ctx context.Context, id storage.PlayerID) (accountstore.Player, error)
}

// Presence knows who is here; *presence.Registry is one. Its methods must not block.
type Presence interface {
	// Online reports whether a player is here.
	Online(id storage.PlayerID) bool

	// Name returns the name of a user who is here.
	Name(k match.Key) (name string, here bool)
}

// News is told what has become of relations.
type News interface {
	// Changed is called after the relations of a player have changed. It must not block.
	Changed()

	// Blocked is called after a has blocked b, to end the offers between them.
	Blocked(a, b match.User)
}

// A Config configures NewService.
type Config struct {
	Graph        *Graph
	Store        Store
	Restrictions *restrictions.Service
	Feeds        *feed.Group
	Tasks        *tasks.Group
	Now          func() time.Time // the clock of events

	// ByName returns the player with a name, in any letter case. The errors are refusal.ErrNoSuchPlayer and refusal.ErrBusy.
	ByName func(ctx context.Context, name string) (accountstore.Player, error)

	Presence Presence
	News     News
}

// A Service has the players whom each player follows and blocks. It is safe for concurrent use.
//
// Relations are between players; guests have none. They belong to accounts. If an account was merged with another one, the relations to and of
// the first count for the second. A player who has deleted the account is in no list.
type Service struct {
	config Config
	graph  *Graph
	turn   *tasks.Turn // held while relations change
}

// NewService returns a service. The caller must run Follow.
func NewService(c Config) *Service {
	return &Service{config: c, graph: c.Graph, turn: c.Tasks.NewTurn()}
}

// A Related is a player whom another one follows or blocks.
type Related struct {
	Name   string
	Since  time.Time // when they were followed or blocked
	Online bool
}

// Relate makes a player follow or block another one if on is true, or stop doing so. It returns the other player's name as it is shown. The change
// is on disk when Relate returns. Blocking a player ends following them. The errors are refusal.ErrNeedsKey, refusal.ErrAccountClosed,
// refusal.ErrNoSuchPlayer, refusal.ErrOneself, refusal.ErrUnchanged, refusal.ErrManyRelations, refusal.ErrBusy and refusal.ErrClosed.
func (s *Service) Relate(ctx context.Context, u match.User, kind relationstore.Kind, name string, on bool) (shown string, err error) {
	if err := s.config.Restrictions.Own(u); err != nil {
		return "", err
	}
	other, err := s.config.ByName(ctx, name)
	if err != nil {
		return "", err
	}
	into := s.config.Restrictions.MainAccount(other.ID)
	if into == u.Player() {
		return other.Name, refusal.ErrOneself
	}
	done, err := s.turn.Take(ctx) // the graph and the store change in the same order
	if err != nil {
		return other.Name, err
	}
	defer done()
	accounts, others := []storage.PlayerID{u.Player()}, []storage.PlayerID{into}
	if !on { // between any of their accounts
		accounts, others = s.config.Restrictions.AccountsOf(u.Player()), s.config.Restrictions.AccountsOf(into)
	} else if s.related(u, kind, into) {
		return other.Name, refusal.ErrUnchanged
	}
	err = refusal.ErrUnchanged
	if on && kind == Blocked {
		defer func() {
			if err == nil {
				s.config.News.Blocked(u, match.User{Kind: storage.Person, ID: string(into)})
			}
		}()
	}
	for _, account := range accounts {
		for _, id := range others {
			related, failed := s.config.Store.Relate(ctx, account, kind, id, on, s.config.Now())
			switch {
			case failed == nil:
				s.graph.Set(account, related)
				s.config.News.Changed()
				err = nil
			case errors.Is(failed, relationstore.ErrManyRelations):
				return other.Name, refusal.ErrManyRelations
			case !errors.Is(failed, storage.ErrUnchanged) && !errors.Is(failed, storage.ErrNotFound):
				return other.Name, refusal.OfStore(failed)
			}
		}
	}
	return other.Name, err
}

// InBlock reports whether a user has blocked a player or is blocked by one.
func (s *Service) InBlock(u match.User) bool {
	return u.Kind.HasAccount() && slices.ContainsFunc(s.config.Restrictions.AccountsOf(u.Player()), s.graph.Blocked)
}

// related reports whether a list of a user has any account of a player. id is the player's main account.
func (s *Service) related(u match.User, kind relationstore.Kind, id storage.PlayerID) bool {
	return slices.ContainsFunc(s.list(u, kind), func(r relationstore.Relation) bool { return s.config.Restrictions.MainAccount(r.Player) == id })
}

// RelationTo reports whether a user follows and whether they block a player.
func (s *Service) RelationTo(u match.User, id storage.PlayerID) (follows, blocks bool) {
	return s.related(u, Following, s.config.Restrictions.MainAccount(id)), s.related(u, Blocked, s.config.Restrictions.MainAccount(id))
}

// list returns a list of a user, of all their accounts.
func (s *Service) list(u match.User, kind relationstore.Kind) (all []relationstore.Relation) {
	for _, account := range s.config.Restrictions.AccountsOf(u.Player()) {
		related := s.graph.Of(account)
		if kind == Blocked {
			all = append(all, related.Blocked...)
		} else {
			all = append(all, related.Following...)
		}
	}
	return all
}

// Related returns a list of a player, in the order in which it was made, with at most relations.MaxRelations players for each account. The errors
// are refusal.ErrNeedsKey and refusal.ErrBusy.
func (s *Service) Related(ctx context.Context, u match.User, kind relationstore.Kind) (all []Related, err error) {
	if !u.Kind.HasAccount() {
		return nil, refusal.ErrNeedsKey
	}
	seen := map[storage.PlayerID]bool{}
	for _, r := range s.list(u, kind) {
		id := s.config.Restrictions.MainAccount(r.Player)
		if seen[id] {
			continue
		}
		seen[id] = true
		p, err := s.config.Store.Player(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound) || err == nil && !p.Deleted.IsZero():
		case err != nil:
			return nil, refusal.OfStore(err)
		default:
			all = append(all, Related{p.Name, r.Since, kind == Following && !s.Blocks(u, match.User{Kind: storage.Person, ID: string(p.ID), Name: p.Name}) && s.config.Presence.Online(id)})
		}
	}
	return all, nil
}

// Blocks reports whether one of two users has blocked the other: then there is no pairing between them, no challenge, no rematch and no chat, and
// neither sees or takes an offer of the other. It reads memory only, and is fast.
func (s *Service) Blocks(a, b match.User) bool { return s.HasBlocked(a, b) || s.HasBlocked(b, a) }

// HasBlocked reports whether u has blocked other.
func (s *Service) HasBlocked(u, other match.User) bool {
	if !u.Kind.HasAccount() || !other.Kind.HasAccount() {
		return false
	}
	for _, account := range s.config.Restrictions.AccountsOf(u.Player()) {
		for _, id := range s.config.Restrictions.AccountsOf(other.Player()) {
			if s.graph.Blocks(account, id) {
				return true
			}
		}
	}
	return false
}

// Arrived notifies the followers of a user that the user has come.
func (s *Service) Arrived(u match.User) {
	if u.Kind.HasAccount() {
		s.graph.Come(s.config.Now(), u.Player(), s.config.Restrictions.AccountsOf(u.Player()))
	}
}

// Arrivals are the arrivals of the players whom a user follows, each player once in tellEvery.
type Arrivals struct {
	service  *Service
	user     match.User
	listener *Listener // nil for a guest, who follows nobody
}

// Arrivals returns the arrivals from now on for a user, until leave is called.
func (s *Service) Arrivals(u match.User) (a *Arrivals, leave func()) {
	if !u.Kind.HasAccount() {
		return &Arrivals{s, u, nil}, func() {}
	}
	listener, leave := s.graph.Listen(u.Player())
	return &Arrivals{s, u, listener}, leave
}

// Next returns the names of the players who have come since the last call: at once if there are any, else when there is one. One goroutine
// at a time may call it. The errors are ctx.Err() and refusal.ErrClosed.
func (a *Arrivals) Next(ctx context.Context) (names []string, err error) {
	if a.listener == nil {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-a.service.config.Feeds.Closed():
			return nil, a.service.config.Feeds.Err()
		}
	}
	for len(names) == 0 {
		arrivals, err := a.listener.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, arrival := range arrivals {
			if name, here := a.service.config.Presence.Name(match.Key{Kind: storage.Person, ID: string(arrival.Player)}); here {
				names = append(names, name) // not players who have left meanwhile
			}
		}
	}
	return names, nil
}

// Forget removes the relations of a player whose account is gone.
func (s *Service) Forget(id storage.PlayerID) { s.graph.Set(id, relationstore.Lists{}) }

// FollowedBy returns the players whom a user follows.
func (s *Service) FollowedBy(u match.User) (ids []storage.PlayerID) {
	for _, r := range s.list(u, Following) {
		ids = append(ids, r.Player)
	}
	return ids
}

// Shared is the store of a club with several nodes; see relations.Store.
type Shared interface {
	FollowRelations(ctx context.Context, f storage.Follower[storage.PlayerID, relationstore.Of]) error
}

// Follow follows who follows and blocks whom until ctx ends.
func (s *Service) Follow(ctx context.Context, others nodes.Follower, shared Shared) {
	set := func(id storage.PlayerID, related relationstore.Lists) {
		s.graph.Set(id, related)
		s.config.News.Changed()
	}
	others.Follow(ctx, func(ctx context.Context) error {
		return shared.FollowRelations(ctx, nodes.Mirror[storage.PlayerID, relationstore.Of]{
			Key:   func(row relationstore.Of) storage.PlayerID { return row.Player },
			Known: s.graph.Players,
			Put:   func(row relationstore.Of, _ bool) { set(row.Player, row.Lists) },
			Gone:  func(id storage.PlayerID) { set(id, relationstore.Lists{}) },
		}.Follower(others.Unreadable))
	})
}
