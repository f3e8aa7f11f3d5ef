package storage_test

import (
	"path/filepath"
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/storagetest"
)

// TestNodes runs the contract of what nodes share on bbolt.
func TestNodes(t *testing.T) {
	storagetest.RunNodes(t, func(t *testing.T) *storage.Store {
		s, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "club.db"), storage.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
