package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"unsafe"

	"ludoteca/atomicfile"
	"ludoteca/storage/kv"
)

// What a power failure leaves is tried out in two ways. Where the package itself makes files and syncs, a powerDisk takes
// the place of the operating system and knows what has been synced. bbolt wants a real file; its writes are recorded
// through the variable that its own tests hook, and replayed with what was not synced lost.

// A powerDisk knows what of a folder survives a power failure at any moment.
type powerDisk struct {
	atomicfile.System
	dir     string
	durable []durableFile
	names   map[string]fs.FileInfo        // that are durable
	crash   func(image map[string]string) // called with each state that a failure may leave, before and after each call
}

// A durableFile is a file with its content as of its last sync.
type durableFile struct {
	info    fs.FileInfo
	content string
}

func (d *powerDisk) Link(from, to string) error {
	d.failures()
	defer d.failures()
	return d.System.Link(from, to)
}

func (d *powerDisk) Rename(from, to string) error {
	d.failures()
	defer d.failures()
	return d.System.Rename(from, to)
}

func (d *powerDisk) Sync(f *os.File) error {
	d.failures()
	defer d.failures()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	content, err := os.ReadFile(f.Name())
	if err != nil {
		return err
	}
	d.synced(info, string(content))
	return nil
}

func (d *powerDisk) synced(info fs.FileInfo, content string) {
	for i := range d.durable {
		if os.SameFile(d.durable[i].info, info) {
			d.durable[i].content = content
			return
		}
	}
	d.durable = append(d.durable, durableFile{info, content})
}

func (d *powerDisk) SyncFolder(dir string) error {
	d.failures()
	defer d.failures()
	if dir != d.dir {
		return fmt.Errorf("%s is synced, want %s", dir, d.dir)
	}
	var err error
	d.names, err = d.present()
	return err
}

// present returns the names that are in the folder now.
func (d *powerDisk) present() (map[string]fs.FileInfo, error) {
	entries, err := os.ReadDir(d.dir)
	names := map[string]fs.FileInfo{}
	for _, e := range entries {
		info, e2 := e.Info()
		names[e.Name()] = info
		err = errors.Join(err, e2)
	}
	return names, err
}

// image returns the folder with these names after a power failure: each file has the content of its last sync.
func (d *powerDisk) image(names map[string]fs.FileInfo) map[string]string {
	image := map[string]string{}
	for name, info := range names {
		image[name] = ""
		for _, f := range d.durable {
			if os.SameFile(f.info, info) {
				image[name] = f.content
			}
		}
	}
	return image
}

// failures reports the states that a failure may leave now: names may be durable before a call asks for it.
func (d *powerDisk) failures() {
	if d.crash == nil {
		return
	}
	d.crash(d.image(d.names))
	if names, err := d.present(); err == nil {
		d.crash(d.image(names))
	}
}

// restore makes a folder of an image and returns the path of the store in it.
func restore(t *testing.T, image map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range image {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "club.db")
}

// contents returns what is in the store in a file.
func contents(t *testing.T, path string) (map[string]string, error) {
	t.Helper()
	s, err := open(path, Options{}, failingDisk{}, 1<<20)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	all := map[string]string{}
	return all, s.View(t.Context(), func(r kv.Reader) error {
		for p, err := range r.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			all[string(p.Key)] = string(p.Value)
		}
		return nil
	})
}

