package storagetest

import (
	"context"
	"fmt"

	"ludoteca/storage"
	"ludoteca/storage/kv/bolt"
)

// OpenFile opens a store in the file path, or makes a new one there, as the club does.
func OpenFile(path string, c storage.Config) (*storage.Store, error) {
	s, _, err := OpenEngine(path, c, bolt.Options{Log: c.Log})
	return s, err
}

// OpenEngine is OpenFile with options, and returns the engine too. Closing the store closes it.
func OpenEngine(path string, c storage.Config, o bolt.Options) (*storage.Store, *bolt.Store, error) {
	engine, err := bolt.Open(path, o)
	if err != nil {
		return nil, nil, err
	}
	s, err := storage.Open(context.Background(), engine, c)
	if err != nil {
		engine.Close() // the error before it says more
		return nil, nil, fmt.Errorf("storage: open %s: %w", path, err)
	}
	return s, engine, nil
}
