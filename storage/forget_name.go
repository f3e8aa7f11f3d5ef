package storage

import (
	"context"
	"errors"
	"fmt"

	"ludoteca/storage/kv"
)

// Anonymize writes FormerPlayer into the records of a player who is deleted, in short transactions, and then takes the player off the list of
// Deletions. What a call that was cut off has not done the next one does.
func (s *ResultStore) Anonymize(ctx context.Context, id PlayerID) error {
	for g, more := history.Under(string(id), ""), true; more; {
		next := g // where the next transaction begins
		err := update(ctx, s.engine, fmt.Sprintf("forget the name of player %s", id), func(tx kv.Tx) error {
			var seen []place
			for e, err := range history.Scan(tx, g) {
				if err != nil {
					return err
				}
				if seen = append(seen, e.Key); len(seen) == forgetStep {
					break
				}
			}
			for _, p := range seen {
				if err := forgetName(tx, id, p.at.ID); err != nil {
					return err
				}
			}
			if more = len(seen) == forgetStep; more {
				next.From = append(history.key(seen[len(seen)-1]), 0)
			} else {
				deletions.Delete(tx, id)
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
func forgetName(tx kv.Tx, id PlayerID, match MatchID) error {
	r, there, err := finished.Find(tx, match)
	if err != nil || !there {
		if errors.Is(err, ErrDamaged) {
			err = nil
		}
		return err
	}
	for _, o := range []*Occupant{&r.First, &r.Second} {
		if o.Kind == Person && o.ID == string(id) {
			o.Name = FormerPlayer
		}
	}
	return finished.Put(tx, match, r)
}
