package pgtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/kv/postgres"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(t *testing.T) kv.Store {
		o := shared.options()
		return kvtest.Reopening(t, func() (kv.Store, error) { return postgres.Open(context.Background(), o) })
	})
}

// openClub opens a store of the data model.
func openClub(o postgres.Options) (*schema.Store, error) {
	engine, err := postgres.Open(context.Background(), o)
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
	o := shared.options()
	openAt(t, o).Close()
	shared.exec(t, "postgres", "DROP ROLE IF EXISTS stranger")
	shared.exec(t, "postgres", "CREATE ROLE stranger LOGIN")
	shared.exec(t, "postgres", "UPDATE "+o.Schema+".state SET format = 99")
	for name, tt := range map[string]struct {
		address, schema, want string
	}{
		"another format":  {o.Address, o.Schema, "another version"},
		"no database":     {shared.address("nothing"), "", "no such database"},
		"no user":         {shared.URL("postgres", "nobodyknows"), "", "doesn't let the user in"},
		"no permission":   {shared.URL("postgres", "stranger"), "closed", "may not make the schema"},
		"no server":       {"postgres:///postgres?host=/nowhere&user=x", "", "does not answer"},
		"a bad address":   {"postgres://[", "", "invalid"},
		"a bad schema":    {o.Address, "a.b", "schema"},
		"a bad parameter": {"postgres://127.0.0.1:1/postgres?sslmode=perhaps", "", "invalid"},
	} {
		s, err := postgres.Open(t.Context(), postgres.Options{Address: tt.address, Schema: tt.schema, OpenTimeout: time.Second})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", name, err, tt.want)
		}
	}
}
