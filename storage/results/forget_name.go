package results

import (
	"context"
	"errors"
	"fmt"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// Anonymize writes FormerPlayer into the records of a deleted player, in short transactions, and then takes the player off the list of
// Deletions. After a call that was cut off, the next one goes on.
func (s *Store) Anonymize(ctx context.Context, id storage.PlayerID) error {
	for g, more := History.Under(string(id), ""), true; more; {
		next := g // where the next transaction begins
		err := storage.Update(ctx, s.engine, fmt.Sprintf("forget the name of player %s", id), func(tx kv.Tx) error {
			var seen []Place
			for e, err := range g.Scan(tx) {
				if err != nil {
					return err
				}
				if seen = append(seen, e.Key); len(seen) == forgetStep {
					break
				}
			}
			for _, p := range seen {
				if err := forgetName(tx, id, p.At.ID); err != nil {
					return err
				}
			}
			if more = len(seen) == forgetStep; more {
				next = g.After(seen[len(seen)-1])
			} else {
				accounts.Deletions.Delete(tx, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		g = next
	}
	return nil
}

// forgetName takes the name of a player out of one record. One that can't be read stays.
func forgetName(tx kv.Tx, id storage.PlayerID, match storage.MatchID) error {
	r, there, err := Records.Find(tx, match)
	if err != nil || !there {
		if errors.Is(err, storage.ErrDamaged) {
			err = nil
		}
		return err
	}
	for _, o := range []*storage.Occupant{&r.First, &r.Second} {
		if o.Kind.HasAccount() && o.ID == string(id) {
			o.Name = accounts.FormerPlayer
		}
	}
	return Records.Put(tx, match, r)
}
