package storage_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childStore); path != "" {
		fmt.Fprintln(os.Stderr, child(path))
		os.Exit(1) // it is killed before it ends
	}
	goleak.VerifyTestMain(m)
}

// TestContract runs each change more than once: it makes no difference how often a change has run before, and on what.
func TestContract(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storagetest.Store {
		s := openRepeated(t)
		return &reopened{storagetest.Flat(s.Store), s}
	})
}

// A reopened is a repeated store with the methods of all its parts.
type reopened struct {
	storagetest.Store
	s *repeated
}

func (r *reopened) Reopen() error {
	err := r.s.Reopen()
	r.Store = storagetest.Flat(r.s.Store)
	return err
}

// A fileStore is a store and its engine.
type fileStore struct {
	*schema.Store
	engine *bolt.Store
}

// open opens a store that must open. The test closes it.
func open(t testing.TB, path string, o bolt.Options) *fileStore {
	t.Helper()
	s, engine, err := storagetest.OpenEngine(path, schema.Config{Rate: storagetest.Rate}, o)
	if err != nil {
		t.Fatal(err)
	}
	return &fileStore{s, engine}
}
