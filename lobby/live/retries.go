package live

import (
	"errors"
	"runtime/debug"
	"time"

	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// A retries counts failures in a row, and says until when the timers of a match rest after them.
type retries struct {
	config   *Config
	id       storage.MatchID
	failures int
	until    time.Time
}

// rest has the timers rest, longer after each failure.
func (r *retries) rest() { r.until = time.Now().Add(backoff(r.failures)) }

// succeeded ends the row of failures.
func (r *retries) succeeded() { r.failures, r.until = 0, time.Time{} }

// safely runs f. A panic of an engine ends what the engine was asked and nothing else: the state is a value, and a change
// that was not completed is not there.
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

// timed does something that is due. After an error it is tried again later.
func (r *retries) timed(do func() error) {
	err := r.safely(do)
	if err == nil || errors.Is(err, errOvertaken) {
		return
	}
	if !errors.Is(err, refusal.ErrBusy) { // which was logged and counted where it happened
		r.config.Log.Error("a timer's event was refused", "match", r.id, "err", err)
		r.failures++
	}
	r.rest()
}

// backoff is how long to wait after a number of failures in a row.
func backoff(failures int) time.Duration {
	const first, most, doublings = 50 * time.Millisecond, 5 * time.Second, 7
	return min(first<<min(max(failures-1, 0), doublings), most)
}
