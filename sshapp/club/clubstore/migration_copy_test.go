package clubstore

import (
	"compress/gzip"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludoteca/storage/kv/bolt"
)

// roomy is an engine with so much room.
type roomy struct {
	file
	free int64
}

func (r roomy) Free(string) (int64, error) { return r.free, nil }

// TestNoRoomForACopy: without room for a copy and as much again, the store is migrated with a warning.
func TestNoRoomForACopy(t *testing.T) {
	path := filepath.Join(keptStore(t), FileName)
	opened, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	size, err := opened.Size()
	if err != nil {
		t.Fatal(err)
	}
	for missing, want := range []string{"the store is copied before", "too little room"} {
		var log strings.Builder
		err := beforeMigration(t.Context(), opened, roomy{file{opened}, 2*size - int64(missing)}, path, path, false, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil || !strings.Contains(log.String(), want) {
			t.Errorf("%d bytes are missing: %v, %s", missing, err, log.String())
		}
	}
}

// keptStore puts the store of an older version, schema 3, into a new data folder.
func keptStore(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	if err := os.Chmod(data, 0o700); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join("..", "..", "..", "storage", "testdata", "club.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, FileName), file, 0o600); err != nil {
		t.Fatal(err)
	}
	return data
}
