package storage_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"ludoteca/storage"
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

// held opens a store behind a gate, with one match in it.
func held(t *testing.T) (*storage.Store, *gate) {
	g := &gate{let: make(chan struct{}, 1)}
	s := open(t, filepath.Join(t.TempDir(), "club.db"), storage.Config{Hooks: storage.Hooks{BeforeCommit: g.wait}})
	g.let <- struct{}{}
	if err := s.Append(t.Context(), benchID(0), []storage.Event{benchOpening(0)}); err != nil {
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

func seqs(t *testing.T, s *storage.Store, id storage.MatchID) int {
	t.Helper()
	log, err := s.Log(t.Context(), id)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		t.Fatal(err)
	}
	return len(log)
}

func TestNobodySeesWhatIsNotOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		answer := later(func() error { return s.Append(t.Context(), benchID(0), []storage.Event{benchMove(2)}) })
		synctest.Wait()
		if answer.Load() != nil || g.commits.Load() != 2 {
			t.Fatalf("Append returned before its commit")
		}
		if n := seqs(t, s, benchID(0)); n != 1 {
			t.Errorf("a reader sees %d events, want 1", n)
		}
		close(g.let)
		synctest.Wait()
		if err := answer.Load(); err == nil || *err != nil {
			t.Fatalf("Append = %v after its commit, want nil", err)
		}
		if n := seqs(t, s, benchID(0)); n != 2 {
			t.Errorf("a reader sees %d events, want 2", n)
		}
	})
}

func TestOneCommitForAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		first := later(func() error { return s.Append(t.Context(), benchID(0), []storage.Event{benchMove(2)}) })
		synctest.Wait() // it is being committed; the others queue up
		var answers []*atomic.Pointer[error]
		for m := range 100 {
			answers = append(answers, later(func() error {
				return s.Append(t.Context(), benchID(m), []storage.Event{benchOpening(m)})
			}))
		}
		synctest.Wait()
		close(g.let)
		synctest.Wait()
		if err := *first.Load(); err != nil {
			t.Errorf("the first: %v", err)
		}
		for m, answer := range answers {
			want := error(nil)
			if m == 0 {
				want = storage.ErrStale // that match is there already: it alone is refused
			}
			if err := *answer.Load(); !errors.Is(err, want) {
				t.Errorf("match %d: %v, want %v", m, err, want)
			}
			if n := seqs(t, s, benchID(m)); n != max(1, 2-m) {
				t.Errorf("match %d has %d events", m, n)
			}
		}
		if n := g.commits.Load(); n != 3 {
			t.Errorf("%d commits, want 3: opening, the first move, all others", n)
		}
	})
}

func TestFailedCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		before := later(func() error { return s.Append(t.Context(), benchID(0), []storage.Event{benchMove(2)}) })
		synctest.Wait()
		var answers []*atomic.Pointer[error]
		for m := range 20 {
			answers = append(answers, later(func() error {
				return s.Append(t.Context(), benchID(m+1), []storage.Event{benchOpening(m + 1), benchMove(2)})
			}))
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
		for m, answer := range answers {
			if err := *answer.Load(); !errors.Is(err, storage.ErrCommit) || !errors.Is(err, full) {
				t.Errorf("match %d: %v, want ErrCommit with its cause", m+1, err)
			}
			if n := seqs(t, s, benchID(m+1)); n != 0 {
				t.Errorf("match %d has %d events, want none", m+1, n)
			}
			if _, err := s.ByCode(t.Context(), benchOpening(m+1).Opening.Code, benchTime); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("the code of match %d is there: %v", m+1, err)
			}
		}
		g.err = nil
		close(g.let)
		if err := s.Append(t.Context(), benchID(1), []storage.Event{benchOpening(1)}); err != nil {
			t.Errorf("after there is room again: %v", err)
		}
	})
}

// A commit may fail although the change is there. Then it is shown only when a later commit has made sure of it.
func TestCommitOfUnknownOutcome(t *testing.T) {
	var commits int
	var fail error
	s := open(t, filepath.Join(t.TempDir(), "club.db"), storage.Config{Hooks: storage.Hooks{
		AfterCommit: func() error { commits++; return fail },
	}})
	defer s.Close()
	fail = errors.New("input/output error")
	if err := s.Append(t.Context(), benchID(0), []storage.Event{benchOpening(0)}); !errors.Is(err, storage.ErrCommit) {
		t.Fatalf("Append = %v, want ErrCommit", err)
	}
	if log, err := s.Log(t.Context(), benchID(0)); !errors.Is(err, storage.ErrCommit) || commits != 2 {
		t.Errorf("Log = %v, %v after %d commits; want ErrCommit after another try", log, err, commits)
	}
	fail = nil
	for range 3 {
		if n := seqs(t, s, benchID(0)); n != 1 || commits != 3 {
			t.Errorf("%d events after %d commits; want 1 after one commit more, and no more", n, commits)
		}
	}
}

