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

// output is what is on its way to the client: one frame at a time. While one is under way none is drawn: the next one is drawn
// when the client has this one, and is then the newest there is.
type output struct {
	carrier Carrier
	limit   time.Duration
	stats   *Stats

	busy  bool
	until time.Time // when the client has stalled; zero while nothing is under way
	piece int       // bytes under way
	rest  []byte    // of the frame
	ended bool      // nothing can be written any more
	held  bool      // pieces are kept in reply rather than given to the carrier
	reply []byte

	parting bool          // the last frame is known
	last    []byte        // until it is begun
	done    chan struct{} // closed when it has been written, or can't be
}

func newOutput(c Carrier, limit time.Duration, stats *Stats) output {
	if limit <= 0 {
		limit = defaultStall
	}
	return output{carrier: c, limit: limit, stats: stats, done: make(chan struct{})}
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
	if o.held {
		o.reply = piece
		return
	}
	o.carrier.Start(piece)
}

// hold keeps what is begun from now on for release, whose caller has the carrier write it.
func (o *output) hold() { o.held = true }

// release returns the piece begun since hold: at most one, since there is no next one before it has been written.
func (o *output) release() (reply []byte) {
	reply, o.reply, o.held = o.reply, nil, false
	return reply
}

// written goes on after a piece. The error says that the client is gone.
func (o *output) written(err error, now time.Time) error {
	switch {
	case o.ended:
		return nil
	case err != nil:
		o.end()
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	o.until = time.Time{}
	o.stats.Bytes.Add(int64(o.piece))
	if len(o.rest) > 0 {
		o.start(now)
		return nil
	}
	o.busy, o.rest = false, nil
	o.goOn(now)
	return nil
}

// finish lets a frame be the last one; nil is none. It is sent when the one under way has been written.
func (o *output) finish(last []byte, now time.Time) {
	o.parting, o.last = true, last
	switch {
	case o.ended:
		close(o.done)
	case last == nil:
		o.end()
	case !o.busy:
		o.goOn(now)
	}
}

// goOn sends the last frame, or says that it has been written.
func (o *output) goOn(now time.Time) {
	switch last := o.last; {
	case !o.parting:
	case last == nil:
		o.end()
	default:
		o.last = nil
		o.send(last, now)
	}
}

// end lets nothing more be written.
func (o *output) end() {
	o.ended, o.until = true, time.Time{}
	if o.parting {
		close(o.done)
	}
}
