package remote

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCloseWaitsForCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads, writes []time.Duration
		c := NewCalls(kv.Meters{
			Read:  func(took time.Duration) { reads = append(reads, took) },
			Write: func(took time.Duration) { writes = append(writes, took) },
		})
		ended, end := context.WithCancel(t.Context())
		end()
		for name, call := range map[string]func(context.Context, func() error) error{"Read": c.Read, "Write": c.Write} {
			if err := call(ended, func() error { t.Error("it ran"); return nil }); !errors.Is(err, context.Canceled) {
				t.Errorf("%s with an ended context: %v", name, err)
			}
		}
		failed := errors.New("failed")
		hold, outcome := make(chan struct{}), make(chan error, 2)
		go func() { outcome <- c.Read(t.Context(), func() error { <-hold; return failed }) }()
		go func() { outcome <- c.Write(t.Context(), func() error { <-hold; return failed }) }()
		synctest.Wait()
		if n := c.Writing(); n != 1 {
			t.Errorf("%d calls of Write, want 1", n)
		}
		closed := make(chan struct{})
		go func() { c.Close(); close(closed) }()
		synctest.Wait()
		if err := c.Run(func() error { t.Error("it ran"); return nil }); !errors.Is(err, kv.ErrClosed) {
			t.Errorf("a call after Close: %v", err)
		}
		select {
		case <-closed:
			t.Error("Close has not waited")
		case <-time.After(time.Minute):
		}
		close(hold)
		<-closed
		for range 2 {
			if err := <-outcome; err != failed {
				t.Errorf("a call returned %v", err)
			}
		}
		if want := []time.Duration{time.Minute}; !slices.Equal(reads, want) || !slices.Equal(writes, want) {
			t.Errorf("reported %v and %v, want %v each", reads, writes, want)
		}
		if n := c.Writing(); n != 0 {
			t.Errorf("%d calls of Write after all have ended", n)
		}
		c.Close() // twice is fine
	})
}

// TestWriteGivenUp: an Update that its context ended has no time to report.
func TestWriteGivenUp(t *testing.T) {
	c := NewCalls(kv.Meters{Write: func(time.Duration) { t.Error("it was reported") }})
	ctx, end := context.WithCancel(t.Context())
	if err := c.Write(ctx, func() error { end(); return ctx.Err() }); !errors.Is(err, context.Canceled) {
		t.Errorf("Write = %v", err)
	}
	c.Close()
}

func TestCatch(t *testing.T) {
	var lines bytes.Buffer
	log := slog.New(slog.NewTextHandler(&lines, nil))
	failed := errors.New("failed")
	if err := Catch(log, func() error { return failed }); err != failed || lines.Len() > 0 {
		t.Errorf("Catch = %v, and logged %s", err, &lines)
	}
	if err := Catch(log, func() error { panic("a bad page") }); !errors.Is(err, kv.ErrDamaged) || !bytes.Contains(lines.Bytes(), []byte("a bad page")) {
		t.Errorf("Catch = %v after a panic, and logged %s", err, &lines)
	}
}

func TestBackoff(t *testing.T) {
	for n := range 100 {
		least := min(leastWaited<<min(n, 16), maxBackoff)
		if d := Backoff(n); d < leastWaited/2 || d >= leastWaited/2+least {
			t.Errorf("Backoff(%d) = %v", n, d)
		}
	}
}

func TestRepeat(t *testing.T) {
	slow, late, refused := errors.New("slow"), errors.New("late"), errors.New("refused")
	final := func(err error) bool { return err == refused }
	for _, tt := range []struct {
		name   string
		errs   []error // of the tries; after the last one they wait for the end of the context
		want   error
		limits []time.Duration
	}{
		{"an answer", []error{nil}, nil, []time.Duration{1}},
		{"an answer in the end", []error{slow, slow, slow, slow, nil}, nil, []time.Duration{1, 2, 4, 4, 4}},
		{"a refusal", []error{slow, refused}, refused, []time.Duration{1, 2}},
		{"no answer", nil, late, []time.Duration{1}},
		{"no answer after another error", []error{slow}, slow, []time.Duration{1, 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				var limits []time.Duration
				err := Repeat(ctx, 1, func(limit time.Duration) error {
					if limits = append(limits, limit); len(limits) <= len(tt.errs) {
						return tt.errs[len(limits)-1]
					}
					<-ctx.Done()
					return late
				}, final)
				if err != tt.want || !slices.Equal(limits, tt.limits) {
					t.Errorf("Repeat = %v with %v, want %v with %v", err, limits, tt.want, tt.limits)
				}
			})
		})
	}
	t.Run("never final", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began := time.Now()
			if err := Repeat(ctx, 1, func(time.Duration) error { return slow }, nil); err != slow || time.Since(began) != time.Minute {
				t.Errorf("Repeat = %v after %v", err, time.Since(began))
			}
		})
	})
}

