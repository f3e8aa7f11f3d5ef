package live

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/refusal"
)

// TestRetries: after a failure the timers rest, longer after each one. A panic is a failure; being overtaken by another node is not.
func TestRetries(t *testing.T) {
	for _, tt := range []struct {
		name     string
		before   int // failures
		do       func() error
		failures int
		rests    time.Duration
	}{
		{"it succeeds", 0, func() error { return nil }, 0, 0},
		{"overtaken", 0, func() error { return fmt.Errorf("move: %w", errOvertaken) }, 0, 0},
		{"refused", 0, func() error { return errors.New("no") }, 1, 50 * time.Millisecond},
		{"refused again", 1, func() error { return errors.New("no") }, 2, 100 * time.Millisecond},
		{"refused for long", 100, func() error { return errors.New("no") }, 101, 5 * time.Second},
		{"busy, which was counted", 3, func() error { return refusal.ErrBusy }, 3, 200 * time.Millisecond},
		{"panic", 0, func() error { panic("rules") }, 1, 50 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &retries{config: config(), failures: tt.before}
			r.timed(tt.do)
			var rests time.Duration
			if !r.until.IsZero() {
				rests = time.Until(r.until)
			}
			if r.failures != tt.failures || rests != tt.rests {
				t.Errorf("%s: %d failures, rests for %v; want %d, %v", tt.name, r.failures, rests, tt.failures, tt.rests)
			}
			if r.succeeded(); r.failures != 0 || !r.until.IsZero() {
				t.Errorf("%s: after a success there are %d failures", tt.name, r.failures)
			}
		})
	}
}
