package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"ludoteca/storage/kv"
)

// sparse makes a closed store of which most was deleted, and returns what is in it.
func sparse(t *testing.T, path string) map[string]string {
	t.Helper()
	s := openAt(t, path, Options{})
	for n := range 40 {
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			for i := range 50 {
				tx.Put(fmt.Appendf(nil, "s\x00%d-%d", n, i), bytes.Repeat([]byte{byte(n)}, 400))
			}
			tx.Put(fmt.Appendf(nil, "large\x00%d", n), bytes.Repeat([]byte{byte(n)}, 20_000))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Update(t.Context(), func(tx kv.Tx) error {
		tx.(kv.SectionMaker).MakeSection("empty")
		for n := range 36 {
			tx.Delete(fmt.Appendf(nil, "large\x00%d", n))
			if err := tx.DeletePrefix(fmt.Appendf(nil, "s\x00%d-", n)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("s")).SetSequence(77) }), db.Close()); err != nil {
		t.Fatal(err)
	}
	all, err := contents(t, path)
	if err != nil || len(all) != 4*51 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	return all
}

func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	want := sparse(t, path)
	var last, total int64
	before, after, err := Compact(t.Context(), path, CompactOptions{Progress: func(copied, of int64) {
		if copied < last || of != total && total != 0 {
			t.Errorf("progress from %d of %d to %d of %d", last, total, copied, of)
		}
		last, total = copied, of
	}})
	if err != nil || after > before/4 || last <= 0 || total < last {
		t.Errorf("Compact = %d, %d, %v after progress to %d of %d; want a quarter", before, after, err, last, total)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != after || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	got, err := contents(t, path)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%d entries, %v; want the same %d", len(got), err, len(want))
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.View(func(tx *bbolt.Tx) error {
		if n := tx.Bucket([]byte("s")).Sequence(); n != 77 || tx.Bucket([]byte("empty")) == nil {
			t.Errorf("the sequence is %d, want 77; the empty section %v", n, tx.Bucket([]byte("empty")))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestCompactRefused: a compaction that can't be made returns an error of one line, and the file stays as it is.
func TestCompactRefused(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		free    int64
		spoil   bool
		running bool
		want    error
	}{
		{"no room", t.Context(), 20_000, false, false, ErrNoRoom},
		{"given up", ended, 1 << 40, false, false, context.Canceled},
		{"damaged", t.Context(), 1 << 40, true, false, kv.ErrDamaged},
		{"open elsewhere", t.Context(), 1 << 40, false, true, ErrLocked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "club.db")
			sparse(t, path)
			if tt.spoil {
				spoil(t, path, func(b []byte) { clear(b[3*os.Getpagesize():]) })
			}
			if tt.running {
				s := openAt(t, path, Options{})
				defer s.Close()
			}
			old, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = Compact(tt.ctx, path, CompactOptions{
				Options: Options{LockTimeout: time.Millisecond}, Free: func(string) (int64, error) { return tt.free, nil },
			})
			if !errors.Is(err, tt.want) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
				t.Errorf("Compact = %v, want one line that wraps %v and names the file", err, tt.want)
			}
			now, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(old, now) {
				t.Errorf("the file has changed, %v", err)
			}
			if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	if _, _, err := Compact(t.Context(), filepath.Join(t.TempDir(), "nothing"), CompactOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Compact of nothing = %v", err)
	}
}

// spoil changes the bytes of a file.
func spoil(t *testing.T, path string, change func(b []byte)) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change(b)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A process that is killed, or a machine that loses power, at any moment of a compaction leaves the old or the new file,
// whole; and the next start removes what lies about.
func TestCrashWhileCompacting(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "club.db")
	want := sparse(t, path)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	disk := &powerDisk{dir: dir}
	if disk.names, err = disk.present(); err != nil {
		t.Fatal(err)
	}
	disk.synced(disk.names["club.db"], string(old))
	moments, unfinished := 0, 0
	check := func(image map[string]string) {
		moments++
		restored := restore(t, image)
		if got, err := contents(t, restored); err != nil || !maps.Equal(got, want) {
			t.Errorf("moment %d: %d entries, %v; want %d", moments, len(got), err, len(want))
		}
		if len(image) > 1 {
			unfinished++
		}
		if left, _ := filepath.Glob(restored + ".*"); len(left) > 0 {
			t.Errorf("moment %d: the next start leaves %v", moments, left)
		}
	}
	disk.crash = func(image map[string]string) {
		check(image)
		killed := map[string]string{} // the system is still there, and with it what was not synced
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			content, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Error(err)
			}
			killed[e.Name()] = string(content)
		}
		check(killed)
	}
	before, after, err := compact(t.Context(), path, CompactOptions{}, disk)
	if err != nil || after >= before {
		t.Fatalf("compact = %d, %d, %v", before, after, err)
	}
	if moments < 12 || unfinished == 0 {
		t.Errorf("only %d moments were tried, %d of them with an unfinished file", moments, unfinished)
	}
	if now := disk.image(disk.names)["club.db"]; int64(len(now)) != after {
		t.Errorf("the durable file has %d bytes, want %d", len(now), after)
	}
}

// A store whose file has lost its name while it waited for the lock must not be opened: what it wrote would be lost.
func TestOpenAfterCompaction(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "club.db")
	if err := openAt(t, path, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, Options{})
	defer s.Close()
	if err := s.stillNamed(); err != nil {
		t.Errorf("with its name: %v", err)
	}
	other := filepath.Join(dir, "other.db")
	if err := openAt(t, other, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if err := s.stillNamed(); !errors.Is(err, ErrLocked) {
		t.Errorf("without its name: %v, want ErrLocked", err)
	}
}
