package live

import (
	"errors"
	"runtime/debug"
	"time"

	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// retries counts the failures of a match in a row, and holds its timers back after each of them.
type retries struct {
	config   *Config
	id       storage.MatchID
	failures int
	until    time.Time
}

// rest stops the timers for a while, longer after each failure.
func (r *retries) rest() { r.until = time.Now().Add(backoff(r.failures)) }

// succeeded resets the count of failures.
func (r *retries) succeeded() { r.failures, r.until = 0, time.Time{} }

// safely runs f and returns refusal.ErrBusy if it panics, as an engine may. The match can go on: its state is a value, which an incomplete change
// doesn't touch.
func (r *retries) safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.config.Log.Error("panic in a match", "match", r.id, "err", p, "stack", string(debug.Stack()))
			r.config.Stats.Panics.Add(1)
			r.failures++
			err = refusal.ErrBusy
		}
	}()
	return f()
}

// timed calls do, which is due. After an error the timers rest, and then do is due again.
func (r *retries) timed(do func() error) {
	err := r.safely(do)
	if err == nil || errors.Is(err, errOvertaken) {
		return
	}
	if !errors.Is(err, refusal.ErrBusy) { // ErrBusy was logged and counted where it happened
		r.config.Log.Error("a timer's event was refused", "match", r.id, "err", err)
		r.failures++
	}
	r.rest()
}

// backoff returns how long to wait after a number of failures in a row: from 50 ms to 5 s.
func backoff(failures int) time.Duration {
	const first, most, doublings = 50 * time.Millisecond, 5 * time.Second, 7
	return min(first<<min(max(failures-1, 0), doublings), most)
}
