package storage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"ludoteca/storage"
)

// fullStore is the environment variable that makes TestFullDisk run out of disk on the store that it names.
const fullStore = "LUDOTECA_TEST_FULL"

// fullDisk writes until the system lets the file grow no more, looks that nothing is lost and the store is still of
// use, and goes on when there is room again. A limit on the size of files is the full disk that needs no rights.
func fullDisk(path string) error {
	ctx := context.Background()
	signal.Ignore(syscall.SIGXFSZ) // the write fails with EFBIG instead
	s, err := storage.Open(path, storage.Config{})
	if err != nil {
		return err
	}
	defer s.Close()
	limit := func(bytes uint64) error {
		var l syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			return err
		}
		l.Cur = min(bytes, l.Max)
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)
	}
	// Without room to grow.
	if err := limit(64 << 10); err != nil {
		return err
	}
	if err := s.Append(ctx, benchID(0), longLog(0)); !errors.Is(err, storage.ErrCommit) {
		return fmt.Errorf("a file that can't grow: %v, want ErrCommit", err)
	}
	if err := limit(1 << 40); err != nil {
		return err
	}
	if err := s.Append(ctx, benchID(0), longLog(0)); err != nil {
		return err
	}
	// The file has grown by now, but most of it is holes that the disk has no room to fill.
	if err := limit(256 << 10); err != nil {
		return err
	}
	written := 1
	for ; err == nil && written < 1000; written++ {
		err = s.Append(ctx, benchID(written), longLog(written))
	}
	written--
	if !errors.Is(err, storage.ErrCommit) || written < 3 {
		return fmt.Errorf("after %d matches: %v, want ErrCommit", written, err)
	}
	for range 3 { // again and again
		if err := s.Append(ctx, benchID(written), longLog(written)); !errors.Is(err, storage.ErrCommit) {
			return fmt.Errorf("on the full disk: %v, want ErrCommit", err)
		}
		for m := range written {
			if log, err := s.Log(ctx, benchID(m)); err != nil || len(log) != len(longLog(m)) {
				return fmt.Errorf("match %d has %d events, %v", m, len(log), err)
			}
		}
		if log, err := s.Log(ctx, benchID(written)); !errors.Is(err, storage.ErrNotFound) {
			return fmt.Errorf("half a match is there: %d events, %v", len(log), err)
		}
	}
	if err := limit(1 << 40); err != nil {
		return err
	}
	for m := written; m < written+10; m++ {
		if err := s.Append(ctx, benchID(m), longLog(m)); err != nil {
			return fmt.Errorf("with room again: %w", err)
		}
	}
	return nil
}

func longLog(m int) []storage.Event {
	events := []storage.Event{benchOpening(m)}
	for seq := uint64(2); seq < 100; seq++ {
		events = append(events, benchMove(seq))
	}
	return events
}

func TestFullDisk(t *testing.T) {
	if path := os.Getenv(fullStore); path != "" {
		if err := fullDisk(path); err != nil {
			t.Error(err)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "club.db")
	c := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
	c.Env = append(os.Environ(), fullStore+"="+path)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := open(t, path, storage.Config{})
	defer s.Close()
	ids, err := s.Unfinished(t.Context())
	if err != nil || len(ids) < 13 {
		t.Errorf("%d matches, %v", len(ids), err)
	}
	for _, id := range ids {
		if n := seqs(t, s, id); n != len(longLog(0)) {
			t.Errorf("match %s has %d events", id, n)
		}
	}
}
