package bolt

import (
	"bytes"
	"context"
	"iter"
	"sort"
	"sync"

	"ludoteca/storage/kv"
)

// The largest number and size of the changes that are kept for watchers. A watcher that is further behind gets kv.ErrCompacted.
const (
	maxChanges     = 16 << 10
	maxChangeBytes = 8 << 20
)

// A revision is the number of the bbolt transaction, which the file keeps, and the number of our transaction in it.
const (
	revisionBits = 16
	lastInCommit = 1<<revisionBits - 1
)

func revisionOf(commit int64, inCommit int) kv.Revision {
	return kv.Revision(commit<<revisionBits | int64(inCommit))
}

// A changeLog keeps the newest changes for watchers. The committer adds to it and waits for no watcher.
type changeLog struct {
	mu      sync.Mutex
	kept    []kv.Change
	bytes   int           // of the keys and values in kept
	dropped kv.Revision   // everything up to this revision may be missing from kept
	more    chan struct{} // closed when kept grows or the log ends
	end     error         // why the log has ended
}

func newChangeLog(from kv.Revision) *changeLog {
	return &changeLog{dropped: from, more: make(chan struct{})}
}

// add appends changes whose revisions are greater than those before.
func (l *changeLog) add(changes []kv.Change) {
	if len(changes) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, changes...)
	for _, c := range changes {
		l.bytes += sizeOf(c)
	}
	drop, last := 0, kv.Revision(0)
	for len(l.kept)-drop > maxChanges || l.bytes > maxChangeBytes {
		l.bytes -= sizeOf(l.kept[drop])
		last = l.kept[drop].Revision // no watcher asks for the rest of this transaction any more
		drop++
	}
	if drop > 0 {
		l.dropped = last
		clear(l.kept[:drop]) // the next append that needs room leaves them behind
		l.kept = l.kept[drop:]
	}
	close(l.more)
	l.more = make(chan struct{})
}

func sizeOf(c kv.Change) int { return len(c.Key) + len(c.Value) }

// close ends the log: watchers get what is kept, then err.
func (l *changeLog) close(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == nil {
		l.end = err
		close(l.more)
	}
}

// maxTaken is how many changes a watcher takes at a time: whole transactions, so it may be exceeded.
const maxTaken = 256

// take returns changes with greater revisions than after whose keys begin with prefix, and the revision up to which
// there are no others. If there are none, more is closed when there may be.
func (l *changeLog) take(prefix []byte, after kv.Revision) (found []kv.Change, upTo kv.Revision, more chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after < l.dropped {
		return nil, after, nil, kv.ErrCompacted
	}
	upTo = after
	first := sort.Search(len(l.kept), func(i int) bool { return l.kept[i].Revision > after })
	for _, c := range l.kept[first:] {
		if c.Revision > upTo && len(found) >= maxTaken {
			break
		}
		upTo = c.Revision
		if !bytes.HasPrefix(c.Key, prefix) {
			continue
		}
		if n := len(found); n > 0 {
			found[n-1].More = found[n-1].Revision == c.Revision
		}
		found = append(found, c)
	}
	if len(found) == 0 && l.end != nil {
		return nil, upTo, nil, l.end
	}
	return found, upTo, l.more, nil
}

// watch implements kv.Store.Watch.
func (l *changeLog) watch(ctx context.Context, prefix []byte, after kv.Revision) iter.Seq2[kv.Change, error] {
	return func(yield func(kv.Change, error) bool) {
		at := after
		for {
			if err := ctx.Err(); err != nil {
				yield(kv.Change{}, err)
				return
			}
			found, upTo, more, err := l.take(prefix, at)
			if err != nil {
				yield(kv.Change{}, err)
				return
			}
			for _, c := range found {
				if !yield(c, nil) {
					return
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
	}
}
