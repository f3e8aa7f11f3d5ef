package nodes

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage"
)

// A times is a TimeStore that keeps all times.
type times struct {
	last time.Time
	kept []time.Time
	fail error
}

func (s *times) Beat(_ context.Context, at time.Time) error {
	if s.fail == nil {
		s.kept = append(s.kept, at)
	}
	return s.fail
}

func (s *times) LastBeat(context.Context) (time.Time, error) { return s.last, s.fail }

// TestAlone: the only node of a club owns everything, is never cut off, and says since when the club was closed.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := time.Now().Add(-time.Hour)
		a, last, err := OpenAlone(t.Context(), AloneConfig{Store: &times{last: down}, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		if err != nil || last.Down != down || !last.Up.Equal(time.Now()) {
			t.Fatalf("the club was closed for %v, %v", last, err)
		}
		time.Sleep(24 * time.Hour) // without a heartbeat
		if !a.Owns("m") || a.CutOff() || !a.Ready() || !a.Settled() || !a.Alone() || a.Len() != 1 || a.RemovedElsewhere(storage.ErrNotFound) {
			t.Errorf("it owns %v, is cut off %v, ready %v, settled %v, alone %v of %d nodes; others remove %v",
				a.Owns("m"), a.CutOff(), a.Ready(), a.Settled(), a.Alone(), a.Len(), a.RemovedElsewhere(storage.ErrNotFound))
		}
		a.Follow(t.Context(), func(context.Context) error { t.Error("it follows itself"); return nil })
		a.Await(t.Context(), func(context.Context) bool { t.Error("it waits for itself"); return false }, nil)
		event := time.Now().Add(-time.Minute)
		if at := a.TimeOf(a.Now(), event); !at.Equal(event) {
			t.Errorf("what was at %v was at %v", event, at)
		}
		no := errors.New("no disk")
		if _, _, err := OpenAlone(t.Context(), AloneConfig{Store: &times{fail: no}, Now: time.Now}); !errors.Is(err, no) {
			t.Errorf("without a store: %v", err)
		}
	})
}

// TestKeepTime: the time is kept every second while clocks tick, every hour else, and at the end; never while clocks wait to be resumed.
func TestKeepTime(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		ticking, interrupted bool
		want                 int
	}{
		{"ticking", true, false, 3600 + 1},
		{"idle", false, false, 1 + 1},
		{"interrupted", true, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := new(times)
				a, _, err := OpenAlone(t.Context(), AloneConfig{
					Store: store, Now: time.Now, Log: slog.New(slog.DiscardHandler),
					Clocks: func() (ticking, interrupted bool) { return tt.ticking, tt.interrupted }, Ticks: make(chan struct{}),
				})
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithCancel(t.Context())
				var all sync.WaitGroup
				all.Go(func() { a.KeepTime(ctx, t.Context()) })
				time.Sleep(time.Hour + time.Millisecond)
				stop()
				all.Wait()
				if len(store.kept) != tt.want || tt.want > 0 && !store.kept[tt.want-1].Equal(time.Now()) {
					t.Errorf("the time was kept %d times, want %d", len(store.kept), tt.want)
				}
			})
		})
	}
}
