package terminal

import (
	"cmp"
	"time"
)

// How much a client may send unless Options say something else: a human with a mouse stays far below, a stuck key too.
const (
	inputRate     = 4 << 10  // bytes a second
	inputBurst    = 16 << 10 // bytes at once
	maxPasteBytes = 512      // bytes of one paste
)

const (
	// A cut sequence is held that long. Longer, and the escape key would feel slow.
	cutSequenceWait = 50 * time.Millisecond
	// The end of a paste or of a string sequence is awaited that long after the last byte of it.
	lostEndWait = time.Second

	// What comes too fast is thrown away at dropPiece bytes a dropPause, 2 MB a second: a client that never stops must be held
	// back, since to decrypt all that a network carries takes a processor.
	dropPiece = 2 << 10
	dropPause = time.Millisecond
)

// input decodes what the client types. What comes faster than allowed is taken, slowly, and thrown away.
type input struct {
	buffer  [maxSequenceBytes + chunkBytes]byte // the end of the first part holds a cut sequence
	kept    int                                 // bytes of the cut sequence
	until   time.Time                           // when what is kept or awaited is given up; zero is never
	rate    bucket
	over    int // bytes thrown away since the last pause
	decoder decoder
}

// limit takes over what the options allow a client.
func (in *input) limit(o Options) {
	in.rate = bucket{rate: float64(cmp.Or(o.InputRate, inputRate)), burst: float64(cmp.Or(o.InputBurst, inputBurst))}
	in.rate.fill(time.Now())
	in.decoder.pasteBytes = cmp.Or(o.PasteBytes, maxPasteBytes)
}

// take decodes what of a chunk is allowed. So much may have been too much that no more should be taken for a dropPause.
func (in *input) take(chunk []byte, now time.Time) (flooded bool) {
	n := in.rate.take(len(chunk), now)
	if dropped := len(chunk) - n; dropped > 0 {
		in.decoder.dropped(dropped)
		if in.over += dropped; in.over >= dropPiece {
			in.over, flooded = 0, true
		}
	}
	in.feed(chunk[:n], now)
	return flooded
}

// feed decodes bytes behind the cut sequence that is kept.
func (in *input) feed(b []byte, now time.Time) {
	for len(b) > 0 {
		n := copy(in.buffer[maxSequenceBytes:], b)
		in.decode(in.buffer[maxSequenceBytes-in.kept:maxSequenceBytes+n], false, now)
		b = b[n:]
	}
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
