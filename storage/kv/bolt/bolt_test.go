package bolt

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/kvtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A reopening store can be closed and opened again behind the contract's back.
type reopening struct{ *Store }

func (r *reopening) Reopen() error {
	if err := r.Store.Close(); err != nil {
		return err
	}
	s, err := Open(r.path, Options{})
	if err == nil {
		r.Store = s
	}
	return err
}

func TestContract(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(t *testing.T) kv.Store {
		return &reopening{openAt(t, filepath.Join(t.TempDir(), "club.db"), Options{})}
	})
}

// openAt opens a store that must open. The test closes it.
func openAt(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
