package diskspace

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestFloor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		left, broken := int64(1000), error(nil)
		free := func(path string) (int64, error) {
			if path != "data" {
				t.Errorf("it looks at %q", path)
			}
			mu.Lock()
			defer mu.Unlock()
			return left, broken
		}
		f := NewFloor("data", 1000, free, slog.New(slog.DiscardHandler))
		if f.Full() || f.Left() != 1000 || f.Bytes() != 1000 {
			t.Errorf("at first: full %t, %d left", f.Full(), f.Left())
		}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); f.Watch(ctx) }()
		for _, step := range []struct {
			left, shows int64
			err         error
			full        bool
		}{
			{1001, 1001, nil, false}, {999, 999, nil, true}, {1000, 1000, nil, true}, {1099, 1099, nil, true},
			{0, -1, errors.New("gone"), true}, // the last answer stays
			{1100, 1100, nil, false}, {1000, 1000, nil, false}, {0, 0, nil, true},
			{5000, 5000, nil, false}, {0, -1, errors.New("gone"), false},
		} {
			mu.Lock()
			left, broken = step.left, step.err
			mu.Unlock()
			<-time.After(watchEvery)
			synctest.Wait()
			if f.Full() != step.full || f.Left() != step.shows {
				t.Errorf("with %d bytes and %v: full %t, %d left, want %t, %d", step.left, step.err, f.Full(), f.Left(), step.full, step.shows)
			}
		}
		end()
		<-ended
	})
}

func TestNoFloor(t *testing.T) {
	f := NewFloor(t.TempDir(), 0, func(string) (int64, error) { return 0, nil }, slog.New(slog.DiscardHandler))
	if f.Full() {
		t.Error("a disk without a floor is full")
	}
}
