package pages

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"ludoteca/storage/kv"
)

// openFile opens a bbolt file with two buckets, names and keys.
func openFile(t *testing.T) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "x.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("names"))
		_, err2 := tx.CreateBucket([]byte("keys"))
		return errors.Join(err, err2)
	}); err != nil {
		t.Fatal(err)
	}
	return db
}

// bigFile returns the bytes of a bbolt file with a tree of branches and free pages, and its meta.
func bigFile(t *testing.T) ([]byte, fileMeta) {
	t.Helper()
	db := openFile(t)
	for i := range 3 {
		if err := db.Update(func(tx *bbolt.Tx) error {
			for n := range 500 {
				if err := tx.Bucket([]byte("names")).Put(fmt.Appendf(nil, "name-%d-%d", n, i), make([]byte, 100)); err != nil {
					return err
				}
			}
			return tx.Bucket([]byte("keys")).Put([]byte("large"), make([]byte, 50_000))
		}); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if err := db.View(func(tx *bbolt.Tx) error { _, err := tx.WriteTo(&file); return err }); err != nil {
		t.Fatal(err)
	}
	m, err := newestMeta(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), m
}

// pageOf returns the page with the given number, to be changed in place.
func pageOf(file []byte, m fileMeta, id uint64) []byte {
	return file[int64(id)*m.pageSize : int64(id+1)*m.pageSize]
}

// firstOf returns the number of the first page in use, but the root, that is of a kind and has elements.
func firstOf(t *testing.T, file []byte, m fileMeta, flags uint16) uint64 {
	t.Helper()
	w := &walk{file: bytes.NewReader(file), meta: m, seen: make([]uint64, m.pages/64+1)}
	if err := w.tree(m.root, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	for id := uint64(2); id < m.pages; id++ {
		p := pageOf(file, m, id)
		if !w.mark(id) && id != m.root && native.Uint64(p) == id && native.Uint16(p[8:]) == flags && native.Uint16(p[10:]) > 2 {
			return id
		}
	}
	t.Fatalf("no page of kind %d", flags)
	return 0
}

func TestCheck(t *testing.T) {
	good, m := bigFile(t)
	if err := Check(bytes.NewReader(good), int64(len(good))); err != nil {
		t.Fatalf("a good file: %v", err)
	}
	branch, leaf := firstOf(t, good, m, branchFlag), firstOf(t, good, m, leafFlag)
	put16, put32, put64 := native.PutUint16, native.PutUint32, native.PutUint64
	for _, tt := range []struct {
		name  string
		page  uint64
		spoil func(p []byte)
		want  string
	}{
		{"a free page in use", m.freelist, func(p []byte) { put64(p[16:], m.root) }, "free and in use"},
		{"a page free twice", m.freelist, func(p []byte) { put64(p[16:], native.Uint64(p[24:])) }, "free and in use"},
		{"a free page outside", m.freelist, func(p []byte) { put64(p[16:], m.pages) }, "free and in use"},
		{"a meta page free", m.freelist, func(p []byte) { put64(p[16:], 1) }, "free and in use"},
		{"too many free pages", m.freelist, func(p []byte) { put16(p[10:], 60_000) }, "points outside itself"},
		{"far too many free pages", m.freelist, func(p []byte) { put16(p[10:], 0xFFFF); put64(p[16:], 1<<60) }, "points outside itself"},
		{"no freelist", m.freelist, func(p []byte) { put16(p[8:], leafFlag) }, "wrong kind"},
		{"a branch to itself", branch, func(p []byte) { put64(p[24:], branch) }, "used twice"},
		{"a branch to a page twice", branch, func(p []byte) { copy(p[24:32], p[40:48]) }, "out of order"},
		{"a branch to nowhere", branch, func(p []byte) { put64(p[24:], 1<<50) }, "not in the file"},
		{"a branch to a meta", branch, func(p []byte) { put64(p[24:], 0) }, "not in the file"},
		{"an empty branch", branch, func(p []byte) { put16(p[10:], 0) }, "out of order"},
		{"branches out of order", branch, func(p []byte) { put32(p[32:], native.Uint32(p[16:])-16) }, "out of order"},
		{"a key outside", leaf, func(p []byte) { put32(p[20:], 1<<31) }, "points outside itself"},
		{"a key in the table", leaf, func(p []byte) { put32(p[20:], 4) }, "points outside itself"},
		{"a long value", leaf, func(p []byte) { put32(p[28:], 1<<31) }, "points outside itself"},
		{"a long key", leaf, func(p []byte) { put32(p[24:], 0xFFFFFFFF); put32(p[28:], 0xFFFFFFFF) }, "points outside itself"},
		{"too many elements", leaf, func(p []byte) { put16(p[10:], 60_000) }, "points outside itself"},
		{"an element unknown", leaf, func(p []byte) { put32(p[16:], 2) }, "something unknown"},
		{"a value as a bucket", leaf, func(p []byte) { put32(p[16:], 1) }, "damaged"},
		{"a page unknown", leaf, func(p []byte) { put16(p[8:], 3) }, "wrong kind"},
		{"another page", leaf, func(p []byte) { put64(p, 7) }, "wrong header"},
		{"a page without end", leaf, func(p []byte) { put32(p[12:], 1<<31) }, "wrong header"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := bytes.Clone(good)
			tt.spoil(pageOf(file, m, tt.page))
			err := Check(bytes.NewReader(file), int64(len(file)))
			if !errors.Is(err, kv.ErrDamaged) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Check = %v, want %q", err, tt.want)
			}
		})
	}
}

// The memory of a check doesn't grow with the file: what is read is not kept.
func TestCheckTakesLittleMemory(t *testing.T) {
	db := openFile(t)
	if err := db.Update(func(tx *bbolt.Tx) error {
		for n := range 10_000 {
			if err := tx.Bucket([]byte("names")).Put(fmt.Appendf(nil, "%d", n), make([]byte, 200)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(db.Path()) // nobody writes meanwhile
	if err != nil {
		t.Fatal(err)
	}
	file, pages := bytes.NewReader(whole), len(whole)/os.Getpagesize()
	allocations := testing.AllocsPerRun(5, func() {
		if err := Check(file, int64(len(whole))); err != nil {
			t.Fatal(err)
		}
	})
	if most := float64(pages) / 4; allocations > most {
		t.Errorf("%v allocations for %d pages, want at most %v", allocations, pages, most)
	}
}

// TestCheckAfterWork: Check passes every file that bbolt accepts, after any history.
func TestCheckAfterWork(t *testing.T) {
	db := openFile(t)
	for i := range 200 {
		if err := db.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("names"))
			for n := range 20 {
				if err := b.Put(fmt.Appendf(nil, "%d", (i*7919+n*104729)%1000), make([]byte, (i*n)%6000)); err != nil {
					return err
				}
				if err := b.Delete(fmt.Appendf(nil, "%d", (i*7907+n*104723)%1000)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if i%10 > 0 {
			continue
		}
		file, err := os.ReadFile(db.Path()) // nobody writes meanwhile
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(bytes.NewReader(file), int64(len(file))); err != nil {
			t.Fatalf("after %d changes: %v", i+1, err)
		}
	}
}
