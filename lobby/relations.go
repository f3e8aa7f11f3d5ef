package lobby

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/lobby/accounts"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/relations"
	"ludoteca/storage"
	relationstore "ludoteca/storage/relations"
)

// # Whom players follow and block
//
// Relations are between players, guests have none. They belong to accounts: an account that was merged with another goes on to be
// followed and blocked in the other, and what it blocks the other blocks. A player who has deleted the account is in no list any more.

// The lists of a player.
const (
	Following = relationstore.Following
	Blocked   = relationstore.Blocked
)

// A Related is a player whom another one follows or blocks.
type Related struct {
	Name   string
	Since  time.Time // when they were followed or blocked
	Online bool
}

// Relate lets a player follow or block another one, whose name it returns as they write it, or no longer. It is on disk when it returns.
// To block somebody ends following them. The errors are ErrNeedsKey, ErrAccountClosed, ErrNoSuchPlayer, ErrOneself, ErrUnchanged,
// ErrManyRelations, ErrBusy, ErrClosed.
func (l *Lobby) Relate(ctx context.Context, u User, kind relationstore.Kind, name string, on bool) (shown string, err error) {
	if err := l.Restrictions.Own(u); err != nil {
		return "", err
	}
	other, err := l.Accounts.ByName(ctx, name)
	if err != nil {
		return "", err
	}
	into := l.Restrictions.MainAccount(other.ID)
	if into == u.Player() {
		return other.Name, ErrOneself
	}
	done, err := l.relating.Take(ctx) // the graph and the store change in the same order
	if err != nil {
		return other.Name, err
	}
	defer done()
	accounts, others := []storage.PlayerID{u.Player()}, []storage.PlayerID{into}
	if !on { // wherever the relation was made
		accounts, others = l.Restrictions.AccountsOf(u.Player()), l.Restrictions.AccountsOf(into)
	} else if l.related(u, kind, into) {
		return other.Name, ErrUnchanged
	}
	err = ErrUnchanged
	if on && kind == Blocked {
		defer func() {
			if err == nil {
				l.withdrawBetween(u, User{Kind: storage.Person, ID: string(into)})
			}
		}()
	}
	for _, account := range accounts {
		for _, id := range others {
			related, failed := l.store.Relate(ctx, account, kind, id, on, l.now())
			switch {
			case failed == nil:
				l.relations.Set(account, related)
				l.People.Changed()
				err = nil
			case errors.Is(failed, relationstore.ErrManyRelations):
				return other.Name, ErrManyRelations
			case !errors.Is(failed, storage.ErrUnchanged) && !errors.Is(failed, storage.ErrNotFound):
				return other.Name, refusal.OfStore(failed)
			}
		}
	}
	return other.Name, err
}

// withdrawBetween ends the challenges and rematches that one of two users has offered the other and that wait for an answer, soon.
func (l *Lobby) withdrawBetween(a, b User) {
	between := func(by, to User) {
		l.Manners.Withdraw(by, func(s *match.Summary) bool { return to.Is(s.Reserved) })
	}
	between(a, b)
	between(b, a)
}

// inBlock reports whether a user has blocked anybody or is blocked by anybody.
func (l *Lobby) inBlock(u User) bool {
	return u.Kind == storage.Person && slices.ContainsFunc(l.Restrictions.AccountsOf(u.Player()), l.relations.Blocked)
}

// OnlineTo reports whether a player is here, as a user sees it: those who have blocked the user are not.
func (l *Lobby) OnlineTo(u User, id storage.PlayerID) bool {
	return l.Presence.Online(id) && !l.hasBlocked(User{Kind: storage.Person, ID: string(id)}, u)
}

// related reports whether somebody is in a list of a user, under any account.
func (l *Lobby) related(u User, kind relationstore.Kind, id storage.PlayerID) bool {
	return slices.ContainsFunc(l.list(u, kind), func(r relationstore.Relation) bool { return l.Restrictions.MainAccount(r.Player) == id })
}

// RelationTo reports whether a user follows and whether they block a player.
func (l *Lobby) RelationTo(u User, id storage.PlayerID) (follows, blocks bool) {
	return l.related(u, Following, l.Restrictions.MainAccount(id)), l.related(u, Blocked, l.Restrictions.MainAccount(id))
}

