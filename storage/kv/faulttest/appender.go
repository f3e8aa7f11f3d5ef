package faulttest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/remote"
)

const (
	nodes   = 3
	writers = 6
	section = "log\x00" // of the log
)

// An appender appends to one log from several nodes, of which each watches it, and checks that what was acknowledged is there and was seen, once
// and in order.
type appender struct {
	stores       [nodes]kv.Store
	seen         [nodes]chan string         // by node: what its watch yields
	acknowledged [writers]map[uint64]string // by writer: by the number that the transaction saw, what it wrote
	doubts       atomic.Int64
	longest      atomic.Int64 // nanoseconds
	stop         context.CancelFunc
	end          context.CancelFunc // of the watches
	writing      sync.WaitGroup
	watching     sync.WaitGroup
}

// start begins to append. unavailable is the error of the engine for a server that doesn't answer.
func start(t *testing.T, at Place, o Options, unavailable error) *appender {
	a := &appender{}
	write, stop := context.WithCancel(context.Background())
	watch, end := context.WithCancel(context.Background())
	a.stop, a.end = stop, end
	for i := range a.stores {
		a.stores[i] = mustOpen(t, at, o)
		since, seen := Revision(t, a.stores[i]), make(chan string, 1<<17)
		a.seen[i] = seen
		a.watching.Go(func() {
			for c, err := range a.stores[i].Watch(watch, []byte(section), since) {
				if err == nil {
					seen <- string(c.Value)
				} else if watch.Err() == nil {
					t.Errorf("the watch of node %d ended with %v", i, err)
					close(seen)
				}
			}
		})
	}
	for w := range a.acknowledged {
		a.acknowledged[w] = map[uint64]string{}
		a.writing.Go(func() {
			s := a.stores[w%nodes]
			for n := 0; write.Err() == nil; n++ {
				mark, began := fmt.Sprint(w, "-", n), time.Now()
				at, err := appendTo(s, mark)
				a.longest.Store(max(a.longest.Load(), int64(time.Since(began))))
				switch {
				case err == nil:
					a.acknowledged[w][at] = mark
				case errors.Is(err, kv.ErrCommit):
					a.doubts.Add(1)
				case !errors.Is(err, unavailable) && !errors.Is(err, remote.ErrConflict):
					t.Error(err)
				}
			}
		})
	}
	return a
}

// appendTo appends a mark to the log, and returns at which place.
func appendTo(s kv.Store, mark string) (at uint64, err error) {
	err = s.Update(context.Background(), func(tx kv.Tx) error {
		at = 0
		v, err := tx.Get(Key("count"))
		if err != nil {
			return err
		}
		if v != nil {
			at = binary.BigEndian.Uint64(v)
		}
		tx.Put(Key("count"), binary.BigEndian.AppendUint64(nil, at+1))
		tx.Put(fmt.Appendf(nil, "%s%08d", section, at), []byte(mark))
		return nil
	})
	return at, err
}

// check ends the writers and compares.
func (a *appender) check(t *testing.T) {
	t.Helper()
	a.stop()
	a.writing.Wait()
	defer func() {
		a.end()
		a.watching.Wait()
		for _, s := range a.stores {
			s.Close()
		}
	}()
	var log []string
	if err := a.stores[0].View(t.Context(), func(r kv.Reader) error {
		log = nil
		for p, err := range r.Scan(kv.Prefix([]byte(section))) {
			if err != nil {
				return err
			}
			if at, err := strconv.Atoi(string(p.Key[len(section):])); err != nil || at != len(log) {
				return fmt.Errorf("%q comes after %d entries", p.Key, len(log))
			}
			log = append(log, string(p.Value))
		}
		return nil
	}); err != nil {
		t.Error(err)
		return
	}
	marks := map[string]bool{}
	for at, mark := range log {
		if marks[mark] {
			t.Errorf("%s is in the log twice, last at %d", mark, at)
		}
		marks[mark] = true
	}
	n := 0
	for _, of := range a.acknowledged {
		for at, mark := range of {
			n++
			if at >= uint64(len(log)) || log[at] != mark {
				t.Errorf("%s was acknowledged as entry %d and is not there", mark, at)
			}
		}
	}
	if n < 100 || len(log) < n || len(log) > n+int(a.doubts.Load()) {
		t.Errorf("%d acknowledged, %d in doubt, and %d in the log", n, a.doubts.Load(), len(log))
	}
	a.checkWatches(t, log)
	t.Logf("%d acknowledged, %d in doubt, %d in the log; the longest took %v", n, a.doubts.Load(), len(log), time.Duration(a.longest.Load()))
}

// checkWatches compares what each node has seen with the log.
func (a *appender) checkWatches(t *testing.T, log []string) {
	t.Helper()
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	for i, seen := range a.seen {
		for at, want := range log {
			select {
			case got := <-seen:
				if got != want {
					t.Errorf("the watch of node %d saw %q as entry %d, which is %q", i, got, at, want)
					return
				}
			case <-late.C:
				t.Errorf("the watch of node %d has seen %d of %d entries", i, at, len(log))
				return
			}
		}
	}
}
