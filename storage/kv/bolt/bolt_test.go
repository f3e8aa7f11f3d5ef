package bolt

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/kvtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(t *testing.T) kv.Store {
		path := filepath.Join(t.TempDir(), "club.db")
		return kvtest.Reopening(t, func() (kv.Store, error) { return Open(path, Options{}) })
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
