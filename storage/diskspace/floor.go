package diskspace

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// A Floor reports whether a disk has room for anything new. It is full once less than the floor is free, until a tenth more than the
// floor is free. So what is in progress can still be written, and the answer doesn't change with every file.
type Floor struct {
	path string
	min  int64
	free func(path string) (int64, error)
	log  *slog.Logger

	left atomic.Int64 // bytes when the disk was last looked at; -1 is unknown
	full atomic.Bool
}

// watchEvery is how often Watch looks at the disk. In that time one machine writes some megabytes of matches.
const watchEvery = 5 * time.Second

// NewFloor returns the floor of the disk of path, and looks at it for the first time. A floor of 0 bytes is never reached. free is Free
// unless a test has another one.
func NewFloor(path string, bytes int64, free func(path string) (int64, error), log *slog.Logger) *Floor {
	f := &Floor{path: path, min: bytes, free: free, log: log}
	f.look()
	return f
}

// Watch looks at the disk until ctx ends.
func (f *Floor) Watch(ctx context.Context) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			f.look()
		case <-ctx.Done():
			return
		}
	}
}

// Full reports whether the disk has no room for anything new.
func (f *Floor) Full() bool { return f.full.Load() }

// Left returns how many bytes were free at the last look, -1 if that is unknown.
func (f *Floor) Left() int64 { return f.left.Load() }

// Bytes returns the floor.
func (f *Floor) Bytes() int64 { return f.min }

// look measures the disk. Where that can't be done, the last answer stays.
func (f *Floor) look() {
	left, err := f.free(f.path)
	if err != nil {
		if f.left.Swap(-1) != -1 {
			f.log.Warn("the room on the disk can't be told", "err", err)
		}
		return
	}
	f.left.Store(left)
	switch was := f.full.Load(); {
	case !was && left < f.min:
		f.full.Store(true)
		f.log.Error("the disk is nearly full: new matches and accounts are refused", "free", left, "floor", f.min)
	case was && left >= f.min+f.min/10:
		f.full.Store(false)
		f.log.Info("the disk has room again", "free", left, "floor", f.min)
	}
}