// list returns a list of a user.
func (l *Lobby) list(u User, kind relationstore.Kind) (all []relationstore.Relation) {
	for _, account := range l.Restrictions.AccountsOf(u.Player()) {
		related := l.relations.Of(account)
		if kind == Blocked {
			all = append(all, related.Blocked...)
		} else {
			all = append(all, related.Following...)
		}
	}
	return all
}

// Related returns a list of a player, in the order in which it was made; at most relations.MaxRelations for each account. ErrNeedsKey,
// ErrBusy.
func (l *Lobby) Related(ctx context.Context, u User, kind relationstore.Kind) (all []Related, err error) {
	if u.Kind != storage.Person {
		return nil, ErrNeedsKey
	}
	seen := map[storage.PlayerID]bool{}
	for _, r := range l.list(u, kind) {
		id := l.Restrictions.MainAccount(r.Player)
		if seen[id] {
			continue
		}
		seen[id] = true
		p, err := l.store.Player(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound) || err == nil && !p.Deleted.IsZero():
		case err != nil:
			return nil, refusal.OfStore(err)
		default:
			all = append(all, Related{p.Name, r.Since, kind == Following && !l.Blocks(u, accounts.UserOf(p)) && l.Presence.Online(id)})
		}
	}
	return all, nil
}

// Blocks reports whether one of two users has blocked the other: then there is no pairing between them, no challenge, no rematch and no chat, and
// neither sees or takes an offer of the other. It asks memory alone, and takes next to no time.
func (l *Lobby) Blocks(a, b User) bool { return l.hasBlocked(a, b) || l.hasBlocked(b, a) }

// hasBlocked reports whether u has blocked other.
func (l *Lobby) hasBlocked(u, other User) bool {
	if u.Kind != storage.Person || other.Kind != storage.Person {
		return false
	}
	for _, account := range l.Restrictions.AccountsOf(u.Player()) {
		for _, id := range l.Restrictions.AccountsOf(other.Player()) {
			if l.relations.Blocks(account, id) {
				return true
			}
		}
	}
	return false
}

// arrived tells those who follow a user that they have come.
func (l *Lobby) arrived(u User) {
	if u.Kind == storage.Person {
		l.relations.Come(l.now(), u.Player(), l.Restrictions.AccountsOf(u.Player()))
	}
}

// An Arrivals tells a user who of the players whom they follow has come, once in ten minutes each.
type Arrivals struct {
	lobby    *Lobby
	user     User
	listener *relations.Listener // nil for a guest, who follows nobody
}

// Arrivals returns what tells a user who comes from now on, until leave is called.
func (l *Lobby) Arrivals(u User) (a *Arrivals, leave func()) {
	if u.Kind != storage.Person {
		return &Arrivals{l, u, nil}, func() {}
	}
	listener, leave := l.relations.Listen(u.Player())
	return &Arrivals{l, u, listener}, leave
}

// Next returns the names of those who have come since it was last asked: at once if there are any, else when there are. One goroutine
// at a time may call it. The errors are that of ctx and ErrClosed.
func (a *Arrivals) Next(ctx context.Context) (names []string, err error) {
	if a.listener == nil {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-a.lobby.feeds.Closed():
			return nil, a.lobby.feeds.Err()
		}
	}
	for len(names) == 0 {
		arrivals, err := a.listener.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, arrival := range arrivals {
			if name, here := a.lobby.presence.Name(match.Key{Kind: storage.Person, ID: string(arrival.Player)}); here {
				names = append(names, name) // those who have left meanwhile are no news
			}
		}
	}
	return names, nil
}

// followRelations follows who follows and blocks whom until ctx ends.
func (l *Lobby) followRelations(ctx context.Context) {
	set := func(id storage.PlayerID, related relationstore.Lists) {
		l.relations.Set(id, related)
		l.People.Changed()
	}
	l.node.Follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowRelations(ctx, storage.Follower[storage.PlayerID, relationstore.Of]{
			All: func(rows []relationstore.Of) {
				there := make(map[storage.PlayerID]bool, len(rows))
				for _, row := range rows {
					there[row.Player] = true
					set(row.Player, row.Lists)
				}
				for _, id := range l.relations.Players() {
					if !there[id] {
						set(id, relationstore.Lists{})
					}
				}
			},
			Put:  func(row relationstore.Of) { set(row.Player, row.Lists) },
			Gone: func(id storage.PlayerID) { set(id, relationstore.Lists{}) },
			Bad:  l.unreadable,
		})
	})
}
