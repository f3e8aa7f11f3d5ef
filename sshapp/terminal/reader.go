package terminal

import (
	"cmp"
	"context"
	"io"
	"time"

	"golang.org/x/time/rate"
)

// The defaults of Options.InputRate and InputBurst. A person with a mouse stays far below them, and so does a stuck key.
const (
	InputRate  = 4 << 10  // bytes a second
	InputBurst = 16 << 10 // bytes at once
)

const (
	chunkBytes    = 512
	maxEmptyReads = 100 // in a row, from a session that breaks the rules of io.Reader

	// What comes too fast is thrown away at dropRate bytes a second: a client that never stops must be held back, since to
	// decrypt all that a network carries takes a processor. dropPiece bytes are thrown away between two pauses.
	dropRate  = 2 << 20
	dropPiece = 2 << 10
)

// A reader is the goroutine that reads what the client types. What comes faster than allowed it throws away, slowly.
type reader struct {
	chunks  chan []byte // what the client types; closed when the client is gone. A chunk is valid until the next receive
	allowed *rate.Limiter
	stats   *Stats
}

func newReader(o Options, stats *Stats) *reader {
	limit, burst := cmp.Or(o.InputRate, InputRate), cmp.Or(o.InputBurst, InputBurst)
	return &reader{chunks: make(chan []byte), allowed: rate.NewLimiter(rate.Limit(limit), burst), stats: stats}
}

// run reads until reading fails or ctx ends. Once over is closed it throws everything away.
func (r *reader) run(ctx context.Context, over <-chan struct{}, from io.Reader) {
	defer close(r.chunks)
	var buffers [2][chunkBytes]byte // one for the loop, which is done with it when it takes the other one
	drops, unpaused := rate.NewLimiter(dropRate, dropPiece+chunkBytes), 0
	for i, empty := 0, 0; empty < maxEmptyReads; {
		n, err := from.Read(buffers[i][:])
		empty++
		if n > 0 {
			empty = 0
		}
		sent := r.take(n)
		if sent > 0 {
			select {
			case r.chunks <- buffers[i][:sent]:
				i ^= 1
			case <-over:
				sent = 0
			}
		}
		r.stats.Dropped.Add(int64(n - sent))
		if unpaused += n - sent; unpaused >= dropPiece {
			if drops.WaitN(ctx, unpaused) != nil {
				return
			}
			unpaused = 0
		}
		if err != nil {
			return
		}
	}
}

// take returns how many of n bytes may pass now.
func (r *reader) take(n int) int {
	now := time.Now()
	n = min(n, int(r.allowed.TokensAt(now)))
	r.allowed.AllowN(now, n)
	return n
}
