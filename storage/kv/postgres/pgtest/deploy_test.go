package pgtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/faulttest"
	"ludoteca/storage/kv/postgres"
	"ludoteca/storage/kv/postgres/pgserver"
)

const deploy = "../../../../deploy"

// ask returns the answer of a server to a query for texts.
func ask(t *testing.T, s *server, query string) (answers []string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	rows, err := c.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	if answers, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return answers
}

// settle waits until a query for texts has an answer.
func settle(t *testing.T, s *server, query, want string) {
	t.Helper()
	for late := time.Now().Add(time.Minute); !slices.Equal(ask(t, s, query), []string{want}); faulttest.Wait(20 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%s: %q, want %q", query, ask(t, s, query), want)
		}
	}
}

// TestExamples starts two servers with the example settings for operators, without what is about paths and certificates, and does what the guide does when
// the first is lost. Until the guide has the second wait for nobody, it acknowledges nothing.
func TestExamples(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(deploy, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var settings strings.Builder
	for line := range strings.Lines(read("ludoteca-postgresql.conf")) {
		if !regexp.MustCompile(`^(#|listen_addresses|hba_file|unix_socket_directories|ssl)`).MatchString(line) {
			settings.WriteString(line)
		}
	}
	start, err := pgserver.Start()
	if err != nil {
		t.Fatal(err)
	}
	one := &server{start}
	defer one.Close()
	must(t, one.Stop())
	write := func(s *server, name, text string) {
		file, err := os.OpenFile(filepath.Join(s.Data(), name), os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	write(one, "postgresql.conf", settings.String())
	must(t, one.Restart())
	if got := ask(t, one, "SELECT coalesce(error, '') FROM pg_file_settings WHERE error IS NOT NULL OR name = 'synchronous_standby_names' AND setting <> 'FIRST 1 (one, two)'"); len(got) > 0 {
		t.Errorf("PostgreSQL says of the settings: %q", got)
	}
	// The standby has the name that the settings give it, because the copy is made as in the guide.
	second, err := one.Standby("", "cluster_name=two")
	if err != nil {
		t.Fatal(err)
	}
	two := &server{second}
	defer two.Close()
	settle(t, one, "SELECT application_name || ' ' || sync_state FROM pg_stat_replication", "two sync")
	o := one.options()
	must(t, openAt(t, o).Close())
	must(t, one.Kill())
	must(t, two.Promote())
	alone := o
	alone.Address, alone.OpenTimeout = two.address("postgres"), 3*time.Second
	if s, err := postgres.Open(t.Context(), alone); err == nil {
		s.Close()
		t.Error("the second server acknowledges something alone")
	} else if !errors.Is(err, postgres.ErrUnavailable) {
		t.Error(err)
	}
	guide := read("OPERATING.md")
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()"} {
		if !strings.Contains(guide, `-c "`+statement+`"`) {
			t.Fatalf("the guide doesn't say %s", statement)
		}
		two.exec(t, "postgres", statement)
	}
	alone.OpenTimeout = time.Minute
	s := openAt(t, alone)
	must(t, s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(faulttest.Key("n"), nil); return nil }))
	must(t, s.Close())
	must(t, one.Follow(two.Server, "one"))
	two.exec(t, "postgres", "ALTER SYSTEM RESET synchronous_standby_names")
	two.exec(t, "postgres", "SELECT pg_reload_conf()")
	settle(t, two, "SELECT application_name || ' ' || sync_state FROM pg_stat_replication", "one sync")
	rules := filepath.Join(two.Data(), "pg_hba.conf")
	must(t, os.WriteFile(rules, []byte(read("ludoteca-postgresql-hba.conf")), 0o600))
	if got := ask(t, two, "SELECT error FROM pg_hba_file_rules WHERE error NOT LIKE '%because SSL is disabled'"); len(got) > 0 {
		t.Errorf("PostgreSQL says of the rules: %q", got)
	}
	if got := ask(t, two, "SELECT count(*)::text FROM pg_hba_file_rules"); !slices.Equal(got, []string{"6"}) {
		t.Errorf("PostgreSQL finds %s rules, want 6", got)
	}
}
