package storage_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/storage"
)

// TestMeters: every call is told of once, with what became of it.
func TestMeters(t *testing.T) {
	var reads, writes, commits, changes, failures atomic.Int64
	broken := errors.New("no disk")
	var breaks atomic.Bool
	path := filepath.Join(t.TempDir(), "meters.db")
	s, err := storage.Open(path, storage.Config{
		Meters: storage.Meters{
			Read:  func(time.Duration) { reads.Add(1) },
			Write: func(time.Duration) { writes.Add(1) },
			Commit: func(n int, took time.Duration, err error) {
				commits.Add(1)
				changes.Add(int64(n))
				if err != nil {
					failures.Add(1)
				}
				if took < 0 {
					t.Errorf("a commit took %v", took)
				}
			},
		},
		Hooks: storage.Hooks{BeforeCommit: func() error {
			if breaks.Load() {
				return broken
			}
			return nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	ctx := context.Background()
	signUp := func(name string) error {
		_, err := s.SignUp(ctx, storage.Player{Name: name, NameKey: name, Since: time.Unix(1e9, 0)}, "SHA256:"+name)
		return err
	}
	check := func(what string, wantReads, wantWrites, wantCommits, wantFailures int64) {
		t.Helper()
		if reads.Load() != wantReads || writes.Load() != wantWrites || commits.Load() != wantCommits || failures.Load() != wantFailures {
			t.Errorf("after %s: %d reads, %d writes, %d commits, %d failures; want %d, %d, %d, %d", what,
				reads.Load(), writes.Load(), commits.Load(), failures.Load(), wantReads, wantWrites, wantCommits, wantFailures)
		}
	}
	check("opening", 0, 0, 0, 0)
	if err := signUp("ana"); err != nil {
		t.Fatal(err)
	}
	check("a change", 0, 1, 1, 0)
	if err := signUp("ana"); !errors.Is(err, storage.ErrKeyTaken) {
		t.Fatalf("the second ana: %v", err)
	}
	check("a refusal", 0, 2, 1, 0)
	if _, err := s.PlayerByName(ctx, "ana"); err != nil {
		t.Fatal(err)
	}
	check("a reading", 1, 2, 1, 0)
	breaks.Store(true)
	if err := signUp("rui"); !errors.Is(err, storage.ErrCommit) {
		t.Fatalf("SignUp on a broken disk: %v", err)
	}
	check("a failure", 1, 3, 2, 1)
	if changes.Load() != 2 {
		t.Errorf("%d changes in 2 commits of one each", changes.Load())
	}
}

// TestQueuedAndSize: the queue is what waits while a commit is under way; the size is that of the file.
func TestQueuedAndSize(t *testing.T) {
	began, goOn := make(chan struct{}, 8), make(chan struct{})
	path := filepath.Join(t.TempDir(), "queue.db")
	s, err := storage.Open(path, storage.Config{Hooks: storage.Hooks{BeforeCommit: func() error {
		began <- struct{}{}
		<-goOn
		return nil
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n, err := s.Size(); err != nil || n < 4096 {
		t.Errorf("Size = %d, %v, want a file", n, err)
	}
	if n := s.Queued(); n != 0 {
		t.Errorf("%d changes wait in a new store", n)
	}
	done := make(chan error, 3)
	signUp := func(name string) {
		_, err := s.SignUp(context.Background(), storage.Player{Name: name, NameKey: name, Since: time.Unix(1e9, 0)}, "SHA256:"+name)
		done <- err
	}
	go signUp("ana") // each answers done below
	<-began
	go signUp("rui")
	go signUp("eva")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for s.Queued() != 2 {
		select {
		case <-ctx.Done():
			t.Fatalf("%d changes wait, want 2", s.Queued())
		case <-time.After(time.Millisecond):
		}
	}
	close(goOn)
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := s.Queued(); n != 0 {
		t.Errorf("%d changes wait after all have been answered", n)
	}
}
