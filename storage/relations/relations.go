// Package relations stores whom players follow and block.
package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// A Store keeps whom players follow and block.
type Store struct{ engine kv.Store }

// New returns the relations that an engine keeps.
func New(engine kv.Store) *Store { return &Store{engine} }

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{Relations},
	}
}

// MaxRelations is how many players one player may follow, and how many they may block.
const MaxRelations = 200

// ErrManyRelations says that a player follows or blocks MaxRelations players.
var ErrManyRelations = errors.New("too many players are followed or blocked")

// Lists are the players whom one player follows and blocks, each list in the order in which it was made. Its JSON form is the stored
// one.
type Lists struct {
	Following []Relation `json:"following,omitempty"`
	Blocked   []Relation `json:"blocked,omitempty"`
}

// A Relation is one player whom another follows or blocks.
type Relation struct {
	Player storage.PlayerID `json:"player"`
	Since  time.Time        `json:"since"`
}

// A Kind is one of the Lists.
type Kind uint8

// The kinds of lists.
const (
	Following Kind = iota
	Blocked
)

// Relations are the lists of each player who has any.
var Relations = storage.Table[storage.PlayerID, Lists]{
	Name: "relations", Keys: storage.Text(storage.IsPlayerID), Values: storage.JSON[storage.PlayerID, Lists](1),
	Check: func(_ storage.PlayerID, related Lists) error {
		if len(related.Following)+len(related.Blocked) == 0 {
			return storage.Damaged("relations with nobody")
		}
		return nil
	},
}

// list returns one of the lists.
func (r *Lists) list(kind Kind) *[]Relation {
	if kind == Blocked {
		return &r.Blocked
	}
	return &r.Following
}

// Relate sets whether a player follows or blocks another one, and returns the player's relations then. Blocking a player ends following
// them. The errors are ErrNotFound for an unknown player, ErrUnchanged, ErrManyRelations, and ErrInvalid if both are the same player.
func (s *Store) Relate(ctx context.Context, id storage.PlayerID, kind Kind, other storage.PlayerID, on bool, now time.Time) (Lists, error) {
	return storage.Updated(ctx, s.engine, fmt.Sprintf("relations of player %s", id), func(tx kv.Tx) (related Lists, err error) {
		if err := storage.CheckKeys(string(id), string(other)); err != nil {
			return related, err
		}
		if id == other || kind > Blocked {
			return related, fmt.Errorf("%w: a player and themself", storage.ErrInvalid)
		}
		if _, err := accounts.ReadKnown(tx, id); err != nil {
			return related, err
		}
		if related, _, err = Relations.Find(tx, id); err != nil {
			return related, err
		}
		list := related.list(kind)
		there := slices.ContainsFunc(*list, func(r Relation) bool { return r.Player == other })
		switch {
		case there == on:
			return related, storage.ErrUnchanged
		case !on:
			*list = without(*list, other)
			return related, writeRelations(tx, id, related)
		}
		if _, err := accounts.ReadKnown(tx, other); err != nil {
			return related, err
		}
		if len(*list) >= MaxRelations {
			if *list, err = withoutDeleted(tx, *list); err != nil {
				return related, err
			}
		}
		if len(*list) >= MaxRelations {
			return related, ErrManyRelations
		}
		*list = append(*list, Relation{other, storage.Stored(now)})
		if kind == Blocked {
			related.Following = without(related.Following, other)
		}
		return related, writeRelations(tx, id, related)
	})
}

// Relations returns the lists of all players who have any. Players who are deleted by now may be among those followed or blocked:
// nothing but their ids is left, and a list forgets them when it needs the room.
func (s *Store) Relations(ctx context.Context) (map[storage.PlayerID]Lists, error) {
	return storage.View(ctx, s.engine, "relations", func(r kv.Reader) (map[storage.PlayerID]Lists, error) {
		all := map[storage.PlayerID]Lists{}
		for e, err := range Relations.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			all[e.Key] = e.Value
		}
		return all, nil
	})
}

func without(list []Relation, id storage.PlayerID) []Relation {
	return slices.DeleteFunc(list, func(r Relation) bool { return r.Player == id })
}

// withoutDeleted returns a list without the players who have deleted their accounts.
func withoutDeleted(r kv.Reader, list []Relation) (kept []Relation, err error) {
	ids := make([]storage.PlayerID, len(list))
	for i, other := range list {
		ids[i] = other.Player
	}
	known, there, err := accounts.Players.FindAll(r, ids)
	if err != nil {
		return nil, err
	}
	for i, other := range list {
		if there[i] && known[i].Deleted.IsZero() {
			kept = append(kept, other)
		}
	}
	return kept, nil
}

func writeRelations(tx kv.Tx, id storage.PlayerID, related Lists) error {
	if len(related.Following)+len(related.Blocked) == 0 {
		Relations.Delete(tx, id)
		return nil
	}
	return Relations.Put(tx, id, related)
}

// HasAny reports whether a player follows or blocks other players.
func HasAny(r kv.Reader, id storage.PlayerID) (bool, error) { return Relations.Has(r, id) }

// Erase deletes whom a player follows and blocks.
func Erase(tx kv.Tx, id storage.PlayerID) error {
	Relations.Delete(tx, id)
	return nil
}

// FollowRelations follows the relations of all players until ctx ends; see Follower.
func (s *Store) FollowRelations(ctx context.Context, f storage.Follower[storage.PlayerID, Of]) error {
	return storage.FollowPrefix(ctx, s.engine, Relations.Prefix(), func(key, value []byte) (e storage.Entry[storage.PlayerID, Of], err error) {
		of, err := Relations.Entry(key, value)
		return storage.Entry[storage.PlayerID, Of]{Key: of.Key, Value: Of{of.Key, of.Value}}, err
	}, f)
}

// An Of is the relations of a player.
type Of struct {
	Player storage.PlayerID
	Lists
}
