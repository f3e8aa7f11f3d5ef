package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/atomicfile"
	"ludoteca/storage/kv"
)

// A gate holds commits back.
type gate struct {
	err     error         // what the next commit that is let go fails with
	let     chan struct{} // one value lets one commit go; closed lets all go
	commits atomic.Int32  // how many have come
}

func (g *gate) wait() error {
	g.commits.Add(1)
	<-g.let
	return g.err
}

// held opens a store behind a gate, with one key in it, k0.
func held(t *testing.T) (*Store, *gate) {
	g := &gate{let: make(chan struct{}, 1)}
	s := openAt(t, filepath.Join(t.TempDir(), "club.db"), Options{Hooks: Hooks{BeforeCommit: g.wait}})
	g.let <- struct{}{}
	if err := create(t.Context(), s, 0); err != nil {
		t.Fatal(err)
	}
	return s, g
}

// later starts a call and returns where its error will be, nil while it has none.
func later(call func() error) *atomic.Pointer[error] {
	var answer atomic.Pointer[error]
	go func() { err := call(); answer.Store(&err) }()
	return &answer
}

func key(n int) []byte { return fmt.Appendf(nil, "s\x00k%d", n) }

var errTaken = errors.New("taken")

// create writes key n, with a large second one, and refuses if it is there.
func create(ctx context.Context, s *Store, n int) error {
	return s.Update(ctx, func(tx kv.Tx) error {
		if v, err := tx.Get(key(n)); v != nil || err != nil {
			return errors.Join(errTaken, err)
		}
		tx.Put(key(n), []byte("x"))
		tx.Put(fmt.Appendf(nil, "t\x00k%d", n), make([]byte, 100))
		return nil
	})
}

// present returns how many keys of the first n are there.
func present(t *testing.T, s *Store, n int) (found int) {
	t.Helper()
	if err := s.View(t.Context(), func(r kv.Reader) error {
		found = 0
		for i := range n {
			if v, err := r.Get(key(i)); err != nil {
				return err
			} else if v != nil {
				found++
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNoReaderSeesWhatIsNotOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		answer := later(func() error { return create(t.Context(), s, 1) })
		synctest.Wait()
		if answer.Load() != nil || g.commits.Load() != 2 {
			t.Fatalf("Update returned before its commit")
		}
		if n := present(t, s, 2); n != 1 {
			t.Errorf("a reader sees %d keys, want 1", n)
		}
		close(g.let)
		synctest.Wait()
		if err := answer.Load(); err == nil || *err != nil {
			t.Fatalf("Update = %v after its commit, want nil", err)
		}
		if n := present(t, s, 2); n != 2 {
			t.Errorf("a reader sees %d keys, want 2", n)
		}
	})
}

// A reader that comes when bbolt has written a commit that is not yet known to be on disk sees the one before, at once.
func TestReadWhileACommitIsBeingSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{}, 1)
		s := openAt(t, filepath.Join(t.TempDir(), "club.db"), Options{Hooks: Hooks{AfterCommit: func() error { <-let; return nil }}})
		defer s.Close()
		let <- struct{}{}
		if err := create(t.Context(), s, 0); err != nil {
			t.Fatal(err)
		}
		answer := later(func() error { return create(t.Context(), s, 1) })
		synctest.Wait()
		if n := present(t, s, 2); n != 1 { // hangs if it waits
			t.Errorf("a reader sees %d keys, want 1", n)
		}
		close(let)
		synctest.Wait()
		if n := present(t, s, 2); n != 2 || *answer.Load() != nil {
			t.Errorf("a reader sees %d keys, want 2", n)
		}
	})
}

func TestOneCommitForAllThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		first := later(func() error { return create(t.Context(), s, 1) })
		synctest.Wait() // it is being committed; the others queue up
		if n := s.Queued(); n != 0 {
			t.Errorf("%d transactions wait, want none", n)
		}
		answers := map[int]*atomic.Pointer[error]{}
		for n := range 100 {
			answers[n] = later(func() error { return create(t.Context(), s, n) })
		}
		synctest.Wait()
		if n := s.Queued(); n != 100 {
			t.Errorf("%d transactions wait, want 100", n)
		}
		close(g.let)
		synctest.Wait()
		if err := *first.Load(); err != nil {
			t.Errorf("the first: %v", err)
		}
		for n, answer := range answers {
			want := error(nil)
			if n < 2 {
				want = errTaken // these are there already: they alone are refused
			}
			if err := *answer.Load(); !errors.Is(err, want) {
				t.Errorf("key %d: %v, want %v", n, err, want)
			}
		}
		if n := g.commits.Load(); n != 3 || present(t, s, 100) != 100 {
			t.Errorf("%d commits, want 3: the first key, the second, all others", n)
		}
	})
}

func TestFailedCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		before := later(func() error { return create(t.Context(), s, 1) })
		synctest.Wait()
		answers := map[int]*atomic.Pointer[error]{}
		for n := 2; n < 22; n++ {
			answers[n] = later(func() error { return create(t.Context(), s, n) })
		}
		synctest.Wait()
		g.let <- struct{}{}
		synctest.Wait()
		if err := *before.Load(); err != nil {
			t.Errorf("the commit before: %v", err)
		}
		full := errors.New("no space left on device")
		g.err = full
		g.let <- struct{}{}
		synctest.Wait()
		for n, answer := range answers {
			if err := *answer.Load(); !errors.Is(err, kv.ErrCommit) || !errors.Is(err, full) {
				t.Errorf("key %d: %v, want ErrCommit with its cause", n, err)
			}
		}
		if n := present(t, s, 22); n != 2 {
			t.Errorf("%d keys are there, want 2", n)
		}
		g.err = nil
		close(g.let)
		if err := create(t.Context(), s, 2); err != nil {
			t.Errorf("after there is room again: %v", err)
		}
	})
}

// A commit may fail although the change is there. Then it is shown only when a later commit has made sure of it.
func TestCommitOfUnknownOutcome(t *testing.T) {
	var commits int
	var fail error
	s := openAt(t, filepath.Join(t.TempDir(), "club.db"), Options{Hooks: Hooks{
		AfterCommit: func() error { commits++; return fail },
	}})
	defer s.Close()
	at := s.current.revision()
	fail = errors.New("the sync failed")
	if err := create(t.Context(), s, 0); !errors.Is(err, kv.ErrCommit) {
		t.Fatalf("Update = %v, want ErrCommit", err)
	}
	if err := s.View(t.Context(), func(kv.Reader) error { return nil }); !errors.Is(err, kv.ErrCommit) || commits != 2 {
		t.Errorf("View = %v after %d commits; want ErrCommit after another try", err, commits)
	}
	if err := create(t.Context(), s, 1); !errors.Is(err, kv.ErrCommit) || commits != 3 {
		t.Errorf("Update = %v after %d commits; want ErrCommit after another try", err, commits)
	}
	fail = nil
	for range 3 {
		if n := present(t, s, 2); n != 1 || commits != 4 {
			t.Errorf("%d keys after %d commits; want 1 after one commit more, and no more", n, commits)
		}
	}
	for c, err := range s.Watch(t.Context(), []byte("s\x00"), at) {
		if err != nil || string(c.Key) != string(key(0)) {
			t.Errorf("a watcher sees %q, %v, want the key of the unsure commit", c.Key, err)
		}
		break
	}
}

func TestWithdrawal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		taken := later(func() error { return create(ctx, s, 1) })
		synctest.Wait()
		waiting := later(func() error { return create(ctx, s, 2) })
		synctest.Wait()
		cancel()
		synctest.Wait()
		if taken.Load() != nil {
			t.Error("a transaction on its way to the disk was given up")
		}
		if err := waiting.Load(); err == nil || !errors.Is(*err, context.Canceled) {
			t.Error("a transaction in the queue was not withdrawn")
		}
		close(g.let)
		synctest.Wait()
		if err := *taken.Load(); err != nil {
			t.Errorf("the outcome is %v, want nil", err)
		}
		if n := present(t, s, 3); n != 2 {
			t.Errorf("%d keys, want 2", n)
		}
	})
}

func TestCloseDrainsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		answers := map[int]*atomic.Pointer[error]{}
		for n := range 10 {
			answers[n+1] = later(func() error { return create(t.Context(), s, n+1) })
		}
		synctest.Wait()
		closed := later(s.Close)
		synctest.Wait()
		if closed.Load() != nil {
			t.Error("Close did not wait for the queue")
		}
		close(g.let)
		synctest.Wait()
		for n, answer := range answers {
			if err := *answer.Load(); err != nil {
				t.Errorf("key %d was queued before Close: %v", n, err)
			}
		}
		if err := *closed.Load(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if _, err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "b")); !errors.Is(err, kv.ErrClosed) {
			t.Errorf("Backup of a closed store: %v, want ErrClosed", err)
		}
	})
}

// More transactions than the queue and a batch hold.
func TestManyAtOnce(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "club.db"), Options{})
	defer s.Close()
	errs := make(chan error)
	const many = 2000
	for n := range many {
		go func() { errs <- create(t.Context(), s, n) }()
	}
	for range many {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := present(t, s, many); n != many {
		t.Errorf("%d keys, want %d", n, many)
	}
}

