package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/storage/kv/postgres"
	"ludoteca/storage/kv/postgres/pgserver"
)

// A server is a server of PostgreSQL with its own data, on a Unix socket in its folder.
type server struct{ *pgserver.Server }

// common are the settings of all servers here.
var common = []string{"max_connections=400", "shared_buffers=64MB"}

// shared is the server of all tests that do it no harm. It loses what it has acknowledged when the machine does.
var shared *server

func TestMain(m *testing.M) {
	os.Exit(func() int {
		s, err := pgserver.Start(common...)
		switch {
		case errors.Is(err, pgserver.ErrMissing) && os.Getenv("CI") != "true":
			fmt.Println("skipped:", err)
			return 0
		case err != nil:
			fmt.Println(err)
			return 1
		}
		shared = &server{s}
		code := program.Run(m)
		if err := errors.Join(s.Close(), goleak.Find()); err != nil {
			fmt.Println(err)
			return 1
		}
		return code
	}())
}

// address is where a database is.
func (s *server) address(database string) string { return s.URL(database, pgserver.Superuser) }

// exec runs a statement that must work.
func (s *server) exec(t *testing.T, database, text string, arguments ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.address(database))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if _, err := c.Exec(t.Context(), text, arguments...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// another starts a server of its own for a test, which syncs what it writes.
func another(t *testing.T, settings ...string) *server {
	t.Helper()
	s, err := pgserver.Start(append(append([]string{"fsync=on"}, common...), settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log of the server:\n%s", s.Log())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &server{s}
}

var schemas atomic.Int64

// options returns options for a new, empty store.
func (s *server) options() postgres.Options {
	return postgres.Options{Address: s.address("postgres"), Schema: fmt.Sprintf("club%06d", schemas.Add(1)), Connections: 6, HistoryBytes: 64 << 20}
}

// openAt opens a store that must open. The test closes it.
func openAt(t testing.TB, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
