// Package recent keeps the newest changes of a store in memory, for those who watch it.
package recent

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"sort"
	"sync"

	"ludoteca/storage/kv"
)

// The largest number and size of the changes that are kept.
const (
	maxChanges     = 16 << 10
	maxChangeBytes = 8 << 20
	maxTaken       = 256 // changes that a watcher takes at a time: whole transactions, so it may be exceeded
)

// errBehind says that the revision of a watcher is before the changes that are kept.
var errBehind = errors.New("the changes are no longer in memory")

// Changes keeps the newest changes of a store. The store adds to it and waits for no watcher.
type Changes struct {
	joined func() // called when a watcher has come; nil is none

	mu       sync.Mutex
	watchers int
	epoch    int // grows when the store has lost changes
	began    bool
	kept     []kv.Change
	bytes    int           // of the keys and values in kept
	dropped  kv.Revision   // everything up to this revision may be missing from kept
	upTo     kv.Revision   // and nothing from there on up to this one is
	more     chan struct{} // closed when upTo grows, or the changes begin anew or end
	end      error         // why the changes have ended
}

// New returns a Changes that has not begun: watchers wait. joined is called, by many at a time, when a watcher has come; it may be nil.
func New(joined func()) *Changes { return &Changes{joined: joined, more: make(chan struct{})} }

// Watched reports whether there are watchers.
func (c *Changes) Watched() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watchers > 0
}

// Position returns up to which revision changes were added, and whether they have begun.
func (c *Changes) Position() (upTo kv.Revision, began bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.upTo, c.began
}

// Begin has the changes begin after a revision, and drops those that are kept.
func (c *Changes) Begin(after kv.Revision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.beginLocked(after)
}

// Restart does the same after the store has lost changes: present watchers are told that they have missed some.
func (c *Changes) Restart(after kv.Revision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	c.beginLocked(after)
}

func (c *Changes) beginLocked(after kv.Revision) {
	c.began, c.kept, c.bytes, c.dropped, c.upTo = true, nil, 0, after, after
	c.wakeLocked()
}

func (c *Changes) wakeLocked() {
	if c.end == nil {
		close(c.more)
		c.more = make(chan struct{})
	}
}

// Add appends whole transactions whose revisions are greater than those before. Watch sets their More.
func (c *Changes) Add(changes []kv.Change) {
	if len(changes) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = append(c.kept, changes...)
	for _, one := range changes {
		c.bytes += sizeOf(one)
	}
	c.upTo = changes[len(changes)-1].Revision
	drop := 0
	for len(c.kept)-drop > maxChanges || c.bytes > maxChangeBytes {
		c.bytes -= sizeOf(c.kept[drop])
		c.dropped = c.kept[drop].Revision // no watcher asks for the rest of this transaction any more
		drop++
	}
	if drop > 0 {
		clear(c.kept[:drop]) // the next append that needs room leaves them behind
		c.kept = c.kept[drop:]
	}
	c.wakeLocked()
}

func sizeOf(c kv.Change) int { return len(c.Key) + len(c.Value) }

// Close ends the changes: watchers get what is kept, then err.
func (c *Changes) Close(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		c.end = err
		close(c.more)
	}
}

// A Reader yields changes that are no longer in memory, after one revision and up to another, and returns the revision up to which it came.
type Reader func(after, upTo kv.Revision, yield func(kv.Change) bool) (kv.Revision, error)

// Watch yields changes, as kv.Store does. older reads those that are no longer in memory; without it a watcher that needs them gets
// kv.ErrCompacted.
func (c *Changes) Watch(ctx context.Context, prefix []byte, after kv.Revision, older Reader) iter.Seq2[kv.Change, error] {
	return func(yield func(kv.Change, error) bool) {
		stopped := false
		err := c.watch(ctx, prefix, after, older, func(one kv.Change) bool {
			stopped = !yield(one, nil)
			return !stopped
		})
		if !stopped {
			yield(kv.Change{}, err)
		}
	}
}

// watch yields changes until there is an error, or yield returns false.
func (c *Changes) watch(ctx context.Context, prefix []byte, at kv.Revision, older Reader, yield func(kv.Change) bool) error {
	epoch := c.join()
	defer c.leave()
	stopped := false
	for !stopped {
		if err := ctx.Err(); err != nil {
			return err
		}
		found, upTo, more, err := c.take(prefix, at, epoch)
		switch {
		case errors.Is(err, errBehind) && older == nil:
			return kv.ErrCompacted
		case errors.Is(err, errBehind):
			at, err = older(at, upTo, func(one kv.Change) bool {
				stopped = !yield(one)
				return !stopped
			})
			if err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		}
		for _, one := range found {
			if !yield(one) {
				return nil
			}
		}
		if at = upTo; len(found) > 0 {
			continue
		}
		select {
		case <-more:
		case <-ctx.Done():
		}
	}
	return nil
}

// join counts a watcher and returns the epoch in which it begins.
func (c *Changes) join() (epoch int) {
	c.mu.Lock()
	c.watchers++
	epoch = c.epoch
	c.mu.Unlock()
	if c.joined != nil {
		c.joined()
	}
	return epoch
}

func (c *Changes) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers--
}

// take returns changes with greater revisions than after whose keys begin with prefix, and the revision up to which
// there are no others. If there are none, more is closed when there may be. The error is errBehind if the changes from after up to upTo are
// not kept.
func (c *Changes) take(prefix []byte, after kv.Revision, epoch int) (found []kv.Change, upTo kv.Revision, more chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case epoch != c.epoch:
		return nil, after, nil, kv.ErrCompacted
	case !c.began && c.end != nil:
		return nil, after, nil, c.end
	case !c.began:
		return nil, after, c.more, nil
	case after < c.dropped:
		return nil, c.dropped, nil, errBehind
	}
	upTo = after
	first := sort.Search(len(c.kept), func(i int) bool { return c.kept[i].Revision > after })
	for _, one := range c.kept[first:] {
		if one.Revision > upTo && len(found) >= maxTaken {
			break
		}
		upTo = one.Revision
		if len(one.Key) == 0 || !bytes.HasPrefix(one.Key, prefix) { // a store may say by a change of no key that its revision has grown
			continue
		}
		if n := len(found); n > 0 {
			found[n-1].More = found[n-1].Revision == one.Revision
		}
		one.More = false
		found = append(found, one)
	}
	if len(found) == 0 && c.end != nil {
		return nil, upTo, nil, c.end
	}
	return found, upTo, c.more, nil
}