func TestWithdrawal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		taken := later(func() error { return s.Append(ctx, benchID(0), []storage.Event{benchMove(2)}) })
		synctest.Wait()
		waiting := later(func() error { return s.Append(ctx, benchID(1), []storage.Event{benchOpening(1)}) })
		synctest.Wait()
		cancel()
		synctest.Wait()
		if taken.Load() != nil {
			t.Error("a change on its way to the disk was given up")
		}
		if err := waiting.Load(); err == nil || !errors.Is(*err, context.Canceled) {
			t.Error("a change in the queue was not withdrawn")
		}
		close(g.let)
		synctest.Wait()
		if err := *taken.Load(); err != nil {
			t.Errorf("the outcome is %v, want nil", err)
		}
		if a, b := seqs(t, s, benchID(0)), seqs(t, s, benchID(1)); a != 2 || b != 0 {
			t.Errorf("%d and %d events, want 2 and none", a, b)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		var answers []*atomic.Pointer[error]
		for m := range 10 {
			answers = append(answers, later(func() error {
				return s.Append(t.Context(), benchID(m+1), []storage.Event{benchOpening(m + 1)})
			}))
		}
		synctest.Wait()
		closed := later(s.Close)
		synctest.Wait()
		if closed.Load() != nil {
			t.Error("Close did not wait for the queue")
		}
		close(g.let)
		synctest.Wait()
		for m, answer := range answers {
			if err := *answer.Load(); err != nil {
				t.Errorf("match %d was queued before Close: %v", m+1, err)
			}
		}
		if err := *closed.Load(); err != nil {
			t.Errorf("Close: %v", err)
		}
		for what, call := range map[string]func() error{
			"Append": func() error { return s.Append(t.Context(), benchID(0), []storage.Event{benchMove(2)}) },
			"Log":    func() error { _, err := s.Log(t.Context(), benchID(0)); return err },
			"Backup": func() error { _, err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "b")); return err },
		} {
			if err := call(); !errors.Is(err, storage.ErrClosed) {
				t.Errorf("%s on a closed store: %v, want ErrClosed", what, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
	})
}

// More changes than the queue and a batch hold.
func TestCrowd(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "club.db"), storage.Config{})
	defer s.Close()
	errs := make(chan error)
	const crowd = 2000
	for m := range crowd {
		go func() {
			err := s.Append(t.Context(), benchID(m), []storage.Event{benchOpening(m), benchMove(2)})
			if err != nil {
				err = fmt.Errorf("match %d: %w", m, err)
			}
			errs <- err
		}()
	}
	for range crowd {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if ids, err := s.Unfinished(t.Context()); len(ids) != crowd || err != nil {
		t.Errorf("%d matches, %v, want %d", len(ids), err, crowd)
	}
}

// Logs that are removed in a transaction leave empty pages behind until its end, on which a cursor of bbolt may get
// stuck. Nobody else in the transaction may notice.
func TestFinishesAndMovesInOneCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		const matches, moves = 60, 40
		for m := 1; m < matches; m++ {
			events := []storage.Event{benchOpening(m)}
			for seq := uint64(2); seq <= moves; seq++ {
				events = append(events, benchMove(seq))
			}
			g.let <- struct{}{}
			if err := s.Append(t.Context(), benchID(m), events); err != nil {
				t.Fatal(err)
			}
		}
		later(func() error { return s.Append(t.Context(), benchID(0), []storage.Event{benchMove(2)}) })
		synctest.Wait() // the committer is busy
		answers := map[int]*atomic.Pointer[error]{}
		for m := 1; m < matches; m++ {
			if m%4 == 0 {
				continue
			}
			answers[m] = later(func() error {
				_, err := s.Finish(t.Context(), benchID(m), []storage.Event{benchEnd(moves + 1)}, benchRecord(m))
				return err
			})
		}
		synctest.Wait()
		for m := 4; m < matches; m += 4 {
			answers[m] = later(func() error { return s.Append(t.Context(), benchID(m), []storage.Event{benchMove(moves + 1)}) })
		}
		synctest.Wait()
		close(g.let)
		synctest.Wait()
		for m, answer := range answers {
			if err := *answer.Load(); err != nil {
				t.Errorf("match %d: %v", m, err)
			}
		}
	})
}
