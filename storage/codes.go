package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage/kv"
)

// ByCode returns the match that a code names, from its first event until CodeLife after its end, of a temporary one TemporaryLife. The caller gives
// the code in upper case. The error is ErrNotFound for a code that names nothing, or nothing any more.
func (s *Store) ByCode(ctx context.Context, code string, now time.Time) (MatchID, error) {
	return view(ctx, s, "match by code", func(r kv.Reader) (MatchID, error) { // without the code, which is a secret
		named, err := codes.Get(r, code)
		if err == nil && !named.ends.IsZero() && !now.Before(named.ends) {
			err = ErrNotFound
		}
		return named.match, err
	})
}

// A codeOf is the match that a code names.
type codeOf struct {
	match MatchID
	ends  time.Time // of the code; zero while the match goes on
}

// codes are the matches by code.
var codes = Table[string, codeOf]{
	Name: "codes", Traits: Traits{From: []string{"logs", "finished"}, Anew: true, Secret: true},
	Keys: Text(func(code string) bool { return code != "" && !isFingerprint(code) }),
	Values: Codec[string, codeOf]{
		Encode: func(c codeOf) ([]byte, error) {
			value := append([]byte(c.match), 0)
			if !c.ends.IsZero() {
				value = appendMS(value, c.ends.UnixMilli())
			}
			return value, nil
		},
		Decode: func(_ string, value []byte) (c codeOf, err error) {
			before, after, ok := bytes.Cut(value, []byte{0})
			switch {
			case !ok || len(before) == 0 || len(after) != 0 && len(after) != 8:
				return c, damaged("a code names nothing")
			case len(after) == 8:
				c.ends = fromMS(readMS(after))
			}
			c.match = MatchID(before)
			return c, nil
		},
	},
}

// A codeEnd is the end of a code.
type codeEnd struct {
	at   time.Time
	code string
}

// codeEnds are the codes in the order in which they end, of matches that have ended.
var codeEnds = Table[codeEnd, struct{}]{
	Name: "code_ends", Values: None[codeEnd](), Traits: Traits{From: []string{"logs", "finished"}, Anew: true, Secret: true},
	Keys: Join(Time(), Text[string](nil),
		func(e codeEnd) (time.Time, string) { return e.at, e.code },
		func(at time.Time, code string) codeEnd { return codeEnd{at, code} }),
}

// endCode lets a code of a match end at a time.
func endCode(tx kv.Tx, code string, id MatchID, at time.Time) error {
	codeEnds.add(tx, codeEnd{at, code})
	return codes.Put(tx, code, codeOf{id, at})
}

// sweepStep is how many codes, and how many records, one transaction looks at, so that no move waits long.
const sweepStep = 500

// Sweep forgets all codes that have ended by now, and returns how many, and with them the temporary records. ByCode
// does not find such codes anyway; this makes room. It also forgets former names, bans, handled reports, codes for keys, blocks of addresses
// and lines of chat that have had their time. Results, ratings and history stay as they are.
func (s *Store) Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error) {
	for more := true; more; {
		var n int
		err := s.engine.Update(ctx, func(tx kv.Tx) (err error) {
			var old bool
			if n, err = sweepCodes(tx, now); err == nil {
				old, err = sweepOldVoids(tx, now)
			}
			more = n == sweepStep || old
			return err
		})
		if err != nil {
			return codesRemoved, fmt.Errorf("storage: sweep: %w", err)
		}
		codesRemoved += n
	}
	if err := errors.Join(s.sweepFormerNames(ctx, now), s.sweepBans(ctx, now), s.sweepReports(ctx, now), s.sweepKeyCodes(ctx, now), s.sweepGuestCodes(ctx, now),
		s.sweepVisits(ctx, now), s.sweepPlaces(ctx), s.sweepAttempts(ctx, now), s.sweepChat(ctx, now)); err != nil {
		return codesRemoved, fmt.Errorf("storage: sweep: %w", err)
	}
	return codesRemoved, nil
}

// sweepCodes removes up to sweepStep codes, and the records of those of their matches that are temporary.
func sweepCodes(tx kv.Tx, now time.Time) (n int, err error) {
	for p, err := range tx.Scan(codeEnds.Under()) {
		if err != nil {
			return 0, err
		}
		end, ok := codeEnds.parse(p.Key)
		if !ok || end.at.After(now) || n == sweepStep {
			break
		}
		named, there, err := codes.Find(tx, end.code)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return 0, err
		}
		if there {
			if err := forget(tx, named.match, now); err != nil {
				return 0, err
			}
		}
		tx.Delete(p.Key)
		codes.Delete(tx, end.code)
		n++
	}
	return n, nil
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
