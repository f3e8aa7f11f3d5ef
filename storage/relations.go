package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage/kv"
)

// MaxRelations is how many players one player may follow, and how many they may block.
const MaxRelations = 200

// ErrManyRelations says that a player follows or blocks MaxRelations players.
var ErrManyRelations = errors.New("too many players are followed or blocked")

// Relations are the players whom one player follows and blocks, each list in the order in which it was made. Its JSON form is the stored
// one.
type Relations struct {
	Following []Relation `json:"following,omitempty"`
	Blocked   []Relation `json:"blocked,omitempty"`
}

// A Relation is one player whom another follows or blocks.
type Relation struct {
	Player PlayerID  `json:"player"`
	Since  time.Time `json:"since"`
}

// A RelationKind is a list of Relations.
type RelationKind uint8

// The lists of Relations.
const (
	Following RelationKind = iota
	Blocked
)

const relationsVersion = 1

// list returns one of the lists.
func (r *Relations) list(kind RelationKind) *[]Relation {
	if kind == Blocked {
		return &r.Blocked
	}
	return &r.Following
}

// Relate lets a player follow or block another one, or no longer, and returns the player's relations then. To block somebody ends
// following them. The errors are ErrNotFound for an unknown player, ErrUnchanged, ErrManyRelations, and ErrInvalid for oneself.
func (s *Store) Relate(ctx context.Context, id PlayerID, kind RelationKind, other PlayerID, on bool, now time.Time) (related Relations, err error) {
	err = checkKeys(string(id), string(other))
	if err == nil && (id == other || kind > Blocked) {
		err = fmt.Errorf("%w: a player and themself", ErrInvalid)
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			if _, err := readKnown(tx, id); err != nil {
				return err
			}
			if related, err = readRelations(tx, id); err != nil {
				return err
			}
			list := related.list(kind)
			there := slices.ContainsFunc(*list, func(r Relation) bool { return r.Player == other })
			switch {
			case there == on:
				return ErrUnchanged
			case !on:
				*list = without(*list, other)
				return writeRelations(tx, id, related)
			}
			if _, err := readKnown(tx, other); err != nil {
				return err
			}
			if len(*list) >= MaxRelations {
				if *list, err = withoutDeleted(tx, *list); err != nil {
					return err
				}
			}
			if len(*list) >= MaxRelations {
				return ErrManyRelations
			}
			*list = append(*list, Relation{other, stored(now)})
			if kind == Blocked {
				related.Following = without(related.Following, other)
			}
			return writeRelations(tx, id, related)
		})
	}
	if err != nil {
		return Relations{}, fmt.Errorf("storage: relations of player %s: %w", id, err)
	}
	return related, nil
}

// Relations returns the relations of all players who have any. Players who are deleted by now may be among those followed or blocked:
// nothing but their ids is left, and a list forgets them when it needs the room.
func (s *Store) Relations(ctx context.Context) (all map[PlayerID]Relations, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) error {
		all = map[PlayerID]Relations{}
		for p, err := range r.Scan(relations.all()) {
			if err != nil {
				return err
			}
			if all[PlayerID(relations.rest(p.Key))], err = decodeRelations(p.Value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: relations: %w", err)
	}
	return all, nil
}

func without(list []Relation, id PlayerID) []Relation {
	return slices.DeleteFunc(list, func(r Relation) bool { return r.Player == id })
}

// withoutDeleted returns a list without the players who have deleted their accounts.
func withoutDeleted(r kv.Reader, list []Relation) (kept []Relation, err error) {
	var keys [][]byte
	for _, other := range list {
		keys = append(keys, players.key(string(other.Player)))
	}
	values, err := r.GetAll(keys)
	if err != nil {
		return nil, err
	}
	for i, other := range list {
		if values[i] == nil {
			continue
		}
		p, err := decodePlayer(other.Player, values[i])
		if err != nil {
			return nil, err
		}
		if p.Deleted.IsZero() {
			kept = append(kept, other)
		}
	}
	return kept, nil
}

func readRelations(r kv.Reader, id PlayerID) (Relations, error) {
	value, err := r.Get(relations.key(string(id)))
	if err != nil || value == nil {
		return Relations{}, err
	}
	return decodeRelations(value)
}

func decodeRelations(value []byte) (related Relations, err error) {
	_, content, err := unseal(value, relationsVersion)
	if err == nil {
		err = parseJSON(content, &related)
	}
	if err == nil && len(related.Following)+len(related.Blocked) == 0 {
		err = fmt.Errorf("%w: relations with nobody", ErrDamaged)
	}
	return related, err
}

func writeRelations(tx kv.Tx, id PlayerID, related Relations) error {
	if len(related.Following)+len(related.Blocked) == 0 {
		tx.Delete(relations.key(string(id)))
		return nil
	}
	value, err := sealJSON(relationsVersion, related)
	if err == nil {
		tx.Put(relations.key(string(id)), value)
	}
	return err
}
