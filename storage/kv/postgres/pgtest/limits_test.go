package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
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

// rowsOfLog returns how many changes the log of a store holds.
func rowsOfLog(t *testing.T, o postgres.Options) int {
	t.Helper()
	n, err := strconv.Atoi(ask(t, shared, "SELECT count(*)::text FROM "+o.Schema+".changes")[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// writeLarge writes megabytes to the log of a store, and a key in each megabyte.
func writeLarge(s kv.Store, megabytes int) error {
	for i := range 4 * megabytes {
		if err := s.Update(context.Background(), func(tx kv.Tx) error {
			tx.Put(faulttest.Key("large"), bytes.Repeat([]byte{byte(i)}, 256<<10))
			if i%4 == 0 {
				tx.Put(faulttest.Key(fmt.Sprintf("%04d", i)), []byte("new"))
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// TestLongView: a ViewLong of one node reads its snapshot while another writes many times what is kept of the log otherwise. When it has ended, the
// log is dropped as before. It holds the log again after the connection that did so is lost. What it may hold is bounded.
func TestLongView(t *testing.T) {
	t.Parallel()
	o := shared.options()
	o.HistoryBytes = 1 << 20
	reader, writer := openAt(t, o), openAt(t, o)
	defer reader.Close()
	defer writer.Close()
	if err := writer.Update(t.Context(), func(tx kv.Tx) error {
		for i := range 5000 {
			tx.Put(faulttest.Key(fmt.Sprintf("%04d", i)), []byte("old"))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	holders := "SELECT pid::text FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND objid = '" + o.Schema + ".state'::regclass::oid"
	seen := 0
	if err := kv.ViewLong(t.Context(), reader, func(r kv.Reader) error {
		for p, err := range r.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			if string(p.Value) != "old" {
				return fmt.Errorf("%s holds %q", p.Key, p.Value)
			}
			if seen++; seen%1000 != 10 {
				continue
			}
			if err := writeLarge(writer, 5); err != nil {
				return err
			}
		}
		return nil
	}); err != nil || seen != 5000 {
		t.Fatalf("after %d keys: %v", seen, err)
	}
	if by := ask(t, shared, holders); len(by) > 0 {
		t.Errorf("the log is held by %q after the end", by)
	}
	held := rowsOfLog(t, o)
	if err := writeLarge(writer, 3); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); rowsOfLog(t, o) > held/2; {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d rows were held and %d are left", held, rowsOfLog(t, o))
		}
	}
	if err := kv.ViewLong(t.Context(), reader, func(kv.Reader) error {
		lost := ask(t, shared, holders)
		if len(lost) != 1 {
			return fmt.Errorf("the log is held by %q", lost)
		}
		shared.exec(t, "postgres", "SELECT pg_terminate_backend("+lost[0]+")")
		for began := time.Now(); ; {
			switch by := ask(t, shared, holders); {
			case len(by) == 1 && by[0] != lost[0]:
				return nil
			case time.Since(began) > time.Minute:
				return fmt.Errorf("the log is held by %q after %q has lost its connection", by, lost)
			}
		}
	}); err != nil {
		t.Error(err)
	}
	err := kv.ViewLong(t.Context(), reader, func(r kv.Reader) error {
		if _, err := r.Get(faulttest.Key("0000")); err != nil {
			return err
		}
		for range 100 {
			if err := writeLarge(writer, 1); err != nil {
				return err
			}
			if _, err := r.Get(faulttest.Key("0000")); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, kv.ErrCompacted) {
		t.Errorf("a view that needs a hundred times of what is kept ends with %v", err)
	}
}

// TestDropHistory: a store that has been filled drops its log at once, unless it is held, and goes on.
func TestDropHistory(t *testing.T) {
	t.Parallel()
	o := shared.options()
	s := openAt(t, o)
	defer s.Close()
	const n = 12_000
	if err := s.Update(t.Context(), func(tx kv.Tx) error {
		for i := range n {
			tx.Put(faulttest.Key(fmt.Sprintf("%05d", i)), []byte("value"))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(faulttest.Key("last"), nil); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := kv.ViewLong(t.Context(), s, func(kv.Reader) error { return s.DropHistory(t.Context()) }); err != nil || rowsOfLog(t, o) < n {
		t.Errorf("while it is held: %v, %d changes are left", err, rowsOfLog(t, o))
	}
	if err := s.DropHistory(t.Context()); err != nil || rowsOfLog(t, o) != 1 {
		t.Errorf("%v, %d changes are left", err, rowsOfLog(t, o))
	}
	if err := s.Update(t.Context(), func(tx kv.Tx) error {
		v, err := tx.Get(faulttest.Key("00007"))
		tx.Put(faulttest.Key("again"), v)
		return err
	}); err != nil || string(faulttest.Read(t, s, faulttest.Key("again"))) != "value" {
		t.Errorf("afterwards: %v", err)
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
