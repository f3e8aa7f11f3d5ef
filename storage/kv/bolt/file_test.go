package bolt

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"folder":        "it is a folder, not a file",
		"nowhere/club":  "no such file or directory",
		"file/club":     "not a directory",
		"bad\x00name":   "invalid argument",
		"unread/club":   "permission denied",
		"unread-folder": "permission denied",
	} {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			if want == "permission denied" {
				if os.Geteuid() == 0 {
					t.Skip("root may read everything")
				}
				if err := errors.Join(os.WriteFile(filepath.Join(dir, "unread-folder"), []byte("x"), 0), os.MkdirAll(filepath.Join(dir, "unread"), 0)); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, name)
			s, err := Open(path, Options{})
			if err == nil {
				s.Close()
			}
			if err == nil || err.Error() != "storage: open "+path+": "+want {
				t.Errorf("Open = %v, want %q", err, want)
			}
		})
	}
	if s, err := Open(filepath.Join(dir, "nowhere", "club"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open in no folder = %v, %v, want fs.ErrNotExist", s, err)
	}
}

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	s := openAt(t, path, Options{})
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := Open(path, Options{LockTimeout: time.Millisecond}); !errors.Is(err, ErrLocked) || err.Error() != "storage: open "+path+": another club is running on this store" {
		t.Errorf("a second Open = %v, %v", other, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Error("the second Open changed the file")
	}
	if err := create(t.Context(), s, 0); err != nil {
		t.Errorf("the running club is disturbed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path, Options{})
	defer s.Close()
	if n := present(t, s, 1); n != 1 {
		t.Errorf("%d keys, want 1", n)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
	}
}

func TestBackupRefuses(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "club.db"), Options{})
	defer s.Close()
	taken := filepath.Join(dir, "taken")
	if err := os.WriteFile(taken, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		path string
		want error
	}{
		{"a file that is there", t.Context(), taken, fs.ErrExist},
		{"the store itself", t.Context(), filepath.Join(dir, "club.db"), fs.ErrExist},
		{"no such folder", t.Context(), filepath.Join(dir, "nowhere", "b.db"), fs.ErrNotExist},
		{"no time", over, filepath.Join(dir, "b.db"), context.Canceled},
	} {
		n, err := s.Backup(tt.ctx, tt.path)
		if !errors.Is(err, tt.want) || n != 0 || strings.Count(err.Error(), tt.path) != 1 || strings.Contains(err.Error(), "part-") {
			t.Errorf("%s: %d, %v, want %v", tt.name, n, err, tt.want)
		}
	}
	if b, err := os.ReadFile(taken); string(b) != "precious" || err != nil {
		t.Errorf("the file that was there is %q, %v", b, err)
	}
	if files, err := os.ReadDir(dir); len(files) != 2 || err != nil {
		t.Errorf("files %v, %v; want the store and the one that was there", files, err)
	}
}
