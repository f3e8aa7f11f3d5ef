package terminal

import (
	"fmt"
	"io"
	"time"
)

const (
	defaultStall = 20 * time.Second

	// A frame goes out in one write unless it is larger than this: then every piece gets the whole stall limit, and a slow
	// client that does read isn't taken for one that doesn't.
	maxWriteBytes = 8 << 10
)

// output is what is on its way to the client: one frame at a time, written by a goroutine of its own, one piece after the
// other. While a frame is under way none is drawn: the next one is drawn when the client has this one, and is then the newest
// there is.
type output struct {
	pieces  chan []byte // to the goroutine that writes; has room for the only piece under way
	written chan error  // answers each piece; has room for the only answer
	limit   time.Duration
	stats   *Stats

	busy  bool
	until time.Time // when the client has stalled; zero while nothing is under way
	piece int       // bytes under way
	rest  []byte    // of the frame
	gone  bool      // nothing can be written any more
}

func newOutput(limit time.Duration, stats *Stats) output {
	if limit <= 0 {
		limit = defaultStall
	}
	return output{pieces: make(chan []byte, 1), written: make(chan error, 1), limit: limit, stats: stats}
}

// write writes pieces until there are no more.
func (o *output) write(to io.Writer) {
	for piece := range o.pieces {
		_, err := to.Write(piece)
		o.written <- err
	}
}

// send begins to write a frame, whose bytes must stay as they are until busy is false again. It is only for an output that isn't
// busy.
func (o *output) send(frame []byte, now time.Time) {
	o.stats.Frames.Add(1)
	o.busy, o.rest = true, frame
	o.sendPiece(now)
}

func (o *output) sendPiece(now time.Time) {
	piece := o.rest[:min(len(o.rest), maxWriteBytes)]
	o.rest = o.rest[len(piece):]
	o.piece, o.until = len(piece), now.Add(o.limit)
	o.pieces <- piece
}

// sent goes on after a piece, given its answer. The error says that the client is gone.
func (o *output) sent(err error, now time.Time) error {
	o.until = time.Time{}
	if err != nil {
		o.gone = true
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	o.stats.Bytes.Add(int64(o.piece))
	if len(o.rest) > 0 {
		o.sendPiece(now)
		return nil
	}
	o.busy, o.rest = false, nil
	return nil
}
