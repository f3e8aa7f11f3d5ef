package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ludoteca/lobby/rating"
	"ludoteca/sshapp/records/recordstest"
	"ludoteca/storage/kv/postgres/pgserver"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// TestExportSQL: export-sql copies the matches of a running club, goes on after it was killed, finds nothing to do when all is there, and reads the file
// of a club that is stopped.
func TestExportSQL(t *testing.T) {
	server, err := pgserver.Start()
	pgserver.Require(t, err)
	defer func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}()
	admin := openSession(t, server.URL("postgres", pgserver.Superuser))
	for _, statement := range []string{"CREATE ROLE exporter LOGIN PASSWORD 'hunter2'", "CREATE SCHEMA ludoteca AUTHORIZATION exporter"} {
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(server.Data(), "pg_hba.conf"), []byte("local all exporter scram-sha-256\nlocal all all trust\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	admin = openSession(t, server.URL("postgres", pgserver.Superuser))

	const matches, shown = 3000, 2700 // of ten, one is private
	data := t.TempDir()
	if err := os.Chmod(data, 0o700); err != nil {
		t.Fatal(err)
	}
	store, engine, err := storagetest.OpenBoth(filepath.Join(data, "ludoteca.db"), schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	recordstest.On(t, store, engine, matches, 5)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	club := startClub(t, data)

	args := []string{"export-sql", "--data", data, "--to", server.URL("postgres", "exporter"), "--json"}
	count := func() (n int) {
		t.Helper()
		var made bool
		if err := admin.QueryRow(t.Context(), "SELECT to_regclass('ludoteca.ludoteca_matches') IS NOT NULL").Scan(&made); err != nil || !made {
			return 0
		}
		if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM ludoteca.ludoteca_matches").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	refused := &here{args: args, env: map[string]string{"PGPASSWORD": "wrong"}}
	if code := refused.run(t); code != statusRefused || !strings.Contains(refused.errs.String(), "password authentication failed") || strings.Contains(refused.errs.String(), "wrong\"") {
		t.Errorf("with a wrong password: %d, %s", code, refused.errs.String())
	}
	for kill := range 3 {
		before := count()
		cmd := exec.Command(programPath(t), args...)
		cmd.Env = append(os.Environ(), "PGPASSWORD=hunter2")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { defer close(ended); _ = cmd.Wait() }() // it is killed
		for waiting := true; waiting && count() <= before; {
			select {
			case <-ended:
				waiting = false
			default:
			}
		}
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		if n := count(); kill == 0 && (n == 0 || n == shown) {
			t.Errorf("killed with %d of %d matches", n, shown)
		}
	}
	type report struct{ Matches, Added, Changed, Removed, Unreadable int }
	run := func(what string, want func(r report) bool) {
		t.Helper()
		h := &here{args: args, env: map[string]string{"PGPASSWORD": "hunter2"}}
		code := h.run(t)
		var r report
		if err := json.Unmarshal(h.out.Bytes(), &r); code != statusDone || err != nil || !want(r) || count() != shown {
			t.Errorf("%s: %d, %v, %+v, %s; the tables have %d matches", what, code, err, r, h.errs.String(), count())
		}
	}
	run("after the kills", func(r report) bool { return r.Matches == shown && r.Changed+r.Removed+r.Unreadable == 0 })
	run("again", func(r report) bool { return r == report{Matches: shown} })
	club.stop(t)
	run("stopped", func(r report) bool { return r == report{Matches: shown} })
	var whole bool
	if err := admin.QueryRow(t.Context(), `SELECT bool_and(plies = (SELECT count(*) FROM ludoteca.ludoteca_moves v WHERE v.match_id = m.match_id)) FROM ludoteca.ludoteca_matches m`).Scan(&whole); err != nil || !whole {
		t.Errorf("all moves are there: %v, %v", whole, err)
	}
}

// openSession connects to a database until the test ends.
func openSession(t *testing.T, at string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the server may be gone
	return conn
}
