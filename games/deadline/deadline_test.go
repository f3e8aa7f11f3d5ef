package deadline

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// late is a context whose runtime is too busy to close Done.
type late struct{ context.Context }

func (late) Done() <-chan struct{} { return nil }

func TestDeadline(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		limit  time.Duration // 0: none
		from   context.Context
		passed [3]bool          // at once, a moment before a second has passed, and then
		left   [3]time.Duration // at these moments
	}{
		{"no limit", 0, t.Context(), [3]bool{}, [3]time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64}},
		{"a second", time.Second, t.Context(), [3]bool{false, false, true}, [3]time.Duration{time.Second, 1, 0}},
		{"a second, cancelled", time.Second, gone, [3]bool{true, true, true}, [3]time.Duration{time.Second, 1, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := tt.from
				if tt.limit > 0 {
					limited, stop := context.WithTimeout(ctx, tt.limit)
					defer stop()
					ctx = limited
				}
				if ctx.Err() == nil {
					ctx = late{ctx}
				}
				d := Of(ctx)
				for i, pause := range []time.Duration{0, time.Second - 1, 1} {
					time.Sleep(pause)
					if passed, left := d.Passed(), d.Left(); passed != tt.passed[i] || left != tt.left[i] {
						t.Errorf("look %d: passed %v, %v left, want %v, %v", i+1, passed, left, tt.passed[i], tt.left[i])
					}
				}
			})
		})
	}
	if (Deadline{}).Passed() {
		t.Error("the zero value has passed")
	}
}
