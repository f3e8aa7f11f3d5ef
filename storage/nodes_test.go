package storage_test

import (
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/storagetest"
)

func TestNodes(t *testing.T) {
	storagetest.RunNodes(t, func(t *testing.T) *storage.Store { return openRepeated(t).Store })
}
