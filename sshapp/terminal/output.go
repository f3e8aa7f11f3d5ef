package terminal

import (
	"fmt"
	"time"
)

const (
	defaultStall = 20 * time.Second

	// A frame goes out in one write unless it is larger than this: then every piece gets the whole stall limit, and a slow
	// client that does read isn't taken for one that doesn't.
	maxWriteBytes = 8 << 10
)

// output is what is on its way to the client: one frame at a time. While one is under way the loop draws none: the next one is
// drawn when the client has this one, and is then the newest there is.
type output struct {
	carrier Carrier
	limit   time.Duration
	stats   *Stats

	busy  bool
	until time.Time // when the client has stalled; zero while nothing is under way
	piece int       // bytes under way
	rest  []byte    // of the frame
	ended bool      // nothing can be written any more
}

func newOutput(c Carrier, limit time.Duration, stats *Stats) output {
	if limit <= 0 {
		limit = defaultStall
	}
	return output{carrier: c, limit: limit, stats: stats}
}

// send begins to write a frame, whose bytes must stay as they are until busy is false again. Only for an output that isn't busy.
func (o *output) send(frame []byte, now time.Time) {
	o.stats.Frames.Add(1)
	o.busy, o.rest = true, frame
	o.start(now)
}

// start hands the next piece over.
func (o *output) start(now time.Time) {
	piece := o.rest[:min(len(o.rest), maxWriteBytes)]
	o.rest = o.rest[len(piece):]
	o.piece, o.until = len(piece), now.Add(o.limit)
	o.carrier.Start(piece)
}

// written goes on after a piece. The error says that the client is gone.
func (o *output) written(err error) error {
	o.until = time.Time{}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	o.stats.Bytes.Add(int64(o.piece))
	if len(o.rest) > 0 {
		o.start(time.Now())
		return nil
	}
	o.busy, o.rest = false, nil
	return nil
}