func TestPowerFailureWhileAStoreIsMade(t *testing.T) {
	dir := t.TempDir()
	disk := &powerDisk{dir: dir, names: map[string]fs.FileInfo{}}
	moments := 0
	disk.crash = func(image map[string]string) {
		moments++
		if _, there := image["club.db"]; !there {
			return
		}
		if _, err := contents(t, restore(t, image)); err != nil {
			t.Errorf("after a failure at moment %d: %v", moments, err)
		}
	}
	s, err := open(filepath.Join(dir, "club.db"), Options{}, disk, leastMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	after := disk.image(disk.names)
	if _, there := after["club.db"]; !there || moments < 8 {
		t.Errorf("after Open and a failure the folder has %v; %d moments", maps.Keys(after), moments)
	}
}

// A process that is killed leaves commits in the system's memory that it had not synced. They are shown after the next
// Open, so a power failure must not take them back.
func TestPowerFailureAfterOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "club.db")
	s := openAt(t, path, Options{})
	if err := errors.Join(create(t.Context(), s, 0), s.Close()); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path, Options{})
	if err := errors.Join(create(t.Context(), s, 1), s.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	disk := &powerDisk{dir: dir, names: map[string]fs.FileInfo{}} // not even the name is durable
	disk.synced(info, string(old))
	if s, err = open(path, Options{}, disk, leastMapping()); err != nil {
		t.Fatal(err)
	}
	shown := present(t, s, 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := contents(t, restore(t, disk.image(disk.names)))
	if err != nil || shown != 2 || len(after) != 4 {
		t.Errorf("%d keys were shown; after a failure there are %d entries, %v; want 2 and 4", shown, len(after), err)
	}
}

func TestPowerFailureAfterBackup(t *testing.T) {
	dir := t.TempDir()
	disk := &powerDisk{dir: dir, names: map[string]fs.FileInfo{}}
	s, err := open(filepath.Join(dir, "source.db"), Options{}, disk, leastMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := create(t.Context(), s, 0); err != nil {
		t.Fatal(err)
	}
	disk.crash = func(image map[string]string) {
		if _, there := image["club.db"]; there {
			if all, err := contents(t, restore(t, image)); err != nil || len(all) != 2 {
				t.Errorf("after a failure the copy has %d entries, %v", len(all), err)
			}
		}
	}
	if _, err := s.Backup(t.Context(), filepath.Join(dir, "club.db")); err != nil {
		t.Fatal(err)
	}
	if _, there := disk.image(disk.names)["club.db"]; !there {
		t.Error("the name of the copy is not durable")
	}
}

func TestOpenWhenSyncFails(t *testing.T) {
	broken := errors.New("sync failed")
	for _, existing := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "club.db")
		if existing {
			if err := openAt(t, path, Options{}).Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, disk := range []failingDisk{{file: broken}, {folder: broken}} {
			s, err := open(path, Options{}, disk, leastMapping())
			if !errors.Is(err, broken) {
				t.Errorf("existing %t, %+v: %v", existing, disk, err)
			}
			if err == nil {
				s.Close()
			}
		}
		if s, err := Open(path, Options{}); err != nil { // the lock is free, the file whole or not there
			t.Error(err)
		} else {
			s.Close()
		}
	}
}

// A failingDisk syncs nothing, and says so if it has an error to return.
type failingDisk struct {
	atomicfile.System
	file, folder error
}

func (d failingDisk) Sync(*os.File) error     { return d.file }
func (d failingDisk) SyncFolder(string) error { return d.folder }

// private returns a pointer to a field of a bbolt database that it doesn't export. There is no other way between bbolt
// and its file.
func private[T any](s *Store, fields ...string) *T {
	v := reflect.ValueOf(s.db).Elem()
	for _, name := range fields {
		v = v.FieldByName(name)
	}
	return (*T)(unsafe.Pointer(v.UnsafeAddr()))
}

// hookWrites has hook called in place of each write of bbolt. The store must be idle.
func hookWrites(s *Store, hook func(b []byte, off int64) (int, error)) {
	*private[func([]byte, int64) (int, error)](s, "ops", "writeAt") = hook
}

// isMeta reports whether a write at an offset writes a meta page.
func isMeta(off int64) bool { return off < 2*int64(os.Getpagesize()) }

// A recordedWrite is a write of bbolt, and whether bbolt has synced all writes before it.
type recordedWrite struct {
	off    int64
	data   []byte
	synced bool // bbolt syncs right before and right after a meta page: see TestFailedSync
}

// TestPowerFailureInCommits replays every moment of a series of commits, with the writes since the last sync lost, kept,
// torn and mixed. What was acknowledged must be there, and no half of anything else.
func TestPowerFailureInCommits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	s, err := open(path, Options{}, atomicfile.System{}, 1<<20) // a small file
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		if err := create(t.Context(), s, n); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var writes []recordedWrite
	hookWrites(s, func(b []byte, off int64) (int, error) {
		after := len(writes) > 0 && isMeta(writes[len(writes)-1].off)
		writes = append(writes, recordedWrite{off, bytes.Clone(b), isMeta(off) || after})
		return s.file.WriteAt(b, off)
	})
	state := func() map[string]string {
		all := map[string]string{}
		if err := s.View(t.Context(), func(r kv.Reader) error {
			for p := range r.Scan(kv.Range{}) {
				all[string(p.Key)] = string(p.Value)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	states, acknowledged := []map[string]string{state()}, []int{0} // after each commit: what is there, and how many writes it took
	for n := range 8 {
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(key(n+10), make([]byte, 200*n))
			tx.Put([]byte("t\x00shared"), fmt.Appendf(nil, "%d", n))
			if n%3 == 2 {
				return tx.DeletePrefix(fmt.Appendf(nil, "s\x00k1%d", n-2))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		states, acknowledged = append(states, state()), append(acknowledged, len(writes))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(writes) < 3*8 {
		t.Fatalf("only %d writes were recorded: does bbolt still write through the hook?", len(writes))
	}
	random := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for n := range len(writes) + 1 {
		// The writes before safe are on disk, and done commits were acknowledged.
		safe, done := 0, 0
		for i := range n {
			if writes[i].synced {
				safe = i
			}
		}
		for done+1 < len(acknowledged) && acknowledged[done+1] < n {
			done++
		}
		for kind := range 6 {
			image := bytes.Clone(file)
			for i, w := range writes[:n] {
				data := w.data
				if i >= safe {
					switch {
					case kind == 1, kind == 2 && i == n-1, kind == 3 && i < n-1, kind == 4 && random.IntN(2) == 0:
						continue // lost
					case kind == 5 && i == n-1:
						data = data[:random.IntN(len(data))] // torn
					}
				}
				if end := int(w.off) + len(data); end > len(image) {
					image = append(image, make([]byte, end-len(image))...)
				}
				copy(image[w.off:], data)
			}
			tried++
			got, err := contents(t, restore(t, map[string]string{"club.db": string(image)}))
			if err != nil || !maps.Equal(got, states[done]) && (done+1 == len(states) || !maps.Equal(got, states[done+1])) {
				t.Fatalf("failure after write %d of %d, kind %d: %d entries, %v; want the entries of commit %d or the next", n, len(writes), kind, len(got), err, done)
			}
			if last := done + 1; kind == 0 && last < len(states) && acknowledged[last] == n && !maps.Equal(got, states[last]) {
				t.Errorf("commit %d is acknowledged and not there", last)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d states were tried", tried)
	}
}

// brokenFile returns a file that can't be synced.
func brokenFile(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return w
}

// TestFailedSync lets each of the two syncs of a commit fail. A failed sync of the pages leaves no trace; after a failed sync of the
// meta page the outcome is unknown until a later commit has been synced.
func TestFailedSync(t *testing.T) {
	for _, meta := range []bool{false, true} {
		t.Run(fmt.Sprintf("meta %t", meta), func(t *testing.T) {
			s := openAt(t, filepath.Join(t.TempDir(), "club.db"), Options{})
			defer s.Close()
			if err := create(t.Context(), s, 0); err != nil {
				t.Fatal(err)
			}
			whole, broken, metas := s.file, brokenFile(t), 0
			hookWrites(s, func(b []byte, off int64) (int, error) {
				if isMeta(off) {
					metas++
				}
				if isMeta(off) == meta {
					*private[*os.File](s, "file") = broken
				}
				return whole.WriteAt(b, off)
			})
			if err := create(t.Context(), s, 1); !errors.Is(err, kv.ErrCommit) {
				t.Errorf("Update = %v, want ErrCommit", err)
			}
			if meta {
				if err := s.View(t.Context(), func(kv.Reader) error { return nil }); !errors.Is(err, kv.ErrCommit) {
					t.Errorf("View = %v, want ErrCommit", err)
				}
			} else if n := present(t, s, 2); n != 1 || metas != 0 {
				t.Errorf("%d keys are there and %d meta pages were written, want 1 and none", n, metas)
			}
			hookWrites(s, whole.WriteAt)
			*private[*os.File](s, "file") = whole
			want := 1
			if meta {
				want = 2
			}
			if n := present(t, s, 2); n != want {
				t.Errorf("%d keys are there, want %d", n, want)
			}
			if err := create(t.Context(), s, 2); err != nil {
				t.Errorf("afterwards: %v", err)
			}
			if n := present(t, s, 3); n != want+1 {
				t.Errorf("%d keys are there, want %d", n, want+1)
			}
		})
	}
}

// TestShortWrites has the disk take only a part of a page. The commit fails, nothing is lost, and the store goes on.
func TestShortWrites(t *testing.T) {
	for _, tt := range []struct {
		name  string
		meta  bool
		bytes int
		want  int // keys that are there afterwards
	}{
		{"no byte of a page", false, 0, 1},
		{"half a page", false, 2048, 1},
		{"no byte of a meta page", true, 0, 1},
		{"a torn meta page", true, 40, 1},
		{"all that matters of a meta page", true, 2048, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "club.db")
			s := openAt(t, path, Options{})
			if err := create(t.Context(), s, 0); err != nil {
				t.Fatal(err)
			}
			hookWrites(s, func(b []byte, off int64) (int, error) {
				if isMeta(off) != tt.meta {
					return s.file.WriteAt(b, off)
				}
				n, _ := s.file.WriteAt(b[:tt.bytes], off)
				return n, syscall.ENOSPC
			})
			for range 3 {
				if err := create(t.Context(), s, 1); !errors.Is(err, kv.ErrCommit) || !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("Update = %v, want ErrCommit with its cause", err)
				}
			}
			hookWrites(s, s.file.WriteAt)
			if n := present(t, s, 2); n != tt.want {
				t.Errorf("%d keys are there, want %d", n, tt.want)
			}
			if err := create(t.Context(), s, 2); err != nil {
				t.Errorf("with room again: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = openAt(t, path, Options{})
			defer s.Close()
			if n := present(t, s, 3); n != tt.want+1 {
				t.Errorf("opened again, %d keys are there, want %d", n, tt.want+1)
			}
		})
	}
}

// mustHaveFailed checks that a store has ended for good, and that no acknowledged write is lost.
func mustHaveFailed(t *testing.T, s *Store, path string, keys int) {
	t.Helper()
	select {
	case <-s.Failed():
	default:
		t.Error("the store hasn't failed")
	}
	if err := s.Err(); !errors.Is(err, kv.ErrFailed) || strings.Contains(err.Error(), "\n") || errors.Is(err, kv.ErrDamaged) {
		t.Errorf("Err = %v, want one line", err)
	}
	if err := create(t.Context(), s, 90); !errors.Is(err, kv.ErrFailed) {
		t.Errorf("Update = %v, want ErrFailed", err)
	}
	if err := s.View(t.Context(), func(kv.Reader) error { return nil }); !errors.Is(err, kv.ErrFailed) {
		t.Errorf("View = %v, want ErrFailed", err)
	}
	for _, err := range s.Watch(t.Context(), nil, 1<<60) {
		if !errors.Is(err, kv.ErrFailed) {
			t.Errorf("Watch ends with %v, want ErrFailed", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	copied, err := os.ReadFile(path) // the file itself is locked until the process ends
	if err != nil {
		t.Fatal(err)
	}
	after := openAt(t, restore(t, map[string]string{"club.db": string(copied)}), Options{})
	defer after.Close()
	if n := present(t, after, 90); n < keys {
		t.Errorf("opened anew, the store has %d keys, want %d", n, keys)
	}
}

func TestDiskGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	s := openAt(t, path, Options{})
	if err := create(t.Context(), s, 0); err != nil {
		t.Fatal(err)
	}
	hookWrites(s, func([]byte, int64) (int, error) { return 0, syscall.EIO })
	if err := create(t.Context(), s, 1); !errors.Is(err, kv.ErrCommit) || !errors.Is(err, syscall.EIO) {
		t.Errorf("Update = %v, want ErrCommit with its cause", err)
	}
	mustHaveFailed(t, s, path, 1)
}

func TestPanicInCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	var now atomic.Bool
	s := openAt(t, path, Options{Hooks: Hooks{BeforeCommit: func() error {
		if now.Load() {
			panic("page 7 already freed")
		}
		return nil
	}}})
	if err := create(t.Context(), s, 0); err != nil {
		t.Fatal(err)
	}
	now.Store(true)
	if err := create(t.Context(), s, 1); !errors.Is(err, kv.ErrCommit) {
		t.Errorf("Update = %v, want ErrCommit", err)
	}
	mustHaveFailed(t, s, path, 1)
}

// leaves calls spoil for each leaf page of a file, to be changed in place.
func leaves(t *testing.T, path string, spoil func(page []byte)) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := os.Getpagesize()
	for at := 2 * size; at < len(all); at += size {
		if page := all[at : at+size]; binary.NativeEndian.Uint16(page[8:]) == 2 {
			spoil(page)
			if _, err := f.WriteAt(page, int64(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A page that goes bad under a running store makes bbolt panic in the midst of a commit.
func TestRealPanicInCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	s := openAt(t, path, Options{})
	if err := create(t.Context(), s, 0); err != nil {
		t.Fatal(err)
	}
	leaves(t, path, func(page []byte) { binary.NativeEndian.PutUint32(page[12:], 1<<12) }) // as if 4096 more pages belonged to it
	var err error
	for n := 1; n < 10 && s.Err() == nil; n++ {
		err = create(t.Context(), s, n)
	}
	if !errors.Is(err, kv.ErrCommit) || s.Err() == nil {
		t.Errorf("Update = %v, the store %v", err, s.Err())
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// A page that bbolt can't make sense of fails the transactions that need it, and no other in the same commit.
func TestBadPageFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := held(t)
		defer s.Close()
		// Sections large enough to have pages of their own.
		fill := func(section string) func() error {
			return func() error {
				return s.Update(t.Context(), func(tx kv.Tx) error {
					for n := range 100 {
						tx.Put(fmt.Appendf(nil, "%s\x00%s%d", section, section, n), make([]byte, 100))
					}
					return nil
				})
			}
		}
		g.let <- struct{}{}
		if err := fill("good")(); err != nil {
			t.Fatal(err)
		}
		g.let <- struct{}{}
		if err := fill("worse")(); err != nil {
			t.Fatal(err)
		}
		leaves(t, s.path, func(page []byte) {
			if bytes.Contains(page, []byte("worse9")) && !bytes.Contains(page, []byte("good\x00")) {
				binary.NativeEndian.PutUint16(page[8:], 0x7)
			}
		})
		first := later(func() error { return create(t.Context(), s, 1) })
		synctest.Wait() // being committed; the others share the next commit
		put := func(section string) *atomic.Pointer[error] {
			return later(func() error {
				return s.Update(t.Context(), func(tx kv.Tx) error { tx.Put([]byte(section+"\x00"+section+"99"), nil); return nil })
			})
		}
		answers := []*atomic.Pointer[error]{put("good"), put("worse"), put("good"), put("new")}
		synctest.Wait()
		close(g.let)
		synctest.Wait()
		if err := *first.Load(); err != nil {
			t.Error(err)
		}
		for i, answer := range answers {
			if err := *answer.Load(); errors.Is(err, kv.ErrDamaged) != (i == 1) || err != nil && i != 1 {
				t.Errorf("transaction %d: %v", i, err)
			}
		}
		if err := s.Err(); err != nil {
			t.Errorf("the store: %v", err)
		}
	})
}