func TestRevision(t *testing.T) {
	var r Revision
	for _, step := range []struct{ saw, want int64 }{{5, 5}, {3, 5}, {9, 9}, {9, 9}} {
		if r.Saw(step.saw); r.Load() != step.want {
			t.Errorf("after %d it is %d, want %d", step.saw, r.Load(), step.want)
		}
	}
}

func TestAmount(t *testing.T) {
	a := NewAmount(10)
	full := func() bool {
		select {
		case <-a.Full():
			return true
		default:
			return false
		}
	}
	for i, step := range []struct {
		add  int64
		want bool
	}{{9, false}, {1, true}, {9, false}, {20, true}, {9, false}} {
		a.Add(step.add)
		if got := full(); got != step.want {
			t.Errorf("step %d: full is %v", i, got)
		}
	}
	a.Add(10)
	a.Add(10) // while the first has not been taken
	if !full() || full() {
		t.Error("full twice before it was taken: want it to hold one")
	}
}

// An empty store has no keys. It is its own cursor.
type empty struct{}

func (empty) Get([]byte) ([]byte, error)             { return nil, nil }
func (empty) GetAll(keys [][]byte) ([][]byte, error) { return make([][]byte, len(keys)), nil }
func (empty) Cursor(kv.Range) overlay.Cursor         { return empty{} }
func (empty) Next() ([]byte, error)                  { return nil, nil }
func (empty) Value() ([]byte, error)                 { return nil, nil }

type testTx struct {
	*overlay.Writes
	at kv.Revision
}

func (t *testTx) Revision() kv.Revision { return t.at }

func newTestTx(at kv.Revision) *testTx { return &testTx{overlay.New(empty{}), at} }

// A server is what runs of changes ask of a store. Its newest revision is 7, and it has heard of 5.
type server struct {
	commits []error // of one commit after another; then nil
	fenced  []int   // that Commit was given
	unknown error   // of Settle
	newest  int     // calls of Newest
	retries int
	down    error // of Newest
}

func (s *server) changes(atOnce int) *Changes[*testTx] {
	var seen Revision
	seen.Saw(5)
	return NewChanges(Server[*testTx]{
		Calls: NewCalls(kv.Meters{}), Seen: &seen, Settle: func(context.Context) error { return s.unknown },
		Newest: func(context.Context) (int64, error) {
			s.newest++
			return 7, s.down
		},
		Begin: func(_ context.Context, revision int64) *testTx { return newTestTx(kv.Revision(revision)) },
		Commit: func(_ context.Context, _ *testTx, fenced int) error {
			s.fenced = append(s.fenced, fenced)
			if len(s.fenced) <= len(s.commits) {
				return s.commits[len(s.fenced)-1]
			}
			return nil
		},
		AtOnce: atOnce, Retry: func() { s.retries++ }, Log: slog.New(slog.DiscardHandler),
	})
}

