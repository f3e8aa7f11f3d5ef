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

// What the content is must be on disk before the name is, and the name before Create returns.
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
			err := Create(disk, other, func(f *os.File) error { return os.WriteFile(other, []byte("dear"), 0o600) })
			if b, _ := os.ReadFile(other); !errors.Is(err, fs.ErrExist) || string(b) != "dear" {
				t.Errorf("Create = %v, and the file that was there has %q", err, b)
			}
		}
		if b, err := os.ReadFile(path); string(b) != "new" || err != nil {
			t.Errorf("the file has %q, %v", b, err)
		}
	}
}

// Whatever fails is told, without a path, and nothing half is left behind.
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
