package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/faulttest"
	"ludoteca/storage/kv/postgres"
)

// TestLarge: a transaction of 128 MiB is whole, or not there at all, and a scan of it needs little memory. A key that the index can't take is
// refused, and takes no other transaction with it.
func TestLarge(t *testing.T) {
	t.Parallel()
	s := openAt(t, shared.options())
	defer s.Close()
	random := rand.NewChaCha8([32]byte{})
	const values, size = 128, 1 << 20
	written := make([][]byte, values)
	for i := range written {
		written[i] = make([]byte, size)
		_, _ = random.Read(written[i])
	}
	before := faulttest.Revision(t, s)
	if err := s.Update(t.Context(), func(tx kv.Tx) error {
		for i, v := range written {
			tx.Put(faulttest.Key(fmt.Sprintf("%03d", i)), v)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull2(s.Watch(t.Context(), nil, before))
	defer stop()
	for i := range values {
		c, err, _ := next()
		if err != nil || !bytes.Equal(c.Value, written[i]) || c.More != (i < values-1) {
			t.Fatalf("change %d is of %q, more %t, %v", i, c.Key, c.More, err)
		}
	}
	written = nil
	runtime.GC()
	var at, most runtime.MemStats
	runtime.ReadMemStats(&at)
	n := 0
	if err := s.View(t.Context(), func(r kv.Reader) error {
		n = 0
		for p, err := range r.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			if n += len(p.Value); n%(32*size) == 0 {
				runtime.GC()
				runtime.ReadMemStats(&most)
				if most.HeapAlloc > at.HeapAlloc+16*size {
					t.Errorf("a scan holds %d bytes", most.HeapAlloc-at.HeapAlloc)
				}
			}
		}
		return nil
	}); err != nil || n != values*size {
		t.Errorf("a scan finds %d bytes, %v", n, err)
	}
	long := make([]byte, kv.MaxKey-2)
	_, _ = random.Read(long)
	good := make(chan error)
	go func() {
		for i := range 50 {
			if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(faulttest.Key(fmt.Sprint("good", i)), nil); return nil }); err != nil {
				good <- err
				return
			}
		}
		good <- nil
	}()
	for range 5 {
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(faulttest.Key("beside"), nil)
			tx.Put(append(faulttest.Key(""), long...), nil)
			return nil
		}); !errors.Is(err, postgres.ErrTooLarge) || !errors.Is(err, kv.ErrInvalid) {
			t.Errorf("a key of %d random bytes: %v, want ErrTooLarge", len(long)+2, err)
		}
	}
	if err := <-good; err != nil {
		t.Error(err)
	}
	if v := faulttest.Read(t, s, faulttest.Key("beside")); v != nil {
		t.Error("a transaction that was refused has left a trace")
	}
}

// TestOldSnapshots compares what a view finds while others change, remove and add keys around it, in both ways that pages are read, and until
// the log is dropped below it.
func TestOldSnapshots(t *testing.T) {
	t.Parallel()
	o := shared.options()
	o.HistoryBytes = 1 << 20
	s := openAt(t, o)
	defer s.Close()
	const n = 300
	name := func(i int) []byte { return faulttest.Key(fmt.Sprintf("%04d", i)) }
	if err := s.Update(t.Context(), func(tx kv.Tx) error {
		for i := range n {
			tx.Put(name(2*i), fmt.Append(nil, i))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	list := func(r kv.Reader, g kv.Range) (all []string, err error) {
		for p, err := range r.Scan(g) {
			if err != nil {
				return nil, err
			}
			all = append(all, fmt.Sprintf("%s=%s", p.Key, p.Value))
		}
		return all, nil
	}
	ranges := []kv.Range{{}, {Reverse: true}, {From: name(100), To: name(301)}, {From: name(101), To: name(300), Reverse: true}, {Expect: 7}, {Reverse: true, Expect: n}}
	if err := s.View(t.Context(), func(r kv.Reader) error {
		var want [][]string
		for _, g := range ranges {
			found, err := list(r, g)
			if err != nil {
				return err
			}
			want = append(want, found)
		}
		for round := range 25 {
			for range 100 { // after 20 rounds the snapshot is no longer recent
				if err := s.Update(t.Context(), func(tx kv.Tx) error {
					switch i := random.IntN(2 * n); random.IntN(3) {
					case 0:
						tx.Delete(name(i))
					default:
						tx.Put(name(i), []byte("new"))
					}
					return nil
				}); err != nil {
					return err
				}
			}
			for i, g := range ranges {
				if found, err := list(r, g); err != nil || strings.Join(found, " ") != strings.Join(want[i], " ") {
					return fmt.Errorf("round %d: range %d has %d entries, want %d as before; %w", round, i, len(found), len(want[i]), err)
				}
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	started := faulttest.Revision(t, s)
	err := s.View(t.Context(), func(r kv.Reader) error {
		large := make([]byte, 256<<10)
		for i := range 200 {
			if err := s.Update(t.Context(), func(tx kv.Tx) error { large[0] = byte(i); tx.Put(faulttest.Key("large"), large); return nil }); err != nil {
				return err
			}
			if _, err := r.Get(name(0)); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, kv.ErrCompacted) {
		t.Errorf("a view that lasts longer than the log reaches back ends with %v", err)
	}
	for _, err = range s.Watch(t.Context(), nil, started) {
		break
	}
	if !errors.Is(err, kv.ErrCompacted) {
		t.Errorf("a watch from before the log: %v", err)
	}
}

// TestDiskFull fills the file system that has the tables: writes are refused in words, reads go on, and so do writes when there is room again.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	server := another(t)
	small := filepath.Join(server.Folder(), "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=48m,mode=0777"); err != nil {
		t.Skip("only root may mount a small file system: ", err)
	}
	t.Cleanup(func() { _ = server.Kill(); _ = syscall.Unmount(small, syscall.MNT_DETACH) })
	space := filepath.Join(small, "tables")
	if err := os.Mkdir(space, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{small, space} {
		if err := server.Give(folder); err != nil {
			t.Fatal(err)
		}
	}
	server.exec(t, "postgres", "CREATE TABLESPACE small LOCATION '"+space+"'")
	server.exec(t, "postgres", "CREATE DATABASE small TABLESPACE small")
	o := server.options()
	o.Address = server.address("small")
	s := openAt(t, o)
	defer s.Close()
	random := rand.NewChaCha8([32]byte{})
	value := make([]byte, 1<<20)
	ballast := filepath.Join(small, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 16<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	n := 0
	for ; err == nil && n < 100; n++ {
		err = s.Update(t.Context(), func(tx kv.Tx) error {
			_, _ = random.Read(value)
			tx.Put(faulttest.Key(fmt.Sprint(n)), value)
			return nil
		})
	}
	if !errors.Is(err, postgres.ErrFull) || !s.Health().NoSpace {
		t.Fatalf("after %d MiB: %v, want ErrFull", n, err)
	}
	if v := faulttest.Read(t, s, faulttest.Key("0")); len(v) != len(value) {
		t.Errorf("a value has %d bytes while the disk is full", len(v))
	}
	if v := faulttest.Read(t, s, faulttest.Key(fmt.Sprint(n-1))); v != nil {
		t.Errorf("what was refused has left %d bytes", len(v))
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(faulttest.Key("again"), value); return nil }); err != nil || s.Health().NoSpace {
		t.Errorf("with room again: %v after %v, full %t", err, time.Since(began), s.Health().NoSpace)
	}
}