func TestRun(t *testing.T) {
	key, failed, lost := []byte("a\x00b"), errors.New("failed"), kv.ErrCommit
	put := func(t kv.Tx) error { t.Put(key, key); return nil }
	for _, tt := range []struct {
		name   string
		server server
		change func(kv.Tx) error
		want   error
		at     []kv.Revision // of the runs
		fenced []int
	}{
		{"the first time", server{}, put, nil, []kv.Revision{5}, []int{0}},
		{"when others came first", server{commits: []error{ErrChanged, ErrChanged}}, put, nil, []kv.Revision{5, 7, 7}, []int{0, 0, 0}},
		{"after it was fenced off", server{commits: []error{ErrFenced, ErrChanged, ErrFenced}}, put, nil, []kv.Revision{5, 7, 7, 7}, []int{0, 1, 1, 2}},
		{"nothing is known of it", server{commits: []error{lost}}, put, lost, []kv.Revision{5}, []int{0}},
		{"no writes", server{}, func(kv.Tx) error { return nil }, nil, []kv.Revision{5, 7}, nil},
		{"an error", server{}, func(kv.Tx) error { return failed }, failed, []kv.Revision{5, 7}, nil},
		{"an error of what is out of date", server{}, func(t kv.Tx) error {
			if t.Revision() == 5 {
				return failed
			}
			return put(t)
		}, nil, []kv.Revision{5, 7}, []int{0}},
		{"a bad key", server{}, func(t kv.Tx) error { t.Put(nil, nil); return nil }, kv.ErrInvalid, []kv.Revision{5, 7}, nil},
		{"a panic", server{}, func(kv.Tx) error { panic("lost") }, kv.ErrDamaged, []kv.Revision{5, 7}, nil},
		{"the outcome of the last one is unknown", server{unknown: lost}, put, lost, nil, nil},
		{"no answer", server{down: failed}, func(kv.Tx) error { return nil }, failed, []kv.Revision{5}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []kv.Revision
				err := tt.server.changes(0).Update(t.Context(), func(tx kv.Tx) error {
					at = append(at, tx.Revision())
					return tt.change(tx)
				})
				if !errors.Is(err, tt.want) || !slices.Equal(at, tt.at) || !slices.Equal(tt.server.fenced, tt.fenced) {
					t.Errorf("Update = %v at %v, fenced off %v; want %v, %v, %v", err, at, tt.server.fenced, tt.want, tt.at, tt.fenced)
				}
				if want := max(len(tt.server.fenced)-1, 0); tt.server.retries != want {
					t.Errorf("%d retries, want %d", tt.server.retries, want)
				}
			})
		})
	}
}

// TestRunCompacted: a change whose snapshot is no longer kept runs again.
func TestRunCompacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, runs := server{}, 0
		err := s.changes(0).Update(t.Context(), func(tx kv.Tx) error {
			if runs++; runs < 4 {
				return kv.ErrCompacted
			}
			tx.Put([]byte("a\x00b"), nil)
			return nil
		})
		if err != nil || runs != 4 || s.newest != 3 || s.retries != 2 {
			t.Errorf("Update = %v after %d runs, %d of them on the newest snapshot, with %d retries", err, runs, s.newest, s.retries)
		}
	})
}

func TestRunEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		atOnce int
		paused bool // after the first run
	}{"a pause each time": {0, true}, "at once among others": {RunsAmong, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := server{commits: slices.Repeat([]error{ErrChanged}, maxRuns)}
				var times []time.Time
				err := s.changes(tt.atOnce).Update(t.Context(), func(tx kv.Tx) error {
					times = append(times, time.Now())
					tx.Delete([]byte("a\x00b"))
					return nil
				})
				if err != ErrConflict || len(times) != maxRuns || s.retries != maxRuns {
					t.Errorf("Update = %v after %d runs and %d retries", err, len(times), s.retries)
				}
				for n := range maxRuns - 1 {
					if paused := times[n+1].After(times[n]); paused != (tt.paused || n >= RunsAmong) {
						t.Errorf("a pause after run %d: %v", n+1, paused)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				s.fenced = nil
				if err := s.changes(tt.atOnce).Update(ctx, func(tx kv.Tx) error { tx.Delete([]byte("a\x00b")); return nil }); err != context.DeadlineExceeded {
					t.Errorf("Update = %v when its context ends", err)
				}
			})
		})
	}
}

// TestRunAlone: from its third run on a change has no company of its store.
func TestRunAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := server{commits: []error{ErrChanged, ErrChanged}}
		c := s.changes(0)
		hold, others := make(chan struct{}), make(chan error, 1)
		go func() {
			others <- c.Update(t.Context(), func(kv.Tx) error { <-hold; return nil })
		}()
		synctest.Wait()
		done, runs := make(chan error, 1), 0
		go func() {
			done <- c.Update(t.Context(), func(tx kv.Tx) error { runs++; tx.Delete([]byte("a\x00b")); return nil })
		}()
		time.Sleep(time.Minute) // in the bubble: the change has run as often as it may
		if synctest.Wait(); runs != RunsAmong {
			t.Errorf("%d runs beside another change, want %d", runs, RunsAmong)
		}
		close(hold)
		if err := <-others; err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil || runs != RunsAmong+1 {
			t.Errorf("Update = %v after %d runs", err, runs)
		}
	})
}
