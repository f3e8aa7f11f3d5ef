package diskspace

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestFree(t *testing.T) {
	dir := t.TempDir()
	n, err := Free(dir)
	if errors.Is(err, ErrUnknown) {
		t.Skip(err)
	}
	if err != nil || n <= 0 {
		t.Errorf("Free = %d, %v; want room for the test's own files", n, err)
	}
	if n, err := Free(filepath.Join(dir, "nowhere")); n != 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Free of nothing = %d, %v; want fs.ErrNotExist", n, err)
	}
}
