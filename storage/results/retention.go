package results

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

// CasualDone is how far ForgetCasual has come: the key of the last place that it has looked at in the history of all players. Matches
// end in the order of time, so none comes before that place later.
var CasualDone = storage.Cell[[]byte]{Name: "casual", Values: storage.RawBytes(func(b []byte) bool { return len(b) > 8 })}

// forgetStep is how many records one transaction deletes at most. Each has up to eight entries.
const forgetStep = 100

// ForgetCasual deletes the records of casual matches that ended before a time, with their places in the history and their
// analyses, and returns how many. Unrated matches are casual if a guest or a computer player of one of these levels played them, or no
// player at all. ForgetCasual goes on where the last call ended, in short transactions.
func (s *RecordStore) ForgetCasual(ctx context.Context, before time.Time, levels []string) (forgotten int, err error) {
	for more := true; more; {
		var n int
		err := s.engine.Update(ctx, func(tx kv.Tx) (err error) {
			n, more, err = forgetCasual(tx, before, levels)
			return err
		})
		if err != nil {
			return forgotten, fmt.Errorf("storage: forget casual matches: %w", err)
		}
		forgotten += n
	}
	return forgotten, nil
}

// forgetCasual looks at the next records, and reports whether there are more to look at.
func forgetCasual(tx kv.Tx, before time.Time, levels []string) (forgotten int, more bool, err error) {
	prefix := History.Prefix("", "")
	g := History.Under("", "")
	g.To = storage.AppendMS(slices.Clone(prefix), before.UnixMilli())
	last, begun, err := CasualDone.Find(tx)
	if err != nil {
		return 0, false, err
	}
	if begun {
		g.From = slices.Concat(prefix, last, []byte{0})
	}
	if slices.Compare(g.From, g.To) >= 0 {
		return 0, false, nil
	}
	var seen []Place
	for e, err := range g.Scan(tx) {
		if err != nil {
			return 0, false, err
		}
		if len(seen) == storage.SweepStep {
			more = true
			break
		}
		seen = append(seen, e.Key)
	}
	for i, p := range seen {
		if forgotten == forgetStep {
			seen, more = seen[:i], true
			break
		}
		r, there, err := RecordHeads.Find(tx, p.At.ID)
		if err != nil && !errors.Is(err, storage.ErrDamaged) {
			return 0, false, err
		}
		if !there || r.Number != 0 || !casual(r.Finished, levels) {
			continue // a record that can't be read stays
		}
		for _, of := range PlacesOf(r.Finished) {
			History.Delete(tx, of)
		}
		Records.Delete(tx, p.At.ID)
		Analyses.Delete(tx, p.At.ID)
		forgotten++
	}
	if len(seen) > 0 {
		if err := CasualDone.Put(tx, History.Key(seen[len(seen)-1])[len(prefix):]); err != nil {
			return 0, false, err
		}
	}
	return forgotten, more, nil
}

// casual reports whether the record of a match that was not rated is forgotten after a while.
func casual(f Finished, levels []string) bool {
	players := false
	for _, o := range []storage.Occupant{f.First, f.Second} {
		switch {
		case o.Kind == storage.Guest, o.Kind == storage.Bot && slices.Contains(levels, o.ID):
			return true
		case o.Kind.HasAccount():
			players = true
		}
	}
	return !players
}

// Kept reports whether the record of a match is in the store, readable or not.
func Kept(r kv.Reader, id storage.MatchID) (bool, error) {
	_, there, err := RecordHeads.Find(r, id)
	if errors.Is(err, storage.ErrDamaged) {
		return true, nil
	}
	return there, err
}

// Forget deletes the record of a match, and its analysis, if it has expired. A record that can't be read stays.
func Forget(tx kv.Tx, id storage.MatchID, now time.Time) error {
	f, there, err := RecordHeads.Find(tx, id)
	switch {
	case errors.Is(err, storage.ErrDamaged):
		return nil
	case err == nil && there && f.Forgotten(now):
		Records.Delete(tx, id)
		Analyses.Delete(tx, id)
	}
	return err
}

// Voids is how far SweepOldVoids has come: up to a match, or afterLast.
var Voids = storage.Cell[storage.MatchID]{Name: "voids", Values: storage.Plain[string](func(storage.MatchID) bool { return true })}

const afterLast storage.MatchID = "\xff" // sorts after every id

// SweepOldVoids looks at the next SweepStep records, and reports whether there are more. Versions before that kept the records of void
// matches when their codes ended: it goes through all records once.
func SweepOldVoids(tx kv.Tx, now time.Time) (more bool, err error) {
	last, begun, err := Voids.Find(tx)
	if err != nil || last == afterLast {
		return false, err
	}
	g := Records.All()
	if begun {
		g = g.After(last)
	}
	n, next := 0, afterLast
	for p, err := range tx.Scan(g.Range) {
		if err != nil {
			return false, err
		}
		if n == storage.SweepStep {
			more = true
			break
		}
		id, _ := Records.Parse(p.Key)
		if err := Forget(tx, id, now); err != nil {
			return false, err
		}
		n, next = n+1, id
	}
	if !more {
		next = afterLast
	}
	return more, Voids.Put(tx, next)
}

// Anonymize writes FormerPlayer into the records of a deleted player, in short transactions, and then takes the player off the list of
// Deletions. After a call that was cut off, the next one goes on.
func (s *RecordStore) Anonymize(ctx context.Context, id storage.PlayerID) error {
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
