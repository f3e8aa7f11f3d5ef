package storage

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"ludoteca/storage/kv"
)

// ByCode returns the match that a code names, from its first event until CodeLife after its end. The caller gives
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

// sweepStep is how many codes one transaction removes, so that no move waits long.
const sweepStep = 500

// Sweep forgets all codes that have ended by now, and returns how many. ByCode does not find them anyway; this
// makes room.
func (s *Store) Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error) {
	for {
		n := 0
		err := s.engine.Update(ctx, func(tx kv.Tx) (err error) {
			n, err = sweep(tx, now.UnixMilli())
			return err
		})
		if err != nil {
			return codesRemoved, fmt.Errorf("storage: sweep: %w", err)
		}
		codesRemoved += n
		if n < sweepStep {
			return codesRemoved, nil
		}
	}
}

// sweep removes up to sweepStep codes.
func sweep(tx kv.Tx, nowMS int64) (n int, err error) {
	for p, err := range tx.Scan(codeEnds.all()) {
		if err != nil {
			return 0, err
		}
		end := codeEnds.rest(p.Key)
		if len(end) <= 8 || readMS(end[:8]) > nowMS || n == sweepStep {
			break
		}
		tx.Delete(p.Key)
		tx.Delete(codes.key(string(end[8:])))
		n++
	}
	return n, nil
}
