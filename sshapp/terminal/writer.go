package terminal

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	defaultStall = 20 * time.Second

	// A frame goes out in one write unless it is larger than this: then every piece gets the whole stall limit, and a slow
	// client that does read isn't taken for one that doesn't.
	maxWriteBytes = 16 << 10
)

// A writer sends frames from a goroutine of its own, one at a time. While one is under way the loop draws none: the next
// one is drawn when the client has this one, and is then the newest there is.
type writer struct {
	frames chan []byte // room for the one under way and the last one
	limit  time.Duration
	stats  *Stats

	mu      sync.Mutex
	busy    bool
	awaited bool // the loop wants to hear when the writer is free
}

func newWriter(limit time.Duration, stats *Stats) *writer {
	if limit <= 0 {
		limit = defaultStall
	}
	return &writer{frames: make(chan []byte, 2), limit: limit, stats: stats}
}

// free reports whether a frame may be drawn. If not, the writer calls back once it is.
func (w *writer) free() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.awaited = w.busy
	return !w.busy
}

// send hands a frame over; its bytes are the writer's until free says yes again. Only for a writer that is free.
func (w *writer) send(frame []byte) {
	w.mu.Lock()
	w.busy = true
	w.mu.Unlock()
	w.frames <- frame
}

// finish hands the last frame over, whether or not the writer is free, and lets the writer end after it.
func (w *writer) finish(frame []byte) {
	w.frames <- frame
	close(w.frames)
}

// run writes until finish was called. freed is called after a frame the loop waits for. A write that fails or stalls is reported
// once to fail, and nothing is written after it.
func (w *writer) run(out io.Writer, freed func(), fail context.CancelCauseFunc) {
	stall := time.AfterFunc(w.limit, func() {
		w.stats.Stalls.Add(1)
		fail(ErrStalled)
	})
	stall.Stop()
	defer stall.Stop()
	broken := false
	for frame := range w.frames {
		if !broken {
			if err := w.write(out, frame, stall); err != nil {
				broken = true
				fail(fmt.Errorf("%w: %w", ErrGone, err))
			}
		}
		w.mu.Lock()
		awaited := w.awaited
		w.busy, w.awaited = false, false
		w.mu.Unlock()
		if awaited {
			freed()
		}
	}
}

func (w *writer) write(out io.Writer, frame []byte, stall *time.Timer) error {
	w.stats.Frames.Add(1)
	for len(frame) > 0 {
		piece := frame[:min(len(frame), maxWriteBytes)]
		stall.Reset(w.limit)
		n, err := out.Write(piece)
		stall.Stop()
		w.stats.Bytes.Add(int64(n))
		if err != nil {
			return err
		}
		frame = frame[len(piece):]
	}
	return nil
}
