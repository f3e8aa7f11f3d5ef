package bolt

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

	"ludoteca/storage/kv"
)

// fullStore is the environment variable that makes TestFullDisk run out of disk on the store that it names.
const fullStore = "LUDOTECA_TEST_FULL"

// fullDisk writes until the system lets the file grow no more, checks that nothing is lost and the store is still of
// use, and goes on when there is room again. A limit on the size of files is the full disk that needs no rights.
func fullDisk(path string) error {
	ctx := context.Background()
	signal.Ignore(syscall.SIGXFSZ) // the write fails with EFBIG instead
	s, err := Open(path, Options{})
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
	if err := putGroup(ctx, s, 0); !errors.Is(err, kv.ErrCommit) {
		return fmt.Errorf("a file that can't grow: %v, want ErrCommit", err)
	}
	if err := limit(1 << 40); err != nil {
		return err
	}
	if err := putGroup(ctx, s, 0); err != nil {
		return err
	}
	// The file has grown by now, but most of it is holes that the disk has no room to fill.
	if err := limit(256 << 10); err != nil {
		return err
	}
	written := 1
	for ; err == nil && written < 1000; written++ {
		err = putGroup(ctx, s, written)
	}
	written--
	if !errors.Is(err, kv.ErrCommit) || written < 3 {
		return fmt.Errorf("after %d groups: %v, want ErrCommit", written, err)
	}
	for range 3 { // again and again
		if err := putGroup(ctx, s, written); !errors.Is(err, kv.ErrCommit) {
			return fmt.Errorf("on the full disk: %v, want ErrCommit", err)
		}
		for m := range written {
			if n, err := countGroup(ctx, s, m); err != nil || n != groupSize {
				return fmt.Errorf("group %d has %d keys, %v", m, n, err)
			}
		}
		if n, err := countGroup(ctx, s, written); err != nil || n != 0 {
			return fmt.Errorf("half a group is there: %d keys, %v", n, err)
		}
	}
	if err := limit(1 << 40); err != nil {
		return err
	}
	for m := written; m < written+10; m++ {
		if err := putGroup(ctx, s, m); err != nil {
			return fmt.Errorf("with room again: %w", err)
		}
	}
	return nil
}

// groupSize is how many keys a group has.
const groupSize = 99

// putGroup writes a group of keys in one transaction.
func putGroup(ctx context.Context, s *Store, n int) error {
	return s.Update(ctx, func(tx kv.Tx) error {
		for i := range groupSize {
			tx.Put(fmt.Appendf(nil, "s\x00%07d-%02d", n*7919%10_000_000, i), make([]byte, 60))
		}
		return nil
	})
}

// countGroup returns how many keys of a group are there.
func countGroup(ctx context.Context, s *Store, n int) (keys int, err error) {
	return keys, s.View(ctx, func(r kv.Reader) error {
		for _, err := range r.Scan(kv.Prefix(fmt.Appendf(nil, "s\x00%07d-", n*7919%10_000_000))) {
			if err != nil {
				return err
			}
			keys++
		}
		return nil
	})
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
	s := openAt(t, path, Options{})
	defer s.Close()
	whole := 0
	for n := range 1000 {
		keys, err := countGroup(t.Context(), s, n)
		if err != nil || keys != 0 && keys != groupSize {
			t.Errorf("group %d has %d keys, %v", n, keys, err)
		}
		whole += keys / groupSize
	}
	if whole < 13 {
		t.Errorf("%d groups, want 13 or more", whole)
	}
}
