// Package feed publishes the newest value of a thing that changes, and wakes its readers.
package feed

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrRetired is returned to readers of a retired feed. Readers look up the feed that has replaced it, or make one.
var ErrRetired = errors.New("the feed has been retired")

// A Group is a set of feeds. They draw the numbers of their values from one sequence and are closed together. A reader can
// switch from one feed of a group to another and keep its number.
type Group struct {
	seq    atomic.Uint64
	once   sync.Once
	closed chan struct{}
	err    error // set before closed is closed
}

// NewGroup returns a group without feeds.
func NewGroup() *Group { return &Group{closed: make(chan struct{})} }

// Close ends the wait of all readers of the feeds of the group with err. Only the first call counts.
func (g *Group) Close(err error) {
	g.once.Do(func() {
		g.err = err
		close(g.closed)
	})
}

// Closed returns a channel that is closed with the group.
func (g *Group) Closed() <-chan struct{} { return g.closed }

// Err returns the error that the group was closed with; nil while it is open.
func (g *Group) Err() error {
	select {
	case <-g.closed:
		return g.err
	default:
		return nil
	}
}

// A Feed holds the newest value of one thing. Publishing never waits for readers: a slow reader misses values and gets the
// newest. Any goroutine may use a Feed.
type Feed[T any] struct {
	group    *Group
	arrivals chan struct{} // holds one

	mu      sync.Mutex // guards what follows
	value   T
	seq     uint64        // of value; 0 before the first
	newer   chan struct{} // closed when value is replaced or err is set
	err     error         // if set, there will be no newer value
	readers int           // attending now, in Next or outside
	read    bool          // there has been a reader
	readAt  time.Time     // when a reader last came or left
}

// New returns a feed of a group, without a value.
func New[T any](g *Group) *Feed[T] {
	return &Feed[T]{group: g, arrivals: make(chan struct{}, 1), newer: make(chan struct{}), readAt: time.Now()}
}

// Publish replaces the value, wakes the readers, and returns the number of the value. It is above the numbers of all values that
// feeds of the group published before.
func (f *Feed[T]) Publish(v T) (seq uint64) {
	return f.Update(func(T, uint64) (T, bool) { return v, true })
}

// Update publishes the value that change returns, and returns its number. change gets the newest value, or the zero value if there
// is none, and the number of the new one. If it returns false, nothing is published and seq is 0. change must not use the feed. A
// closed feed publishes nothing.
func (f *Feed[T]) Update(change func(old T, seq uint64) (T, bool)) (seq uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return 0
	}
	seq = f.group.seq.Add(1)
	v, changed := change(f.value, seq)
	if !changed {
		return 0
	}
	f.value, f.seq = v, seq
	close(f.newer)
	f.newer = make(chan struct{})
	return seq
}

// Close wakes the readers. There will be no newer value: readers who wait for one get err. Only the first call counts.
func (f *Feed[T]) Close(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.close(err)
}

func (f *Feed[T]) close(err error) {
	if f.err == nil {
		f.err = err
		close(f.newer)
	}
}

// Retire closes the feed with ErrRetired unless it has readers, and reports whether it is closed. Later readers get ErrRetired,
// even if there is a value that they have not seen.
func (f *Feed[T]) Retire() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers == 0 {
		f.close(ErrRetired)
	}
	return f.err != nil
}

// Latest returns the newest value and its number, which is 0 if there is none yet.
func (f *Feed[T]) Latest() (v T, seq uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.value, f.seq
}

// Watch returns the newest value, its number, and a channel that is closed when there is a newer one or the feed is
// closed: for readers that wait for several things. It doesn't count as reading.
func (f *Feed[T]) Watch() (v T, seq uint64, newer <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.value, f.seq, f.newer
}

// Next returns the newest value and its number as soon as the number is above after: at once if it is already. Start with 0 and
// go on with the number of the value in hand. The errors are ctx.Err() and what the feed or its group was closed with. A feed that
// was closed but not retired still returns a value that the reader has not seen.
func (f *Feed[T]) Next(ctx context.Context, after uint64) (v T, seq uint64, err error) {
	v, seq, newer, err := f.attend()
	defer f.leave()
	for {
		var none T
		switch {
		case seq > after && err != ErrRetired:
			return v, seq, nil
		case err != nil:
			return none, 0, err
		}
		select {
		case <-newer:
		case <-ctx.Done():
			return none, 0, ctx.Err()
		case <-f.group.closed:
			return none, 0, f.group.err
		}
		f.mu.Lock()
		v, seq, newer, err = f.value, f.seq, f.newer, f.err
		f.mu.Unlock()
	}
}

// Attend counts the caller as a reader until leave is called.
func (f *Feed[T]) Attend() (leave func()) {
	f.attend()
	return f.leave
}

// attend counts a reader, and returns what there was to read at that moment: the arrival itself can bring about a newer value.
func (f *Feed[T]) attend() (v T, seq uint64, newer <-chan struct{}, err error) {
	f.mu.Lock()
	f.readers++
	f.read = true
	f.readAt = time.Now()
	v, seq, newer, err = f.value, f.seq, f.newer, f.err
	f.mu.Unlock()
	select {
	case f.arrivals <- struct{}{}:
	default:
	}
	return v, seq, newer, err
}

func (f *Feed[T]) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers--
	f.readAt = time.Now()
}

// Readers reports whether the feed has readers, and when a reader last came or left. last is the time of New if there was no
// reader.
func (f *Feed[T]) Readers() (now bool, last time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readers > 0, f.readAt
}

// Unread reports whether the feed has never had a reader.
func (f *Feed[T]) Unread() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.read
}

// Arrivals returns a channel that holds a token if readers have come since it was last emptied.
func (f *Feed[T]) Arrivals() <-chan struct{} { return f.arrivals }
