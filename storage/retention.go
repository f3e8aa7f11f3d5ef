package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage/kv"
)

// casualKey is the key in the meta section that holds how far ForgetCasual has come: the last place in everybody's history that
// it has looked at. Matches end in the order of time, so none comes before that place later.
const casualKey = "casual"

// forgetStep is how many records one transaction deletes at most. Each has up to eight entries.
const forgetStep = 100

// ForgetCasual deletes the records of casual matches that ended before a time, with their places in the history and their
// analyses, and returns how many: those of guests, those against a computer player of one of these levels, and those without
// any player. It takes up where the last call ended, in short transactions. Everything else stays, and all that was rated.
func (s *Store) ForgetCasual(ctx context.Context, before time.Time, levels []string) (forgotten int, err error) {
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

// forgetCasual looks at the next records, and says whether there are more to look at.
func forgetCasual(tx kv.Tx, before time.Time, levels []string) (forgotten int, more bool, err error) {
	prefix := history.key("", "", "")
	g := kv.Range{From: prefix, To: appendMS(slices.Clone(prefix), before.UnixMilli())}
	last, err := tx.Get(meta.key(casualKey))
	if err != nil {
		return 0, false, err
	}
	if last != nil {
		g.From = slices.Concat(prefix, last, []byte{0})
	}
	if slices.Compare(g.From, g.To) >= 0 {
		return 0, false, nil
	}
	var places [][]byte
	for p, err := range tx.Scan(g) {
		if err != nil {
			return 0, false, err
		}
		if len(places) == sweepStep {
			more = true
			break
		}
		places = append(places, slices.Clone(p.Key[len(prefix):]))
	}
	for i, place := range places {
		if forgotten == forgetStep {
			places, more = places[:i], true
			break
		}
		if len(place) <= 8 {
			return 0, false, fmt.Errorf("%w: a place in the history without a match", ErrDamaged)
		}
		id := MatchID(place[8:])
		value, err := tx.Get(finished.key(string(id)))
		if err != nil {
			return 0, false, err
		}
		f, number, err := decodeRecord(id, value, false)
		if err != nil || number != 0 || !casual(f, levels) {
			continue // a record that can't be read stays
		}
		for _, key := range historyKeys(f) {
			tx.Delete(key)
		}
		tx.Delete(finished.key(string(id)))
		tx.Delete(analyses.key(string(id)))
		forgotten++
	}
	if len(places) > 0 {
		tx.Put(meta.key(casualKey), places[len(places)-1])
	}
	return forgotten, more, nil
}

// casual says whether the record of a match that was not rated is forgotten after a while.
func casual(f Finished, levels []string) bool {
	players := false
	for _, o := range []Occupant{f.First, f.Second} {
		switch {
		case o.Kind == Guest, o.Kind == Bot && slices.Contains(levels, o.ID):
			return true
		case o.Kind == Person:
			players = true
		}
	}
	return !players
}
