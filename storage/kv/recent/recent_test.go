package recent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"ludoteca/storage/kv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func change(revision int, key string, more bool) kv.Change {
	return kv.Change{Revision: kv.Revision(revision), Key: []byte(key), More: more}
}

// text writes changes as "revision key", with a + if more of the transaction follow.
func text(changes []kv.Change) (all []string) {
	for _, c := range changes {
		s := fmt.Sprintf("%d %s", c.Revision, c.Key)
		if c.More {
			s += "+"
		}
		all = append(all, s)
	}
	return all
}

// A watch collects what one watcher gets.
type watch struct {
	got []kv.Change
	err error
}

// watchFor watches in a goroutine until it has most changes; 0 is all.
func (c *Changes) watchFor(ctx context.Context, prefix string, after kv.Revision, most int, older Reader) *watch {
	w := &watch{}
	go func() {
		for one, err := range c.Watch(ctx, []byte(prefix), after, older) {
			if err != nil {
				w.err = err
			} else {
				w.got = append(w.got, one)
			}
			if len(w.got) == most && most > 0 {
				return
			}
		}
	}()
	return w
}

func (w *watch) check(t *testing.T, want []string, err error) {
	t.Helper()
	synctest.Wait()
	if got := text(w.got); !slices.Equal(got, want) || !errors.Is(w.err, err) || err == nil && w.err != nil {
		t.Errorf("a watcher got %q and %v, want %q and %v", got, w.err, want, err)
	}
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		joined := 0
		c := New(func() { joined++ })
		early := c.watchFor(t.Context(), "a", 3, 0, nil)
		early.check(t, nil, nil)
		if _, began := c.Position(); began || !c.Watched() || joined != 1 {
			t.Errorf("began: %v, watched: %v, joined: %d", began, c.Watched(), joined)
		}
		c.Begin(3)
		c.Add(nil)
		c.Add([]kv.Change{change(4, "a1", true), change(4, "b1", true), change(4, "b2", false), change(5, "", false), change(6, "a2", true), change(6, "a3", false)})
		early.check(t, []string{"4 a1", "6 a2+", "6 a3"}, nil)
		c.watchFor(t.Context(), "", 4, 1, nil).check(t, []string{"6 a2+"}, nil) // and asks for no more
		ctx, end := context.WithCancel(t.Context())
		late := c.watchFor(ctx, "b", 0, 0, nil)
		late.check(t, nil, kv.ErrCompacted)
		given := c.watchFor(ctx, "b", 3, 0, nil)
		given.check(t, []string{"4 b1+", "4 b2"}, nil)
		end()
		given.check(t, []string{"4 b1+", "4 b2"}, context.Canceled)
		c.watchFor(ctx, "b", 3, 0, nil).check(t, nil, context.Canceled)
		if at, began := c.Position(); at != 6 || !began {
			t.Errorf("it is at %d, began: %v", at, began)
		}
		c.Restart(2) // the store has lost changes
		early.check(t, []string{"4 a1", "6 a2+", "6 a3"}, kv.ErrCompacted)
		if c.Watched() {
			t.Error("watched after all watchers have ended")
		}
		again := c.watchFor(t.Context(), "a", 2, 0, nil)
		c.Add([]kv.Change{change(3, "a9", false)})
		again.check(t, []string{"3 a9"}, nil)
		closed := errors.New("closed")
		c.Close(closed)
		c.Close(errors.New("closed again"))
		again.check(t, []string{"3 a9"}, closed)
		c.watchFor(t.Context(), "a", 2, 0, nil).check(t, []string{"3 a9"}, closed) // what is kept, then the end
	})
}

func TestCloseBeforeBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(nil)
		w := c.watchFor(t.Context(), "", 0, 0, nil)
		c.Close(kv.ErrClosed)
		w.check(t, nil, kv.ErrClosed)
	})
}

