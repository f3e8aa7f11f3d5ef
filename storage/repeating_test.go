package storage_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// A repeating engine runs each change three times, as kv/etcd may: on a snapshot that is old, here an empty store, on the newest one, and once
// more. Only the last run counts.
type repeating struct {
	kv.Store
	old kv.Store
}

var errDiscarded = errors.New("this run does not count")

func (r *repeating) Update(ctx context.Context, change func(kv.Tx) error) error {
	for _, engine := range []kv.Store{r.old, r.Store} {
		if err := engine.Update(ctx, func(tx kv.Tx) error {
			_ = change(tx)
			return errDiscarded
		}); !errors.Is(err, errDiscarded) {
			return err
		}
	}
	return r.Store.Update(ctx, change)
}

func (r *repeating) Close() error { return errors.Join(r.Store.Close(), r.old.Close()) }

// A repeated store is one on a repeating engine.
type repeated struct {
	*schema.Store
	dir string
}

func (s *repeated) Reopen() error {
	if err := s.Close(); err != nil {
		return err
	}
	return s.open()
}

func (s *repeated) open() error {
	r := &repeating{}
	for name, engine := range map[string]*kv.Store{"club.db": &r.Store, "old.db": &r.old} {
		b, err := bolt.Open(filepath.Join(s.dir, name), bolt.Options{})
		if err != nil {
			return err
		}
		*engine = b
	}
	opened, err := schema.Open(context.Background(), r, schema.Config{Rate: storagetest.Rate})
	s.Store = opened
	return err
}

// openRepeated opens a new store on a repeating engine.
func openRepeated(t *testing.T) *repeated {
	t.Helper()
	s := &repeated{dir: t.TempDir()}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	return s
}
