package storage_test

import (
	"testing"

	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// TestNodes runs the contract of what nodes share on bbolt.
func TestNodes(t *testing.T) {
	storagetest.RunNodes(t, func(t *testing.T) *schema.Store { return openRepeated(t).Store })
}
