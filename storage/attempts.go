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
// Rate limits that nodes share, on wrong codes and new accounts, count here. Each bucket is a single time, as in the generic cell rate
// algorithm (ITU-T I.371): when the bucket will be full again. It is stored until then, under a hash of its owner with the store's salt.

// An Attempt is one attempt by a person or from a block of addresses.
type Attempt struct {
	Who   string        // the owner of the bucket
	Every time.Duration // in which the bucket gains one attempt
	Burst int           // attempts in a full bucket
}

const attemptBytes = 16 // of the hash

// TakeAttempts takes one attempt at what from each bucket. If one of them is empty it takes none, ok is false, and wait is the time until
// all have an attempt.
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

// ReturnAttempts returns what TakeAttempts took.
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

// readAttempts returns when each bucket will be full again, or now if it is full.
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