// TestOlder: what is no longer in memory is read by the caller's function, and what follows comes from memory.
func TestOlder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(nil)
		c.Begin(5)
		c.Add([]kv.Change{change(6, "a6", false)})
		failed, calls := errors.New("failed"), 0
		older := func(after, upTo kv.Revision, yield func(kv.Change) bool) (kv.Revision, error) {
			calls++
			for at := after + 1; at <= upTo; at++ {
				if at == 2 {
					return at, failed
				}
				if !yield(change(int(at), fmt.Sprintf("a%d", at), false)) {
					return at, nil
				}
			}
			return upTo, nil
		}
		c.watchFor(t.Context(), "a", 3, 0, older).check(t, []string{"4 a4", "5 a5", "6 a6"}, nil)
		c.watchFor(t.Context(), "a", 3, 1, older).check(t, []string{"4 a4"}, nil)
		c.watchFor(t.Context(), "a", 0, 0, older).check(t, []string{"1 a1"}, failed)
		c.watchFor(t.Context(), "a", 5, 1, older).check(t, []string{"6 a6"}, nil)
		if calls != 3 {
			t.Errorf("read %d times, want 3", calls)
		}
		c.Close(kv.ErrClosed)
	})
}

// TestBounds: memory is bounded by number and by size, and a watcher is told what it has missed.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, size := range map[string]int{"number": 0, "size": 1 << 20} {
			c := New(nil)
			c.Begin(0)
			value := make([]byte, size)
			for n := range 3 * maxChanges {
				if size > 0 && n == 30 {
					break
				}
				one := change(n+1, "a", false)
				one.Value = value
				c.Add([]kv.Change{one})
				if len(c.kept) > maxChanges || c.bytes > maxChangeBytes || len(c.kept) == 0 {
					t.Fatalf("%s: %d changes of %d bytes are kept", name, len(c.kept), c.bytes)
				}
			}
			first := c.kept[0].Revision
			c.watchFor(t.Context(), "a", first-2, 0, nil).check(t, nil, kv.ErrCompacted)
			w := c.watchFor(t.Context(), "a", first-1, 0, nil)
			synctest.Wait()
			if upTo, _ := c.Position(); len(w.got) != len(c.kept) || w.got[0].Revision != first || kv.Revision(len(w.got)) != upTo-first+1 || w.err != nil {
				t.Errorf("%s: a watcher got %d changes and %v of %d", name, len(w.got), w.err, len(c.kept))
			}
			c.Close(kv.ErrClosed)
		}
	})
}

// TestTake compares what a watcher takes with all changes that were ever added.
func TestTake(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := New(nil)
		c.Begin(0)
		var all []kv.Change
		revision := 0
		for range rapid.IntRange(1, 40).Draw(r, "transactions") {
			revision += rapid.IntRange(1, 3).Draw(r, "step")
			n := rapid.IntRange(1, 30).Draw(r, "changes")
			var whole []kv.Change
			for i := range n {
				key := fmt.Sprintf("%c%03d", rapid.SampledFrom([]rune("ab")).Draw(r, "section"), i)
				whole = append(whole, change(revision, key, i+1 < n))
			}
			all = append(all, whole...)
			c.Add(whole)
		}
		prefix := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(r, "prefix")
		at := kv.Revision(rapid.IntRange(0, revision).Draw(r, "after"))
		var want, got []kv.Change
		for _, one := range all {
			if one.Revision > at && (prefix == "" || string(one.Key[:1]) == prefix) {
				if n := len(want); n > 0 {
					want[n-1].More = want[n-1].Revision == one.Revision
				}
				one.More = false
				want = append(want, one)
			}
		}
		for range len(all) + 1 {
			found, upTo, _, err := c.take([]byte(prefix), at, 0)
			if err != nil {
				r.Fatal(err)
			}
			if got = append(got, found...); len(found) == 0 {
				break
			}
			at = upTo
		}
		if !slices.Equal(text(got), text(want)) {
			r.Errorf("took %q, want %q", text(got), text(want))
		}
	})
}
