package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage/kv"
)

// casualDone is how far ForgetCasual has come: the last place in everybody's history that it has looked at, as it is written there. Matches
// end in the order of time, so none comes before that place later.
var casualDone = Cell[[]byte]{Name: "casual", Values: rawBytes(func(b []byte) bool { return len(b) > 8 })}

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
	prefix := history.prefix("", "")
	g := kv.Range{From: prefix, To: appendMS(slices.Clone(prefix), before.UnixMilli())}
	last, begun, err := casualDone.Find(tx)
	if err != nil {
		return 0, false, err
	}
	if begun {
		g.From = slices.Concat(prefix, last, []byte{0})
	}
	if slices.Compare(g.From, g.To) >= 0 {
		return 0, false, nil
	}
	var seen []place
	for e, err := range history.Scan(tx, g) {
		if err != nil {
			return 0, false, err
		}
		if len(seen) == sweepStep {
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
		r, there, err := recordHeads.Find(tx, p.at.ID)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return 0, false, err
		}
		if !there || r.number != 0 || !casual(r.Finished, levels) {
			continue // a record that can't be read stays
		}
		for _, of := range placesOf(r.Finished) {
			history.Delete(tx, of)
		}
		finished.Delete(tx, p.at.ID)
		analyses.Delete(tx, p.at.ID)
		forgotten++
	}
	if len(seen) > 0 {
		if err := casualDone.Put(tx, history.key(seen[len(seen)-1])[len(prefix):]); err != nil {
			return 0, false, err
		}
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
