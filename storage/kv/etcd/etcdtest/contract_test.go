package etcdtest

import (
	"context"
	"strings"
	"testing"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/etcd"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// A reopening store can be closed and opened again behind the contract's back.
type reopening struct {
	*etcd.Store
	options etcd.Options
}

func (r *reopening) Reopen() error {
	if err := r.Store.Close(); err != nil {
		return err
	}
	s, err := etcd.Open(context.Background(), r.options)
	if err == nil {
		r.Store = s
	}
	return err
}

func TestContract(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(t *testing.T) kv.Store {
		o := shared.options()
		return &reopening{openAt(t, o), o}
	})
}

// A club is a store of the data model that can be closed and opened again.
type club struct {
	storagetest.Store
	options etcd.Options
}

func openClub(o etcd.Options) (*schema.Store, error) {
	engine, err := etcd.Open(context.Background(), o)
	if err != nil {
		return nil, err
	}
	return schema.Open(context.Background(), engine, schema.Config{Rate: storagetest.Rate})
}

func (c *club) Reopen() error {
	if err := c.Store.Close(); err != nil {
		return err
	}
	s, err := openClub(c.options)
	if err == nil {
		c.Store = storagetest.Flat(s)
	}
	return err
}

func TestDataModel(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storagetest.Store {
		o := shared.options()
		s, err := openClub(o)
		if err != nil {
			t.Fatal(err)
		}
		return &club{storagetest.Flat(s), o}
	})
}

// TestNodes runs the contract of what nodes share.
func TestNodes(t *testing.T) {
	t.Parallel()
	storagetest.RunNodes(t, func(t *testing.T) *schema.Store {
		s, err := openClub(shared.options())
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	small, err := startCluster(t.TempDir(), 128)
	if err != nil {
		t.Fatal(err)
	}
	defer small.close()
	if s, err := etcd.Open(t.Context(), small.options()); err == nil || !strings.Contains(err.Error(), "--max-txn-ops=") {
		if err == nil {
			s.Close()
		}
		t.Errorf("a cluster with etcd's usual limit: %v", err)
	}
}
