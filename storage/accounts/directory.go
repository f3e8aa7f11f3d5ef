package accounts

import (
	"context"
	"fmt"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A Directory finds players: by id, by key and by name. A Store is one.
type Directory struct{ engine kv.Store }

// Player returns a player. The error is ErrNotFound if there is none.
func (d *Directory) Player(ctx context.Context, id storage.PlayerID) (Player, error) {
	return storage.View(ctx, d.engine, "player", func(r kv.Reader) (Player, error) { return Players.Get(r, id) })
}

// Players returns players in the order of their ids. It makes one request. The error is ErrNotFound if one is missing.
func (d *Directory) Players(ctx context.Context, ids []storage.PlayerID) ([]Player, error) {
	return storage.View(ctx, d.engine, "players", func(r kv.Reader) ([]Player, error) { return Players.GetAll(r, ids) })
}

// PlayerByKey returns the player to whom an SSH key belongs. The error is ErrNotFound if there is none.
func (d *Directory) PlayerByKey(ctx context.Context, fingerprint string) (Player, error) {
	return storage.View(ctx, d.engine, "player by key", func(r kv.Reader) (Player, error) {
		id, err := Keys.Get(r, fingerprint)
		if err != nil {
			return Player{}, err
		}
		return Players.Get(r, id)
	})
}

// PlayerByName returns the player who has a name, or had it before while it is kept for them. It is given in the form in which names
// are compared. The error is ErrNotFound if there is none.
func (d *Directory) PlayerByName(ctx context.Context, nameKey string) (Player, error) {
	return storage.View(ctx, d.engine, "player by name", func(r kv.Reader) (Player, error) {
		id, named, err := Names.Find(r, nameKey)
		if err == nil && !named {
			var f FormerName
			f, err = FormerNames.Get(r, nameKey)
			id = f.Player
		}
		if err != nil {
			return Player{}, err
		}
		return ReadKnown(r, id)
	})
}

// Keys returns the fingerprints of a player's SSH keys, sorted. The error is ErrNotFound for an unknown player.
func (d *Directory) Keys(ctx context.Context, id storage.PlayerID) ([]string, error) {
	return storage.View(ctx, d.engine, fmt.Sprintf("keys of player %s", id), func(r kv.Reader) ([]string, error) {
		if _, err := Players.Get(r, id); err != nil {
			return nil, err
		}
		return keysOf(r, id)
	})
}

// FollowKeys calls changed for each key that gets another owner, until ctx ends; an owner of "" is none. It calls missed first, and
// again after changes were missed. An error of missed ends FollowKeys, which returns it.
func (d *Directory) FollowKeys(ctx context.Context, missed func() error, changed func(fingerprint string, owner storage.PlayerID)) error {
	type owned struct {
		fingerprint string
		owner       storage.PlayerID
	}
	return storage.FollowPrefix(ctx, d.engine, Keys.Prefix(), func(key, value []byte) (e storage.Entry[string, owned], err error) {
		of, err := Keys.Entry(key, value)
		return storage.Entry[string, owned]{Key: of.Key, Value: owned{of.Key, of.Value}}, err
	}, storage.Follower[string, owned]{
		Missed: missed,
		Put:    func(k owned) { changed(k.fingerprint, k.owner) },
		Gone:   func(fingerprint string) { changed(fingerprint, "") },
	})
}

// PlayersAfter returns players in the order of their ids, at most limit, of those after an id; "" is before the first. Deleted players are among
// them.
func (d *Directory) PlayersAfter(ctx context.Context, after storage.PlayerID, limit int) ([]Player, error) {
	return storage.View(ctx, d.engine, "players", func(r kv.Reader) (all []Player, err error) {
		for e, err := range Players.All().After(after).Expecting(limit).Scan(r) {
			if err != nil {
				return nil, err
			}
			if all = append(all, e.Value); len(all) == limit {
				break
			}
		}
		return all, nil
	})
}
