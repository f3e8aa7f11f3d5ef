package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"ludoteca/storage"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/storagetest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childStore); path != "" {
		fmt.Fprintln(os.Stderr, child(path))
		os.Exit(1) // it is killed before it ends
	}
	goleak.VerifyTestMain(m)
}

// A reopening store can be closed and opened again behind the contract's back.
type reopening struct {
	*storage.Store
	path string
}

func (r *reopening) Reopen() error {
	if err := r.Store.Close(); err != nil {
		return err
	}
	s, err := storagetest.OpenFile(r.path, storage.Config{Rate: storagetest.Rate})
	if err == nil {
		r.Store = s
	}
	return err
}

func TestContract(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storagetest.Store {
		path := filepath.Join(t.TempDir(), "club.db")
		return &reopening{open(t, path, bolt.Options{}).Store, path}
	})
}

// A fileStore is a store and its engine.
type fileStore struct {
	*storage.Store
	engine *bolt.Store
}

// open opens a store that must open. The test closes it.
func open(t testing.TB, path string, o bolt.Options) *fileStore {
	t.Helper()
	s, engine, err := storagetest.OpenEngine(path, storage.Config{Rate: storagetest.Rate}, o)
	if err != nil {
		t.Fatal(err)
	}
	return &fileStore{s, engine}
}
