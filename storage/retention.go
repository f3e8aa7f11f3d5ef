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

// sweepStep is how many codes, and how many records, one transaction looks at, so that no move waits long.
const sweepStep = 500

// forgetStep is how many records one transaction deletes at most. Each has up to eight entries.
const forgetStep = 100

// ForgetCasual deletes the records of casual matches that ended before a time, with their places in the history and their
// analyses, and returns how many: those of guests, those against a computer player of one of these levels, and those without
// any player. It takes up where the last call ended, in short transactions. Everything else stays, and all that was rated.
func (s *ResultStore) ForgetCasual(ctx context.Context, before time.Time, levels []string) (forgotten int, err error) {
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

// forget deletes the record of a match, and its analysis, if it has had its time. One that can't be read stays.
func forget(tx kv.Tx, id MatchID, now time.Time) error {
	f, there, err := recordHeads.Find(tx, id)
	switch {
	case errors.Is(err, ErrDamaged):
		return nil
	case err == nil && there && f.forgotten(now):
		finished.Delete(tx, id)
		analyses.Delete(tx, id)
	}
	return err
}

// voids is how far sweepOldVoids has come: up to a match, or afterLast.
var voids = Cell[MatchID]{Name: "voids", Values: Plain[string](func(MatchID) bool { return true })}

const afterLast MatchID = "\xff" // sorts after every id

// sweepOldVoids looks at the next sweepStep records, and reports whether there are more. Versions before that kept the records of void
// matches when their codes ended: it goes through all records once.
func sweepOldVoids(tx kv.Tx, now time.Time) (more bool, err error) {
	last, begun, err := voids.Find(tx)
	if err != nil || last == afterLast {
		return false, err
	}
	g := finished.Under()
	if begun {
		g.From = append(finished.key(last), 0)
	}
	n, next := 0, afterLast
	for p, err := range tx.Scan(g) {
		if err != nil {
			return false, err
		}
		if n == sweepStep {
			more = true
			break
		}
		id, _ := finished.parse(p.Key)
		if err := forget(tx, id, now); err != nil {
			return false, err
		}
		n, next = n+1, id
	}
	if !more {
		next = afterLast
	}
	return more, voids.Put(tx, next)
}
