package storage_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"ludoteca/storage"
	"ludoteca/storage/kv/bolt"
	matchstore "ludoteca/storage/matches"
)

// Matches that end, with logs of several pages, and moves in others share a commit. No transaction may notice another.
func TestFinishesAndMovesInOneCommit(t *testing.T) {
	synctest.Test(t, finishesAndMovesInOneCommit)
}

func finishesAndMovesInOneCommit(t *testing.T) {
	var gate chan struct{} // while it is set, commits wait until it is closed
	s := open(t, filepath.Join(t.TempDir(), "club.db"), bolt.Options{Hooks: bolt.Hooks{BeforeCommit: func() error {
		if gate != nil {
			<-gate
		}
		return nil
	}}})
	defer s.Close()
	const matches, moves = 60, 40
	for m := range matches {
		events := []matchstore.Event{benchOpening(m)}
		for seq := uint64(2); seq <= moves; seq++ {
			events = append(events, benchMove(seq))
		}
		if err := s.Matches.Append(t.Context(), benchID(m), events, matchstore.Summary{}); err != nil {
			t.Fatal(err)
		}
	}
	gate = make(chan struct{})
	var all sync.WaitGroup
	call := func(do func(context.Context) error) {
		all.Go(func() {
			if err := do(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	move := func(m int) {
		call(func(ctx context.Context) error {
			return s.Matches.Append(ctx, benchID(m), []matchstore.Event{benchMove(moves + 1)}, matchstore.Summary{})
		})
	}
	move(0)
	synctest.Wait() // the committer is busy: what comes now shares the next commit
	for m := 1; m < matches; m++ {
		if m%4 == 0 {
			move(m)
			continue
		}
		call(func(ctx context.Context) error {
			_, err := s.Matches.Finish(ctx, benchID(m), []matchstore.Event{benchEnd(moves + 1)}, benchRecord(m), nil)
			return err
		})
	}
	synctest.Wait()
	if n := s.engine.Queued(); n != matches-1 {
		t.Errorf("%d transactions wait, want %d", n, matches-1)
	}
	close(gate)
	all.Wait()
	for m := range matches {
		log, err := s.Matches.Log(t.Context(), benchID(m), 1, 0)
		if ended := m%4 != 0; ended != errors.Is(err, storage.ErrNotFound) || !ended && len(log) != moves+1 {
			t.Errorf("match %d has %d events, %v", m, len(log), err)
		}
	}
}
