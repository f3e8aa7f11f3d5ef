package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoOldFileOfANode: in the folder of a node on etcd a file that lies there is an old store, which no command takes for the club's. Once the
// club has been started on the file, it has moved back.
func TestNoOldFileOfANode(t *testing.T) {
	data := t.TempDir()
	startClub(t, data).stop(t)
	if err := os.WriteFile(filepath.Join(data, "node.lock"), nil, 0o600); err != nil { // as a node on etcd leaves it
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	for _, args := range [][]string{{"backup", copied}, {"recompute"}} {
		h := &here{args: append(args, "--data", data)}
		if code := h.run(t); code != statusRefused || !strings.Contains(h.errs.String(), "the folder of a node on etcd") {
			t.Errorf("%s: %d, %q", args[0], code, h.errs.String())
		}
	}
	if _, err := os.Stat(filepath.Join(data, "last-backup")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a backup is known: %v", err)
	}
	startClub(t, data).stop(t)
	h := &here{args: []string{"backup", copied, "--data", data}}
	if code := h.run(t); code != statusDone {
		t.Errorf("backup after the club has moved back: %d, %q", code, h.errs.String())
	}
}
