package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	defaultStall = 20 * time.Second

	// A frame goes out in one write unless it is larger than this: then every piece gets the whole stall limit, and a slow
	// client that does read isn't taken for one that doesn't.
	maxWriteBytes = 8 << 10
)

// A writer is the goroutine that writes to the client, one frame at a time. While a frame is under way none is drawn: the next one
// is drawn when the client has this one, and is then the newest there is.
//
// The loop is only told of the end of a frame if it asked for that: to be told of each costs a tenth of what a key does.
type writer struct {
	frames chan []byte   // has room for the only frame under way
	done   chan struct{} // something that the loop waits for has happened; has room
	limit  time.Duration
	stats  *Stats

	mu     sync.Mutex // guards what follows
	busy   bool
	until  time.Time // when the client has stalled, while busy
	failed error     // nothing can be written any more
	asked  bool      // the loop waits for the end of the frame
}

func newWriter(limit time.Duration, stats *Stats) *writer {
	if limit <= 0 {
		limit = defaultStall
	}
	return &writer{frames: make(chan []byte, 1), done: make(chan struct{}, 1), limit: limit, stats: stats}
}

// run writes frames until there are no more.
func (w *writer) run(to io.Writer) {
	for frame := range w.frames {
		for len(frame) > 0 {
			piece := frame[:min(len(frame), maxWriteBytes)]
			w.begin()
			if _, err := to.Write(piece); err != nil {
				w.fail(err)
				return
			}
			w.stats.Bytes.Add(int64(len(piece)))
			frame = frame[len(piece):]
		}
		w.finish()
	}
}

// begin gives the client the whole limit for a piece.
func (w *writer) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = time.Now().Add(w.limit)
}

func (w *writer) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.until = false, time.Time{}
	if w.asked {
		w.asked = false
		w.wake()
	}
}

func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.until = false, time.Time{}
	w.failed = fmt.Errorf("%w: %w", ErrGone, err)
	w.wake()
}

func (w *writer) wake() {
	select {
	case w.done <- struct{}{}:
	default: // the loop will look anyway
	}
}

// send begins to write a frame. Its bytes must not change while it is under way. send does nothing after a failure, and must not be called
// while the writer is busy.
func (w *writer) send(frame []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return
	}
	w.stats.Frames.Add(1)
	w.busy, w.until = true, time.Now().Add(w.limit)
	w.frames <- frame
}

// underWay reports whether a frame is being written. If one is, done is notified at its end.
func (w *writer) underWay() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = w.busy
	return w.busy
}

// state returns whether a frame is being written, when the client has stalled if that goes on (zero is never), and why nothing can
// be written any more.
func (w *writer) state() (busy bool, until time.Time, failed error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.busy, w.until, w.failed
}
