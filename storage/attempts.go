package storage

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"ludoteca/storage/kv"
)

// # Attempts
//
// What people may try only so often, at whatever node, counts here: wrong codes and new accounts. Each bucket of attempts is one number, as
// in the generic cell rate algorithm: the moment at which all attempts have come back (ITU-T I.371). Who tried is kept as a hash with the
// store's salt, until then.

// An Attempt is one try of somebody, or of a block of addresses.
type Attempt struct {
	Who   string        // whose bucket it is taken from
	Every time.Duration // earns one more
	Burst int           // in a row
}

const attemptBytes = 16 // of the hash

// TakeAttempts takes an attempt at what from the bucket of each, or from none: then ok is false, and wait is the time until all have one.
func (s *Store) TakeAttempts(ctx context.Context, what string, of []Attempt, now time.Time) (wait time.Duration, ok bool, err error) {
	err = s.engine.Update(ctx, func(tx kv.Tx) error {
		wait = 0
		fulls, err := readAttempts(tx, what, of, now)
		if err != nil {
			return err
		}
		for i, a := range of {
			if more := fulls[i].Add(a.Every).Sub(now) - a.Every*time.Duration(a.Burst); more > 0 {
				wait = max(wait, more, time.Millisecond)
			}
		}
		if wait > 0 {
			return nil
		}
		for i, a := range of {
			if err := writeAttempts(tx, what, a, fulls[i].Add(a.Every), now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, false, fmt.Errorf("storage: attempts: %w", err)
	}
	return wait, wait == 0, nil
}

// ReturnAttempts gives back what TakeAttempts took.
func (s *Store) ReturnAttempts(ctx context.Context, what string, of []Attempt, now time.Time) error {
	err := s.engine.Update(ctx, func(tx kv.Tx) error {
		fulls, err := readAttempts(tx, what, of, now)
		if err != nil {
			return err
		}
		for i, a := range of {
			if err := writeAttempts(tx, what, a, fulls[i].Add(-a.Every), now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storage: attempts: %w", err)
	}
	return nil
}

// readAttempts returns when each bucket is full again, now at the earliest.
func readAttempts(tx kv.Tx, what string, of []Attempt, now time.Time) ([]time.Time, error) {
	fulls := make([]time.Time, len(of))
	for i, a := range of {
		key, err := attemptKey(tx, what, a.Who)
		if err != nil {
			return nil, err
		}
		value, err := tx.Get(key)
		if err != nil {
			return nil, err
		}
		fulls[i] = now
		if len(value) == 8 && readMS(value) > now.UnixMilli() {
			fulls[i] = fromMS(readMS(value))
		}
	}
	return fulls, nil
}

func writeAttempts(tx kv.Tx, what string, a Attempt, full, now time.Time) error {
	key, err := attemptKey(tx, what, a.Who)
	switch {
	case err != nil:
		return err
	case full.After(now):
		tx.Put(key, appendMS(nil, full.UnixMilli()))
	default:
		tx.Delete(key)
	}
	return nil
}

func attemptKey(tx kv.Tx, what, who string) ([]byte, error) {
	if err := checkKeys(what, who); err != nil {
		return nil, err
	}
	salt, err := saltOf(tx)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(what + "\x00" + who))
	return attempts.key(what, hex.EncodeToString(mac.Sum(nil)[:attemptBytes])), nil
}

// sweepAttempts removes buckets that are full again.
func (s *Store) sweepAttempts(ctx context.Context, now time.Time) error {
	return s.sweepOver(ctx, attempts.all(), func(_ kv.Reader, _, value []byte) (bool, error) {
		return len(value) != 8 || readMS(value) <= now.UnixMilli(), nil
	})
}
