package storage_test

import (
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/storagetest"
)

// TestNodes runs the contract of what nodes share on bbolt.
func TestNodes(t *testing.T) {
	storagetest.RunNodes(t, func(t *testing.T) *storage.Store { return openRepeated(t).Store })
}
