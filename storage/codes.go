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
	var id MatchID
	err := s.engine.View(ctx, func(r kv.Reader) error {
		v, err := lookUp(r, codes.key(code))
		if err != nil {
			return err
		}
		found, ends, err := readCode(v)
		if err != nil {
			return err
		}
		if !ends.IsZero() && !now.Before(ends) {
			return ErrNotFound
		}
		id = found
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("storage: match by code: %w", err) // without the code, which is a secret
	}
	return id, nil
}

// readCode reads the value of a code; ends is zero while the match goes on.
func readCode(value []byte) (id MatchID, ends time.Time, err error) {
	before, after, ok := bytes.Cut(value, []byte{0})
	switch {
	case !ok || len(before) == 0 || len(after) != 0 && len(after) != 8:
		return "", time.Time{}, fmt.Errorf("%w: a code names nothing", ErrDamaged)
	case len(after) == 8:
		ends = fromMS(readMS(after))
	}
	return MatchID(before), ends, nil
}

// codeValue is the value of a code while its match goes on.
func codeValue(id MatchID) []byte { return append([]byte(id), 0) }

// endCode lets a code of a match end at a time.
func endCode(tx kv.Tx, code string, id MatchID, at time.Time) {
	ms := at.UnixMilli()
	tx.Put(codes.key(code), appendMS(codeValue(id), ms))
	tx.Put(append(appendMS(codeEnds.key(""), ms), code...), nil)
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
			if n, err = sweepCodes(tx, now.UnixMilli()); err == nil {
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
func sweepCodes(tx kv.Tx, nowMS int64) (n int, err error) {
	for p, err := range tx.Scan(codeEnds.all()) {
		if err != nil {
			return 0, err
		}
		end := codeEnds.rest(p.Key)
		if len(end) <= 8 || readMS(end[:8]) > nowMS || n == sweepStep {
			break
		}
		code := codes.key(string(end[8:]))
		value, err := tx.Get(code)
		if err != nil {
			return 0, err
		}
		if id, _, err := readCode(value); err == nil {
			record, err := tx.Get(finished.key(string(id)))
			if err != nil {
				return 0, err
			}
			forget(tx, id, record, fromMS(nowMS))
		}
		tx.Delete(p.Key)
		tx.Delete(code)
		n++
	}
	return n, nil
}

// forget deletes the record of a match, and its analysis, if it has had its time. One that can't be read stays.
func forget(tx kv.Tx, id MatchID, record []byte, now time.Time) {
	f, _, err := decodeRecord(id, record, false)
	if err == nil && f.forgotten(now) {
		tx.Delete(finished.key(string(id)))
		tx.Delete(analyses.key(string(id)))
	}
}

// Versions before that kept the records of void matches when their codes ended. sweepOldVoids goes through all records once,
// and notes in the meta section, under voidsKey, how far it has come: up to a match, or afterLast.
const (
	voidsKey  = "voids"
	afterLast = "\xff" // sorts after every id
)

// sweepOldVoids looks at the next sweepStep records, and says whether there are more.
func sweepOldVoids(tx kv.Tx, now time.Time) (more bool, err error) {
	last, err := tx.Get(meta.key(voidsKey))
	if err != nil || string(last) == afterLast {
		return false, err
	}
	g := finished.all()
	if last != nil {
		g.From = append(finished.key(string(last)), 0)
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
		id := MatchID(finished.rest(p.Key))
		forget(tx, id, p.Value, now)
		n, next = n+1, string(id)
	}
	if !more {
		next = afterLast
	}
	tx.Put(meta.key(voidsKey), []byte(next))
	return more, nil
}
