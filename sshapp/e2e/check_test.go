package e2e

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludoteca/storage/schema"
)

// TestCheckOfRunning: while a club holds the store, it is asked. The club says in its log what it is.
func TestCheckOfRunning(t *testing.T) {
	data := t.TempDir()
	club := startClub(t, data, "--node", "one")
	h := &here{args: []string{"serve", "--check", "--data", data}}
	want := fmt.Sprintf("has schema %d, as this version; a start changes nothing\n", schema.Schema())
	if status := h.run(t); status != statusDone || !strings.HasSuffix(h.out.String(), want) {
		t.Errorf("status %d, %q\n%s\nwant %q at the end", status, h.errs.String(), h.out.String(), want)
	}
	club.stop(t)
	for _, want := range []string{" version=", " node=one", " store=bolt"} {
		if !strings.Contains(club.Stderr(), want) {
			t.Errorf("no %q in the log:\n%s", want, club.Stderr())
		}
	}
}

// TestCopyBeforeMigration: a store of an older version is copied aside once before it is migrated, and the copy is that store; not with
// --no-migration-copy.
func TestCopyBeforeMigration(t *testing.T) {
	copies := func(data string) []string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(data, storeName+".schema-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	data := keptStore(t)
	unfinished := filepath.Join(data, storeName+".schema-3-2026-01-01T00-00-00Z.part-12")
	if err := os.WriteFile(unfinished, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		club := startClub(t, data)
		club.stop(t)
		if found := copies(data); len(found) != 1 || !strings.Contains(found[0], storeName+".schema-3-") || found[0] == unfinished {
			t.Fatalf("the copies are %q\n%s", found, club.Stderr())
		}
	}
	back := t.TempDir()
	if err := os.Rename(copies(data)[0], filepath.Join(back, storeName)); err != nil {
		t.Fatal(err)
	}
	h := &here{args: []string{"serve", "--check", "--data", back}}
	if status := h.run(t); status != statusDone || !strings.Contains(h.out.String(), "has schema 3;") {
		t.Errorf("the copy: status %d, %q\n%s", status, h.errs.String(), h.out.String())
	}
	h = &here{args: []string{"recompute", "--data", back}} // another command that opens the store
	if status := h.run(t); status != statusDone || len(copies(back)) != 1 {
		t.Errorf("recompute: status %d, %q, the copies are %q", status, h.errs.String(), copies(back))
	}
	without := keptStore(t)
	startClub(t, without, "--no-migration-copy").stop(t)
	if found := copies(without); len(found) > 0 {
		t.Errorf("copies %q in spite of --no-migration-copy", found)
	}
}

// keptStore puts the store of an older version, schema 3, into a new data folder.
func keptStore(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	if err := os.Chmod(data, 0o700); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join("..", "..", "storage", "testdata", "club.db.gz"))
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
	if err := os.WriteFile(filepath.Join(data, storeName), file, 0o600); err != nil {
		t.Fatal(err)
	}
	return data
}
