package lobby

import (
	"context"
	"errors"
	"slices"

	"ludoteca/storage"
)

// # Keys

// UseSessions says which sessions end because of what happens at another node. It is called once, before there are any.
func (l *Lobby) UseSessions(s Sessions) { l.serving.Store(&s) }

// sessions returns the sessions of this node.
func (l *Lobby) sessions() Sessions {
	if s := l.serving.Load(); s != nil {
		return *s
	}
	return NoSessions{}
}

// followKeys ends the sessions of keys that have left their accounts at other nodes, until ctx ends.
func (l *Lobby) followKeys(ctx context.Context) {
	l.node.Follow(ctx, func(ctx context.Context) error {
		missed := func() error {
			for _, fingerprint := range l.origins.keys() {
				p, err := l.store.PlayerByKey(ctx, fingerprint)
				if err != nil && !errors.Is(err, storage.ErrNotFound) {
					return err
				}
				l.keyChanged(ctx, fingerprint, p.ID)
			}
			return nil
		}
		return l.shared.FollowKeys(ctx, missed, func(fingerprint string, owner storage.PlayerID) { l.keyChanged(ctx, fingerprint, owner) })
	})
}

// keyChanged ends the sessions that a key has as another player than its owner; "" is none. A key without an owner may also have sessions as
// nobody.
func (l *Lobby) keyChanged(ctx context.Context, fingerprint string, owner storage.PlayerID) {
	players := l.origins.signedIn(fingerprint)
	at := slices.IndexFunc(players, func(player storage.PlayerID) bool { return player != owner })
	switch {
	case at >= 0:
		l.sessions().EndKeys([]string{fingerprint}, l.whyKeyLeft(ctx, players[at], owner))
	case owner == "":
		l.sessions().EndKeys([]string{fingerprint}, ErrKeyRemoved)
	}
}

// whyKeyLeft says why a key of a player has another owner now, "" for none.
func (l *Lobby) whyKeyLeft(ctx context.Context, player, owner storage.PlayerID) error {
	was, err := l.store.Player(ctx, player)
	deleted := err == nil && !was.Deleted.IsZero()
	switch {
	case deleted && owner == "":
		return ErrAccountDeleted
	case owner == "":
		return ErrKeyRemoved
	case deleted:
		return ErrKeyClaimed
	}
	if is, err := l.store.Player(ctx, owner); err == nil {
		return &KeyMovedError{To: is.Name}
	}
	return ErrKeyClaimed
}
