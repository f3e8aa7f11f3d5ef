package clubstore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludoteca/storage/kv"
)

// A dropped store no longer has the revision at which a copy of it began.
type dropped struct{ kv.Store }

func (dropped) View(context.Context, func(kv.Reader) error) error { return kv.ErrCompacted }

// TestCopyThatTakesTooLong: the error tells the operator what to do, and no file is left.
func TestCopyThatTakesTooLong(t *testing.T) {
	dir := t.TempDir()
	_, err := copyToFile(t.Context(), dropped{}, filepath.Join(dir, "copy.db"))
	if err == nil || !strings.Contains(err.Error(), "try again at a quieter time") {
		t.Errorf("it says %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v is left, %v", files, err)
	}
}
