package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage/kv"
)

// A RelationStore keeps whom players follow and block.
type RelationStore struct{ engine kv.Store }

// newRelationStore returns the relations that an engine keeps.
func newRelationStore(engine kv.Store) *RelationStore { return &RelationStore{engine} }

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

// relations are the relations of each player who has any.
var relations = Table[PlayerID, Relations]{
	Name: "relations", Keys: Text(isPlayerID), Values: JSON[PlayerID, Relations](1),
	Check: func(_ PlayerID, related Relations) error {
		if len(related.Following)+len(related.Blocked) == 0 {
			return damaged("relations with nobody")
		}
		return nil
	},
}

// list returns one of the lists.
func (r *Relations) list(kind RelationKind) *[]Relation {
	if kind == Blocked {
		return &r.Blocked
	}
	return &r.Following
}

// Relate lets a player follow or block another one, or no longer, and returns the player's relations then. To block somebody ends
// following them. The errors are ErrNotFound for an unknown player, ErrUnchanged, ErrManyRelations, and ErrInvalid for oneself.
func (s *RelationStore) Relate(ctx context.Context, id PlayerID, kind RelationKind, other PlayerID, on bool, now time.Time) (Relations, error) {
	return updated(ctx, s.engine, fmt.Sprintf("relations of player %s", id), func(tx kv.Tx) (related Relations, err error) {
		if err := checkKeys(string(id), string(other)); err != nil {
			return related, err
		}
		if id == other || kind > Blocked {
			return related, fmt.Errorf("%w: a player and themself", ErrInvalid)
		}
		if _, err := readKnown(tx, id); err != nil {
			return related, err
		}
		if related, _, err = relations.Find(tx, id); err != nil {
			return related, err
		}
		list := related.list(kind)
		there := slices.ContainsFunc(*list, func(r Relation) bool { return r.Player == other })
		switch {
		case there == on:
			return related, ErrUnchanged
		case !on:
			*list = without(*list, other)
			return related, writeRelations(tx, id, related)
		}
		if _, err := readKnown(tx, other); err != nil {
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
		*list = append(*list, Relation{other, stored(now)})
		if kind == Blocked {
			related.Following = without(related.Following, other)
		}
		return related, writeRelations(tx, id, related)
	})
}

// Relations returns the relations of all players who have any. Players who are deleted by now may be among those followed or blocked:
// nothing but their ids is left, and a list forgets them when it needs the room.
func (s *RelationStore) Relations(ctx context.Context) (map[PlayerID]Relations, error) {
	return view(ctx, s.engine, "relations", func(r kv.Reader) (map[PlayerID]Relations, error) {
		all := map[PlayerID]Relations{}
		for e, err := range relations.Scan(r, relations.Under()) {
			if err != nil {
				return nil, err
			}
			all[e.Key] = e.Value
		}
		return all, nil
	})
}

func without(list []Relation, id PlayerID) []Relation {
	return slices.DeleteFunc(list, func(r Relation) bool { return r.Player == id })
}

// withoutDeleted returns a list without the players who have deleted their accounts.
func withoutDeleted(r kv.Reader, list []Relation) (kept []Relation, err error) {
	ids := make([]PlayerID, len(list))
	for i, other := range list {
		ids[i] = other.Player
	}
	known, there, err := players.FindAll(r, ids)
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

func writeRelations(tx kv.Tx, id PlayerID, related Relations) error {
	if len(related.Following)+len(related.Blocked) == 0 {
		relations.Delete(tx, id)
		return nil
	}
	return relations.Put(tx, id, related)
}

// related reports whether a player follows or blocks anybody.
func related(r kv.Reader, id PlayerID) (bool, error) { return relations.Has(r, id) }

// relationsErased deletes whom a player follows and blocks.
func relationsErased(tx kv.Tx, id PlayerID) error {
	relations.Delete(tx, id)
	return nil
}
