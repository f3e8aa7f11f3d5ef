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

func TestContract(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(t *testing.T) kv.Store {
		o := shared.options()
		return kvtest.Reopening(t, func() (kv.Store, error) { return etcd.Open(context.Background(), o) })
	})
}

// openClub opens a store of the data model.
func openClub(o etcd.Options) (*schema.Store, error) {
	engine, err := etcd.Open(context.Background(), o)
	if err != nil {
		return nil, err
	}
	return schema.Open(context.Background(), engine, schema.Config{Rate: storagetest.Rate})
}

func TestDataModel(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storagetest.Store {
		o := shared.options()
		return storagetest.Reopening(t, func() (*schema.Store, error) { return openClub(o) })
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
