package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"
)

// How much a client may send unless Options say something else: a human with a mouse stays far below, a stuck key too.
const (
	inputRate     = 4 << 10  // bytes a second
	inputBurst    = 16 << 10 // bytes at once
	maxPasteBytes = 512      // bytes of one paste
)

const (
	chunkBytes = 512

	// A cut sequence is held that long. Longer, and the escape key would feel slow.
	cutSequenceWait = 50 * time.Millisecond
	// The end of a paste or of a string sequence is awaited that long after the last byte of it.
	lostEndWait = time.Second

	maxEmptyReads = 100 // in a row, from a session that breaks the rules of io.Reader

	// What comes too fast is thrown away at dropPiece bytes a dropPause, 2 MB a second: a client that never stops must be held
	// back, since to decrypt all that a network carries takes a processor.
	dropPiece = 2 << 10
	dropPause = time.Millisecond
)

// input carries bytes from the session to the loop, one chunk at a time: the reader waits until the loop has decoded a chunk
// before it reads the next one, so nothing ever queues. What comes faster than allowed is read, slowly, and thrown away.
//
// The reader alone writes to chunk, and only while it holds no unanswered chunk; everything else belongs to the loop.
type input struct {
	buffer  [maxSequenceBytes + chunkBytes]byte // the end of the first part holds a cut sequence
	size    int                                 // of the chunk
	taken   chan struct{}                       // the loop is done with the chunk
	kept    int                                 // bytes of the cut sequence
	until   time.Time                           // when what is kept or awaited is given up; zero is never
	timer   *time.Timer
	rate    bucket // of the reader alone
	decoder decoder
}

// limit takes over what the options allow a client.
func (in *input) limit(o Options) {
	in.rate = bucket{rate: float64(cmp.Or(o.InputRate, inputRate)), burst: float64(cmp.Or(o.InputBurst, inputBurst))}
	in.decoder.pasteBytes = cmp.Or(o.PasteBytes, maxPasteBytes)
}

// inputMsg tells the loop that a chunk is there.
type inputMsg struct{}

// read carries chunks until the session or ctx ends. Only a session's end is an error.
func (in *input) read(ctx context.Context, s io.Reader, send func(any), dropped func(int)) error {
	chunk := in.buffer[maxSequenceBytes:]
	in.rate.fill(time.Now())
	pause := time.NewTimer(0)
	defer pause.Stop()
	over := 0 // thrown away since the last pause
	for empty := 0; empty < maxEmptyReads; empty++ {
		n, err := s.Read(chunk)
		if ctx.Err() != nil {
			return nil
		}
		if n > 0 {
			empty = 0
			in.size = in.rate.take(n, time.Now())
			dropped(n - in.size)
			over += n - in.size
		}
		if n > 0 && in.size > 0 {
			send(inputMsg{})
			select {
			case <-in.taken:
			case <-ctx.Done():
				return nil
			}
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrGone, err)
		}
		if over >= dropPiece {
			over = 0
			pause.Reset(dropPause)
			select {
			case <-pause.C:
			case <-ctx.Done():
				return nil
			}
		}
	}
	return fmt.Errorf("%w: %w", ErrGone, io.ErrNoProgress)
}

// take decodes the chunk and lets the reader go on.
func (in *input) take(now time.Time) {
	in.decode(in.buffer[maxSequenceBytes-in.kept:maxSequenceBytes+in.size], false, now)
	in.taken <- struct{}{}
}

// expire gives up what has been waited for long enough.
func (in *input) expire(now time.Time) {
	if in.until.IsZero() || now.Before(in.until) {
		return
	}
	if in.kept == 0 {
		in.until = time.Time{}
		in.decoder.giveUp()
		return
	}
	in.decode(in.buffer[maxSequenceBytes-in.kept:maxSequenceBytes], true, now)
}

func (in *input) decode(b []byte, late bool, now time.Time) {
	in.kept = in.decoder.feed(b, late)
	copy(in.buffer[maxSequenceBytes-in.kept:], b[len(b)-in.kept:])
	wait := lostEndWait
	switch {
	case in.kept > 0:
		wait = cutSequenceWait
	case !in.decoder.waiting():
		in.until = time.Time{}
		return
	}
	in.until = now.Add(wait)
	in.timer.Reset(wait)
}

// A bucket lets rate bytes a second pass, and burst at once.
type bucket struct {
	rate, burst float64
	tokens      float64
	at          time.Time
}

func (b *bucket) fill(now time.Time) { b.tokens, b.at = b.burst, now }

// take returns how many of n bytes may pass.
func (b *bucket) take(n int, now time.Time) int {
	b.tokens = min(b.burst, b.tokens+now.Sub(b.at).Seconds()*b.rate)
	b.at = now
	n = min(n, int(b.tokens))
	b.tokens -= float64(n)
	return n
}
