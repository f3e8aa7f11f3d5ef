package remote

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	maxBackoff   = 200 * time.Millisecond
	leastWaited  = 2 * time.Millisecond
	maxDoublings = 2 // of the time for an answer, when a request that got none is sent again
)

// Longer returns the time that a request has for its answer if n tries before got none: at most four times as long, because the server may be
// slow rather than down.
func Longer(limit time.Duration, n int) time.Duration { return limit << min(n, maxDoublings) }

// Backoff returns how long to wait before try n+2: a random time, twice as long each time.
func Backoff(n int) time.Duration {
	return leastWaited/2 + rand.N(min(leastWaited<<min(n, 16), maxBackoff))
}

// Pause waits, unless ctx ends before.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Repeat calls try until it returns nil, its error is final, or ctx ends. The first try has limit for its answer, later ones up to four times as
// long. The error is that of the last try which was not cut off by the end of ctx, if there is one, because that says more. final may be nil.
func Repeat(ctx context.Context, limit time.Duration, try func(limit time.Duration) error, final func(error) bool) error {
	var last error
	for n := 0; ; n++ {
		err := try(Longer(limit, n))
		switch {
		case err == nil:
			return nil
		case final != nil && final(err):
			return err
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		if ctx.Err() != nil || Pause(ctx, Backoff(n)) != nil {
			return last
		}
	}
}
