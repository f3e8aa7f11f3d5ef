// Package throttle limits how often each of many people, addresses or networks may do something: a token bucket
// (golang.org/x/time/rate) for each key, in a map of bounded size.
package throttle

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Throttle lets each key do something burst times at once and then once per interval. Any goroutine may use it.
//
// Callers pass the time. A time earlier than the latest one that the Throttle has seen counts as the latest, so a clock that
// steps back yields no token twice.
type Throttle[K comparable] struct {
	interval time.Duration
	burst    int
	max      int

	mu       sync.Mutex // guards what follows
	limiters map[K]*rate.Limiter
	latest   time.Time // the latest time passed in
	evicted  time.Time // when the whole map was last searched for full buckets
}

// New returns a Throttle that lets each key act burst times at once and then once per interval. It remembers at most
// maxKeys keys. Beyond that it forgets keys with a full bucket, or arbitrary ones if there are none. All arguments must be
// positive.
func New[K comparable](interval time.Duration, burst, maxKeys int) *Throttle[K] {
	return &Throttle[K]{interval: interval, burst: burst, max: maxKeys, limiters: make(map[K]*rate.Limiter)}
}

// Take takes a token from the bucket of every key, or from none of them. If a bucket is empty, ok is false and wait is
// the time until all have a token, at least a millisecond.
func (t *Throttle[K]) Take(now time.Time, keys ...K) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now = t.advance(now)
	if wait := t.wait(now, keys); wait > 0 {
		return wait, false
	}
	for _, key := range keys {
		t.limiter(now, key).AllowN(now, 1)
	}
	return 0, true
}

// Look returns what Take would, and takes nothing.
func (t *Throttle[K]) Look(now time.Time, keys ...K) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	wait = t.wait(t.advance(now), keys)
	return wait, wait == 0
}

// wait returns the time until all keys have a token; 0 if they have one. The caller holds mu.
func (t *Throttle[K]) wait(now time.Time, keys []K) (wait time.Duration) {
	for _, key := range keys {
		if tokens := t.tokens(now, key); tokens < 1 {
			missing := time.Duration(math.Ceil((1 - tokens) * float64(t.interval)))
			wait = max(wait, missing, time.Millisecond)
		}
	}
	return wait
}

// Return puts back the tokens that a Take took, each bucket holding at most burst.
func (t *Throttle[K]) Return(now time.Time, keys ...K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now = t.advance(now)
	for _, key := range keys {
		limiter, known := t.limiters[key]
		if !known {
			continue // forgotten, so its bucket counts as full
		}
		// Reservation.CancelAt ignores reservations that have been acted on. Taking -1 token adds one; the limiter caps
		// the sum at its burst when it is next asked.
		limiter.AllowN(now, -1)
		if limiter.TokensAt(now) >= float64(t.burst) {
			delete(t.limiters, key)
		}
	}
}

// advance returns the latest time that the Throttle has seen, now included. The caller holds mu.
func (t *Throttle[K]) advance(now time.Time) time.Time {
	if now.After(t.latest) {
		t.latest = now
	}
	return t.latest
}

// tokens returns how many tokens a key has. The caller holds mu.
func (t *Throttle[K]) tokens(now time.Time, key K) float64 {
	if limiter, known := t.limiters[key]; known {
		return limiter.TokensAt(now)
	}
	return float64(t.burst)
}

// limiter returns the limiter of a key, and makes it if there is none. The caller holds mu.
func (t *Throttle[K]) limiter(now time.Time, key K) *rate.Limiter {
	limiter, known := t.limiters[key]
	if !known {
		if len(t.limiters) >= t.max {
			t.evict(now)
		}
		limiter = rate.NewLimiter(rate.Every(t.interval), t.burst)
		t.limiters[key] = limiter
	}
	return limiter
}

// evict makes room for a key: it forgets all keys with a full bucket, at most once per interval since that reads the
// whole map, or else an arbitrary key. The caller holds mu.
func (t *Throttle[K]) evict(now time.Time) {
	if now.Sub(t.evicted) >= t.interval {
		t.evicted = now
		for key, limiter := range t.limiters {
			if limiter.TokensAt(now) >= float64(t.burst) {
				delete(t.limiters, key)
			}
		}
	}
	for key := range t.limiters {
		if len(t.limiters) < t.max {
			return
		}
		delete(t.limiters, key)
	}
}
