package postgres

import (
	"bytes"
	"errors"
	"sort"
	"sync"

	"ludoteca/storage/kv"
)

// The largest number and size of the changes that are kept for watchers.
const (
	maxChanges     = 16 << 10
	maxChangeBytes = 8 << 20
	maxTaken       = 256 // changes that a watcher takes at a time: whole transactions, so it may be exceeded
)

// errBehind says that a watcher's revision is before the window.
var errBehind = errors.New("before the window")

// A window keeps the newest changes for watchers. The follower adds to it and waits for no watcher.
type window struct {
	mu       sync.Mutex
	watchers int
	epoch    int // grows when the database has lost changes
	began    bool
	kept     []kv.Change
	bytes    int           // of the keys and values in kept
	dropped  kv.Revision   // everything up to this revision may be missing from kept
	upTo     kv.Revision   // and nothing from there on up to this one is
	more     chan struct{} // closed when upTo grows, or the window begins anew or ends
	end      error         // why the window has ended
}

func newWindow() *window { return &window{more: make(chan struct{})} }

// join counts a watcher and returns the epoch in which it begins.
func (w *window) join() (epoch int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers++
	return w.epoch
}

func (w *window) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers--
}

// watched reports whether there are watchers.
func (w *window) watched() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.watchers > 0
}

// knows reports whether the window reaches up to a revision.
func (w *window) knows(r kv.Revision) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.began && w.upTo >= r
}

// position returns up to which revision changes were added, and whether the window has begun.
func (w *window) position() (upTo kv.Revision, began bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.upTo, w.began
}

// begin has the window begin after a revision, without any change.
func (w *window) begin(after kv.Revision) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beginLocked(after)
}

// restart does the same after the database has lost changes: present watchers are told that they have missed some.
func (w *window) restart(after kv.Revision) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.epoch++
	w.beginLocked(after)
}

func (w *window) beginLocked(after kv.Revision) {
	w.began, w.kept, w.bytes, w.dropped, w.upTo = true, nil, 0, after, after
	w.wakeLocked()
}

func (w *window) wakeLocked() {
	if w.end == nil {
		close(w.more)
		w.more = make(chan struct{})
	}
}

// add appends whole transactions whose revisions are greater than those before.
func (w *window) add(changes []kv.Change) {
	if len(changes) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = append(w.kept, changes...)
	for _, c := range changes {
		w.bytes += len(c.Key) + len(c.Value)
	}
	w.upTo = changes[len(changes)-1].Revision
	drop := 0
	for len(w.kept)-drop > maxChanges || w.bytes > maxChangeBytes {
		w.bytes -= len(w.kept[drop].Key) + len(w.kept[drop].Value)
		w.dropped = w.kept[drop].Revision // no watcher asks for the rest of this transaction any more
		drop++
	}
	if drop > 0 {
		clear(w.kept[:drop]) // the next append that needs room leaves them behind
		w.kept = w.kept[drop:]
	}
	w.wakeLocked()
}

// close ends the window: watchers get what is kept, then err.
func (w *window) close(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end == nil {
		w.end = err
		close(w.more)
	}
}

// take returns changes with greater revisions than after whose keys begin with prefix, and the revision up to which
// there are no others. If there are none, more is closed when there may be. The error is errBehind if the changes from after up to upTo are
// only in the log.
func (w *window) take(prefix []byte, after kv.Revision, epoch int) (found []kv.Change, upTo kv.Revision, more chan struct{}, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case epoch != w.epoch:
		return nil, after, nil, kv.ErrCompacted
	case !w.began && w.end != nil:
		return nil, after, nil, w.end
	case !w.began:
		return nil, after, w.more, nil
	case after < w.dropped && w.end != nil:
		return nil, after, nil, w.end
	case after < w.dropped:
		return nil, w.dropped, nil, errBehind
	}
	upTo = after
	first := sort.Search(len(w.kept), func(i int) bool { return w.kept[i].Revision > after })
	for _, c := range w.kept[first:] {
		if c.Revision > upTo && len(found) >= maxTaken {
			break
		}
		upTo = c.Revision
		if len(c.Key) == 0 || !bytes.HasPrefix(c.Key, prefix) {
			continue
		}
		if n := len(found); n > 0 {
			found[n-1].More = found[n-1].Revision == c.Revision
		}
		found = append(found, c)
	}
	if len(found) == 0 && w.end != nil {
		return nil, upTo, nil, w.end
	}
	return found, upTo, w.more, nil
}
