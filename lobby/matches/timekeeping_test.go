package matches

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fixedClocks are clocks that don't change.
type fixedClocks struct{ ticking, interrupted bool }

func (c fixedClocks) now() (ticking, interrupted bool) { return c.ticking, c.interrupted }
func (c fixedClocks) ticks() <-chan struct{}           { return nil }

// keptTimes is a timeNode that has the times that it was to keep.
type keptTimes []time.Time

func (k *keptTimes) KeepTime(context.Context) error {
	*k = append(*k, time.Now())
	return nil
}

// TestTimekeeper: the time is kept every second while clocks tick, every hour else, and at the end; never while clocks wait to be resumed.
func TestTimekeeper(t *testing.T) {
	for _, tt := range []struct {
		name   string
		clocks fixedClocks
		want   int
	}{
		{"ticking", fixedClocks{true, false}, 3600 + 1},
		{"idle", fixedClocks{false, false}, 1 + 1},
		{"interrupted", fixedClocks{true, true}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var kept keptTimes
				k := &Timekeeper{tt.clocks, &kept, slog.New(slog.DiscardHandler)}
				ctx, stop := context.WithCancel(t.Context())
				var all sync.WaitGroup
				all.Go(func() { k.Run(ctx, t.Context()) })
				time.Sleep(time.Hour + time.Millisecond)
				stop()
				all.Wait()
				if len(kept) != tt.want || tt.want > 0 && !kept[tt.want-1].Equal(time.Now()) {
					t.Errorf("the time was kept %d times, want %d", len(kept), tt.want)
				}
			})
		})
	}
}
