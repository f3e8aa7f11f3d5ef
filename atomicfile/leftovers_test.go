package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRemoveFolders: only folders that killed processes of ours have left are removed, and nothing that others may have put there.
func TestRemoveFolders(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{
		".copy-12/store.db", ".copy-3/store.db.part-456", ".copy-4/", ".copy-5/store.db", // of which another process has the last
		".copy-6/store.db.gz", ".copy-7/store.db/", ".copy-8/store.db.part-old", ".copy-notes/store.db", ".copy-/store.db", "copy-9/store.db", "store.db",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "/") {
			if err := os.MkdirAll(filepath.Join(dir, file), 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inUse := func(file string) bool { return file == filepath.Join(dir, ".copy-5", "store.db") }
	if err := RemoveFolders(dir, ".copy-", "store.db", inUse); err != nil {
		t.Error(err)
	}
	var left []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); filepath.Dir(rel) == "." && rel != "." {
			left = append(left, rel)
		}
		return err
	})
	want := []string{".copy-", ".copy-5", ".copy-6", ".copy-7", ".copy-8", ".copy-notes", "copy-9", "store.db"}
	if !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
	if err := RemoveFolders(filepath.Join(dir, "nothing"), ".copy-", "store.db", nil); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}
