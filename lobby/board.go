package lobby

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// board is where the readers of one match look. The match pins up a new view; readers never touch the match itself, and
// however slow they are, all that waits for them is the latest view.
type board struct {
	page atomic.Pointer[page]
	poke chan struct{} // holds one: the match should look again at what it waits for
	lost chan struct{} // closed when the match can't go on

	mu      sync.Mutex // guards what follows, and orders changes of page
	readers int        // waiting in next
	lookAt  time.Time  // when somebody last came or left
	dropped bool       // forgotten: readers must ask for the board again
}

// page is one view, and the news that there is a newer one.
type page struct {
	view *View
	old  chan struct{} // closed when another page is pinned up
}

func newBoard() *board {
	return &board{poke: make(chan struct{}, 1), lost: make(chan struct{}), lookAt: time.Now()}
}

// view returns the present view; nil before the first.
func (b *board) view() *View {
	if p := b.page.Load(); p != nil {
		return p.view
	}
	return nil
}

// pin replaces the view by what change makes of it, under a new number, and wakes the readers. A change that returns nil
// leaves everything as it is.
func (b *board) pin(seq *atomic.Uint64, change func(old *View) *View) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.page.Load()
	var old *View
	if before != nil {
		old = before.view
	}
	v := change(old)
	if v == nil {
		return
	}
	v.Seq = seq.Add(1)
	b.page.Store(&page{view: v, old: make(chan struct{})})
	if before != nil {
		close(before.old)
	}
}

// next waits for a view with a number above after. ok is false if the board has been forgotten.
func (b *board) next(ctx context.Context, closing <-chan struct{}, after uint64) (v *View, ok bool, err error) {
	if !b.come() {
		return nil, false, nil
	}
	defer b.leave()
	for {
		p := b.page.Load()
		if p.view.Reply == Paused {
			b.wake()
		}
		if p.view.Seq > after {
			return p.view, true, nil
		}
		select {
		case <-p.old:
		case <-ctx.Done():
			return nil, true, ctx.Err()
		case <-closing:
			return nil, true, ErrClosed
		case <-b.lost:
			return nil, true, ErrDamaged
		}
	}
}

// fail tells the readers that there will be no newer view. The match calls it, once.
func (b *board) fail() { close(b.lost) }

// wake makes the match look again at what it waits for; it never blocks.
func (b *board) wake() {
	select {
	case b.poke <- struct{}{}:
	default:
	}
}

func (b *board) come() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dropped {
		return false
	}
	b.readers++
	b.lookAt = time.Now()
	return true
}

func (b *board) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readers--
	b.lookAt = time.Now()
}

// watched returns whether somebody waits for the next view, and when somebody last came or left.
func (b *board) watched() (now bool, last time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.readers > 0, b.lookAt
}

// drop forgets the board unless somebody is reading it.
func (b *board) drop() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropped = b.readers == 0
	return b.dropped
}
