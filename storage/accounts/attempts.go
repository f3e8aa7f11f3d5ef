package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// # Attempts
//
// Rate limits that nodes share, on wrong codes and new accounts, count here. Each bucket is a single time, as in the generic cell rate
// algorithm (ITU-T I.371): when the bucket will be full again. It is stored until then, under a hash of its owner with the store's salt.

// An AttemptStore keeps the buckets of attempts.
type AttemptStore struct{ engine kv.Store }

// NewAttemptStore returns the attempts that an engine keeps.
func NewAttemptStore(engine kv.Store) *AttemptStore { return &AttemptStore{engine} }

// An Attempt is one attempt by a person or from a block of addresses.
type Attempt struct {
	Who   string        // the owner of the bucket
	Every time.Duration // in which the bucket gains one attempt
	Burst int           // attempts in a full bucket
}

const attemptBytes = 16 // of the hash

// A Bucket names the bucket of one owner, by a hash, for one kind of attempt.
type Bucket struct {
	Kind string
	Hash string
}

// Attempts hold for each bucket that isn't full the time when it will be.
var Attempts = storage.Table[Bucket, time.Time]{
	Name: "attempts", Values: storage.TimeOrNone[Bucket](), Traits: storage.Traits{Brief: true},
	Keys: storage.Join(storage.Text[string](nil), storage.Text[string](nil),
		func(b Bucket) (string, string) { return b.Kind, b.Hash },
		func(kind, hash string) Bucket { return Bucket{kind, hash} }),
}

// TakeAttempts takes one attempt at what from each bucket. If a bucket is empty, TakeAttempts takes none, ok is false, and wait is the
// time until all buckets have an attempt.
func (s *AttemptStore) TakeAttempts(ctx context.Context, what string, of []Attempt, now time.Time) (wait time.Duration, ok bool, err error) {
	wait, err = storage.Updated(ctx, s.engine, "attempts", func(tx kv.Tx) (wait time.Duration, err error) {
		fulls, err := readAttempts(tx, what, of, now)
		if err != nil {
			return 0, err
		}
		for i, a := range of {
			if more := fulls[i].Add(a.Every).Sub(now) - a.Every*time.Duration(a.Burst); more > 0 {
				wait = max(wait, more, time.Millisecond)
			}
		}
		if wait > 0 {
			return wait, nil
		}
		for i, a := range of {
			if err := writeAttempts(tx, what, a, fulls[i].Add(a.Every), now); err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	return wait, err == nil && wait == 0, err
}

// ReturnAttempts refunds the attempts that TakeAttempts took.
func (s *AttemptStore) ReturnAttempts(ctx context.Context, what string, of []Attempt, now time.Time) error {
	return storage.Update(ctx, s.engine, "attempts", func(tx kv.Tx) error {
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
}

// readAttempts returns when each bucket will be full again, or now if it is full.
func readAttempts(tx kv.Tx, what string, of []Attempt, now time.Time) ([]time.Time, error) {
	fulls := make([]time.Time, len(of))
	for i, a := range of {
		b, err := bucketOf(tx, what, a.Who)
		if err != nil {
			return nil, err
		}
		full, _, err := Attempts.Find(tx, b)
		if err != nil && !errors.Is(err, storage.ErrDamaged) {
			return nil, err
		}
		if fulls[i] = now; full.After(now) {
			fulls[i] = full
		}
	}
	return fulls, nil
}

func writeAttempts(tx kv.Tx, what string, a Attempt, full, now time.Time) error {
	b, err := bucketOf(tx, what, a.Who)
	switch {
	case err != nil:
		return err
	case full.After(now):
		return Attempts.Put(tx, b, full)
	}
	Attempts.Delete(tx, b)
	return nil
}

func bucketOf(tx kv.Tx, what, who string) (Bucket, error) {
	if err := storage.CheckKeys(what, who); err != nil {
		return Bucket{}, err
	}
	salt, err := SaltOf(tx)
	if err != nil {
		return Bucket{}, err
	}
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(what + "\x00" + who))
	return Bucket{what, hex.EncodeToString(mac.Sum(nil)[:attemptBytes])}, nil
}

// Sweep removes buckets that are full again.
func (s *AttemptStore) Sweep(ctx context.Context, now time.Time) error {
	return Attempts.All().Sweep(ctx, s.engine, func(_ kv.Reader, e storage.Entry[Bucket, time.Time]) (bool, error) { return !e.Value.After(now), nil })
}
