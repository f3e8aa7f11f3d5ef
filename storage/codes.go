package storage

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// ByCode returns the match that a code names, from its first event until CodeLife after its end. The caller gives
// the code in upper case. The error is ErrNotFound for a code that names nothing, or nothing any more.
func (s *Store) ByCode(ctx context.Context, code string, now time.Time) (MatchID, error) {
	var id MatchID
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		v := bucket(tx, codes).Get([]byte(code))
		if v == nil {
			return ErrNotFound
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

// endCode lets a code of a match end at a time.
func endCode(tx *bbolt.Tx, code string, id MatchID, at time.Time) error {
	ms := at.UnixMilli()
	if err := bucket(tx, codes).Put([]byte(code), appendMS(joined(string(id), ""), ms)); err != nil {
		return err
	}
	return bucket(tx, codeEnds).Put(append(appendMS(nil, ms), code...), nil)
}

// sweepStep is how many codes one transaction removes, so that no move waits long.
const sweepStep = 500

// Sweep forgets all codes that have ended by now, and returns how many. ByCode does not find them anyway; this
// makes room.
func (s *Store) Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error) {
	for {
		n := 0
		err := s.update(ctx, func(tx *bbolt.Tx) (err error) {
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
func sweep(tx *bbolt.Tx, nowMS int64) (int, error) {
	var doomed [][]byte
	ends := bucket(tx, codeEnds)
	c := ends.Cursor()
	for k, _ := c.First(); len(k) > 8 && readMS(k[:8]) <= nowMS && len(doomed) < sweepStep; k, _ = c.Next() {
		doomed = append(doomed, bytes.Clone(k))
	}
	for _, k := range doomed {
		if err := ends.Delete(k); err != nil {
			return 0, err
		}
		if err := bucket(tx, codes).Delete(k[8:]); err != nil {
			return 0, err
		}
	}
	return len(doomed), nil
}
