package pgserver

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// ask returns the answer to a query for one text.
func ask(t *testing.T, s *Server, query string) (answer string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.URL("postgres", Superuser))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if err := c.QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

// TestStandby kills a primary that waits for its standby, promotes the standby, and has the old primary follow it. Nothing is lost, and in the end
// no folder is left.
func TestStandby(t *testing.T) {
	one, err := Start()
	Require(t, err)
	defer one.Close()
	two, err := one.Standby("two")
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	if err := one.WaitFor(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	ask(t, one, "SELECT lo_from_bytea(77, 'kept')::text")
	if err := one.Kill(); err != nil {
		t.Fatal(err)
	}
	if one.Running() {
		t.Error("a server runs that was killed")
	}
	if err := two.Promote(); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, two, "SELECT convert_from(lo_get(77), 'UTF8')"); got != "kept" {
		t.Errorf("after the promotion there is %q", got)
	}
	if err := one.Follow(two, "one"); err != nil {
		t.Fatal(err)
	}
	if err := two.WaitFor(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, one, "SELECT convert_from(lo_get(77), 'UTF8') || pg_is_in_recovery()"); got != "kepttrue" {
		t.Errorf("the old primary has %q", got)
	}
	if err := two.StopAtOnce(); err != nil {
		t.Fatal(err)
	}
	if err := two.Restart(); err != nil {
		t.Fatal(err)
	}
	if log := two.Log(); strings.Count(log, "starting PostgreSQL") != 2 || !strings.Contains(log, "immediate shutdown") {
		t.Errorf("the log says\n%s", log)
	}
	template := shared.from.folder
	for _, s := range []*Server{one, two} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, folder := range []string{one.folder, two.folder, template} {
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", folder, err)
		}
	}
}
