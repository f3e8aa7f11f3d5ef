package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A recorder is a Disk that notes the order of calls, and may fail one or have no links.
type recorder struct {
	System
	calls   []string
	fails   string
	noLinks bool
}

var errFails = errors.New("on purpose")

func (r *recorder) call(name string) error {
	r.calls = append(r.calls, name)
	if r.fails == name {
		return errFails
	}
	return nil
}

func (r *recorder) Link(from, to string) error {
	if r.noLinks {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM}
	}
	if err := r.call("link"); err != nil {
		return err
	}
	return r.System.Link(from, to)
}

func (r *recorder) Rename(from, to string) error {
	if err := r.call("rename"); err != nil || r.fails == "link" {
		return errors.Join(err, errFails)
	}
	return r.System.Rename(from, to)
}

func (r *recorder) Sync(f *os.File) error {
	content, err := os.ReadFile(f.Name())
	return errors.Join(err, r.call("sync "+string(content)), r.System.Sync(f))
}

func (r *recorder) SyncFolder(dir string) error {
	return errors.Join(r.call("sync folder"), r.System.SyncFolder(dir))
}

func fill(content string) func(*os.File) error {
	return func(f *os.File) error { _, err := f.WriteString(content); return err }
}

// TestOrder: the content of a file is on disk before its name, and the name before Create returns.
func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		noLinks bool
		want    string
	}{{false, "sync new, link, sync folder"}, {true, "sync new, rename, sync folder"}} {
		path := filepath.Join(t.TempDir(), "file")
		disk := &recorder{noLinks: tt.noLinks}
		if err := Create(disk, path, fill("new")); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(disk.calls, ", "); got != tt.want {
			t.Errorf("calls %q, want %q", got, tt.want)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
		}
		// A second one finds the name taken, also if it comes to be taken in between.
		for _, disk := range []*recorder{{noLinks: tt.noLinks}, {}} {
			if err := Create(disk, path, fill("newer")); !errors.Is(err, fs.ErrExist) {
				t.Errorf("Create of a file that is there = %v", err)
			}
			other := filepath.Join(t.TempDir(), "file")
			err := Create(disk, other, func(f *os.File) error { return os.WriteFile(other, []byte("precious"), 0o600) })
			if b, _ := os.ReadFile(other); !errors.Is(err, fs.ErrExist) || string(b) != "precious" {
				t.Errorf("Create = %v, and the file that was there has %q", err, b)
			}
		}
		if b, err := os.ReadFile(path); string(b) != "new" || err != nil {
			t.Errorf("the file has %q, %v", b, err)
		}
	}
}

// TestFailures: every failure is returned, without a path, and leaves no unfinished file behind.
func TestFailures(t *testing.T) {
	for _, fails := range []string{"sync new", "link", "sync folder", "write"} {
		dir := t.TempDir()
		disk := &recorder{fails: fails}
		err := Create(disk, filepath.Join(dir, "file"), func(f *os.File) error {
			return errors.Join(fill("new")(f), disk.call("write"))
		})
		if !errors.Is(err, errFails) {
			t.Errorf("%s fails: Create = %v", fails, err)
		}
		var left []string
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if err != nil || slices.ContainsFunc(left, func(name string) bool { return name != "file" }) || fails != "sync folder" && len(left) > 0 {
			t.Errorf("%s fails: left behind are %v, %v", fails, left, err)
		}
	}
	for path, want := range map[string]error{
		filepath.Join(t.TempDir(), "nowhere", "file"): fs.ErrNotExist,
		t.TempDir():   fs.ErrExist,
		"bad\x00name": syscall.EINVAL,
	} {
		err := Create(System{}, path, fill("new"))
		if !errors.Is(err, want) || strings.Contains(err.Error(), string(filepath.Separator)) {
			t.Errorf("Create(%q) = %v, want %v without a path", path, err, want)
		}
	}
}

// A file that is replaced is the old one, whole, until the new one is on disk.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Replace(System{}, path, fill("new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Replace of nothing = %v", err)
	}
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, fails := range []string{"write", "sync new", "rename"} {
		disk := &recorder{fails: fails}
		err := Replace(disk, path, func(f *os.File) error { return errors.Join(fill("new")(f), disk.call("write")) })
		if b, _ := os.ReadFile(path); !errors.Is(err, errFails) || string(b) != "old" {
			t.Errorf("%s fails: Replace = %v and the file has %q", fails, err, b)
		}
	}
	disk := new(recorder)
	if err := Replace(disk, path, fill("new")); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(disk.calls, ", "), "sync new, rename, sync folder"; got != want {
		t.Errorf("calls %q, want %q", got, want)
	}
	info, err := os.Stat(path)
	if b, _ := os.ReadFile(path); err != nil || string(b) != "new" || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %q and mode %v, %v", b, info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind are %v, %v", entries, err)
	}
}

// A file that is written is the old one, or none, until the new one is on disk.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	disk := &recorder{fails: "sync new"}
	if err := Write(disk, path, 0o644, fill("new")); !errors.Is(err, errFails) {
		t.Errorf("sync fails: Write = %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left behind are %v, %v", entries, err)
	}
	for _, content := range []string{"first", "second"} {
		disk := new(recorder)
		if err := Write(disk, path, 0o644, fill(content)); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(disk.calls, ", "), "sync "+content+", rename, sync folder"; got != want {
			t.Errorf("calls %q, want %q", got, want)
		}
		info, err := os.Stat(path)
		if b, _ := os.ReadFile(path); err != nil || string(b) != content || info.Mode().Perm() != 0o644 {
			t.Errorf("the file has %q and mode %v, %v", b, info.Mode(), err)
		}
	}
}

func TestRemoveUnfinished(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"file", "file.part-1", "file.part-22", "file.partner", "file.part-two", "other.part-1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "file.part-folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := RemoveUnfinished(filepath.Join(dir, "file")); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"file", "file.part-folder", "file.part-two", "file.partner", "other.part-1"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("there are %v, %v; want %v", left, err, want)
	}
}