// Readers and writers go on while the file outgrows its mapping, again and again.
func TestFileOutgrowsItsMapping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	s, err := open(path, Options{}, atomicfile.System{}, 32<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stop := make(chan struct{})
	reads := make(chan error, 4)
	for range 4 {
		go func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					reads <- nil
					return
				default:
				}
				if err := s.View(t.Context(), func(r kv.Reader) error {
					for p, err := range r.Scan(kv.Prefix([]byte("s\x00"))) {
						if err != nil || p.Value[0] != p.Key[2] {
							return fmt.Errorf("%q is %q, %w", p.Key, p.Value[:1], err)
						}
					}
					return nil
				}); err != nil {
					reads <- err
					return
				}
			}
		}()
	}
	for i := range 10 {
		value := make([]byte, 8<<20)
		value[0] = byte('a' + i)
		if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put([]byte{'s', 0, byte('a' + i)}, value); return nil }); err != nil {
			t.Fatalf("after %d values: %v", i, err)
		}
	}
	close(stop)
	for range 4 {
		if err := <-reads; err != nil {
			t.Error(err)
		}
	}
	if size, err := s.Size(); err != nil || size < 80<<20 {
		t.Errorf("the file has %d bytes, %v", size, err)
	}
	n := 0
	if err := s.View(t.Context(), func(r kv.Reader) error {
		for _, err := range r.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			n++
		}
		return nil
	}); err != nil || n != 10 {
		t.Errorf("%d values, %v", n, err)
	}
}

// The newest snapshot keeps the pages of one commit from being used again, and no more. A long read keeps all that are freed
// meanwhile, as bbolt does it, and gives them back.
func TestFileStaysSmall(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "club.db"), Options{})
	defer s.Close()
	write := func() int64 {
		for n := range 150 {
			if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(key(n%10), make([]byte, 3000)); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		return s.current.tx.Size()
	}
	if size := write(); size > 300_000 {
		t.Errorf("30 kB take %d bytes after 150 commits", size)
	}
	if err := s.View(t.Context(), func(kv.Reader) error { write(); return nil }); err != nil {
		t.Fatal(err)
	}
	before := write()
	if after := write(); after > before {
		t.Errorf("after a long read the file grows from %d to %d bytes", before, after)
	}
}

// TestMeters: each call is reported once, with its outcome.
func TestMeters(t *testing.T) {
	var reads, writes, commits, transactions, failures atomic.Int64
	broken := errors.New("no disk")
	var breaks atomic.Bool
	s := openAt(t, filepath.Join(t.TempDir(), "meters.db"), Options{
		Meters: kv.Meters{
			Read:  func(time.Duration) { reads.Add(1) },
			Write: func(time.Duration) { writes.Add(1) },
			Commit: func(n int, took time.Duration, err error) {
				commits.Add(1)
				transactions.Add(int64(n))
				if err != nil {
					failures.Add(1)
				}
				if took < 0 {
					t.Errorf("a commit took %v", took)
				}
			},
		},
		Hooks: Hooks{BeforeCommit: func() error {
			if breaks.Load() {
				return broken
			}
			return nil
		}},
	})
	defer s.Close()
	check := func(what string, wantReads, wantWrites, wantCommits, wantFailures int64) {
		t.Helper()
		if reads.Load() != wantReads || writes.Load() != wantWrites || commits.Load() != wantCommits || failures.Load() != wantFailures {
			t.Errorf("after %s: %d reads, %d writes, %d commits, %d failures; want %d, %d, %d, %d", what,
				reads.Load(), writes.Load(), commits.Load(), failures.Load(), wantReads, wantWrites, wantCommits, wantFailures)
		}
	}
	check("opening", 0, 0, 0, 0)
	if err := create(t.Context(), s, 1); err != nil {
		t.Fatal(err)
	}
	check("a transaction", 0, 1, 1, 0)
	if err := create(t.Context(), s, 1); !errors.Is(err, errTaken) {
		t.Fatalf("the second: %v", err)
	}
	check("a refusal", 0, 2, 1, 0)
	if n := present(t, s, 2); n != 1 {
		t.Fatalf("%d keys", n)
	}
	check("a read", 1, 2, 1, 0)
	breaks.Store(true)
	if err := create(t.Context(), s, 2); !errors.Is(err, kv.ErrCommit) {
		t.Fatalf("on a broken disk: %v", err)
	}
	check("a failure", 1, 3, 2, 1)
	if transactions.Load() != 2 {
		t.Errorf("%d transactions in 2 commits of one each", transactions.Load())
	}
	if n, err := s.Size(); err != nil || n < 4096 {
		t.Errorf("Size = %d, %v, want a file", n, err)
	}
}
