package storage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// busy plays rated matches in a store until the returned function is called, which waits for the last of them.
func busy(t *testing.T, s *fileStore) (stop func() (matches int)) {
	t.Helper()
	var seats []storage.Occupant
	for _, name := range []string{"ann", "bob", "cid"} {
		p, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name}, "SHA256:"+name)
		if err != nil {
			t.Fatal(err)
		}
		seats = append(seats, storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name})
	}
	quit, played := make(chan struct{}), 0
	var player sync.WaitGroup
	player.Go(func() {
		for ; ; played++ {
			select {
			case <-quit:
				return
			default:
			}
			first := benchOpening(played)
			if err := s.Matches.Append(t.Context(), benchID(played), []matches.Event{first, benchMove(2), benchMove(3)}, matches.Summary{}); err != nil {
				t.Error(err)
				return
			}
			f := benchRecord(played)
			f.First, f.Second, f.Rated, f.Ended = seats[played%3], seats[(played+1)%3], true, benchTime.Add(time.Duration(played))
			if _, err := s.Matches.Finish(t.Context(), benchID(played), []matches.Event{benchEnd(4)}, f, nil); err != nil {
				t.Error(err)
				return
			}
		}
	})
	return func() int { close(quit); player.Wait(); return played }
}

func TestBackupOfABusyStore(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "club.db"), bolt.Options{})
	defer s.Close()
	stop := busy(t, s)
	for i := range 10 {
		path := filepath.Join(dir, fmt.Sprintf("backup-%d.db", i))
		n, err := s.engine.Backup(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() != n || info.Mode().Perm() != 0o600 {
			t.Errorf("Backup = %d bytes; the file: %v, %v", n, info, err)
		}
		checkBackup(t, path)
	}
	stop()
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// checkBackup looks whether a copy is a store by itself, with every transaction whole.
func checkBackup(t *testing.T, path string) {
	t.Helper()
	b := open(t, path, bolt.Options{})
	defer b.Close()
	rows, err := b.Results.History(t.Context(), resultstore.HistoryQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	report, err := b.Results.Recompute(t.Context())
	if err != nil || len(report.Differed) > 0 || report.Matches > 0 || len(rows) < min(report.Results, 1000) {
		t.Errorf("%d matches in the history; recomputed: %+v, %v", len(rows), report, err)
	}
	if err := b.Matches.Append(t.Context(), "another", []matches.Event{benchOpening(99_999)}, matches.Summary{}); err != nil {
		t.Errorf("the copy can't be written to: %v", err)
	}
}

func TestRecomputeWhileMatchesEnd(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	defer s.Close()
	stop := busy(t, s)
	for range 20 {
		report, err := s.Results.Recompute(t.Context())
		if err != nil || len(report.Differed) > 0 || report.Matches > 0 {
			t.Fatalf("%+v, %v", report, err)
		}
	}
	n := stop()
	if report, err := s.Results.Recompute(t.Context()); report.Results != n || err != nil {
		t.Errorf("%d results, %v, want %d", report.Results, err, n)
	}
}

func TestNoArithmetic(t *testing.T) {
	s, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "club.db"), schema.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Results.Recompute(t.Context()); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("Recompute = %v, want ErrInvalid", err)
	}
	var seats [2]storage.Occupant
	for i, name := range []string{"ann", "bob"} {
		p, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name}, "SHA256:"+name)
		if err != nil {
			t.Fatal(err)
		}
		seats[i] = storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name}
	}
	if err := s.Matches.Append(t.Context(), benchID(0), []matches.Event{benchOpening(0)}, matches.Summary{}); err != nil {
		t.Fatal(err)
	}
	f := benchRecord(0)
	f.First, f.Second, f.Rated = seats[0], seats[1], true
	if _, err := s.Matches.Finish(t.Context(), benchID(0), []matches.Event{benchEnd(2)}, f, nil); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("Finish of a rated match = %v, want ErrInvalid", err)
	}
	f.Rated = false
	if _, err := s.Matches.Finish(t.Context(), benchID(0), []matches.Event{benchEnd(2)}, f, nil); err != nil {
		t.Errorf("Finish of a casual match: %v", err)
	}
}
