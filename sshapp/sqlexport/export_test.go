package sqlexport

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/postgres/pgserver"
	"ludoteca/storage/results"
)

// TestRows: what the tables say of one match of each kind, and what they don't say.
func TestRows(t *testing.T) {
	at, w := database(t), newWorld(t)
	made := map[kindOfMatch]results.Finished{}
	for kind := range kindsOfMatch {
		f, err := w.play(kind, 0, 1, int(kind))
		if err != nil {
			t.Fatal(err)
		}
		made[kind] = f
	}
	gone := w.players[1].Name
	was := w.players[0].Name
	for _, err := range []error{w.rename(0), w.remove(1, true)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	report, err := Run(t.Context(), w, config(at, DefaultSchema))
	if want := (Report{Matches: 5, Added: 5}); err != nil || report != want {
		t.Fatalf("%+v, %v, want %+v", report, err, want)
	}
	text := strings.Join(rowsIn(t, at, DefaultSchema), "\n")
	for _, secret := range []string{secretGuest, secretCode, secretMatch, string(made[voidMatch].ID), gone} {
		if strings.Contains(text, secret) {
			t.Errorf("the tables show %q", secret)
		}
	}
	execute(t, at, "ALTER DATABASE "+query(t, at, "SELECT current_database()")[0]+" SET search_path TO ludoteca")
	one := func(what, sql string, args ...any) {
		t.Helper()
		if got := query(t, at, sql, args...); !slices.Equal(got, []string{what}) {
			t.Errorf("%s\nfinds %q, want %q", sql, got, what)
		}
	}
	rated := made[ratedMatch]
	one(fmt.Sprintf("%s 5+3 first resigned %d 0 true 0 0 2026-03-01 12:01:00+00 2026-03-01 12:11:00+00 <nil>", rated.Game, rated.Plies),
		`SELECT game, clock, result, reason, plies, given_plies, rated, hints, takebacks, started_at::text, ended_at::text, event_id FROM ludoteca_matches WHERE match_id = $1`, string(rated.ID))
	one("true", `SELECT options = $2::jsonb FROM ludoteca_matches WHERE match_id = $1`, string(rated.ID), jsonOf(rated))
	one(fmt.Sprintf("player %s %s %s <nil> won 1 1500 true true 0.25 new_account", w.players[0].ID, w.players[0].Name, was),
		`SELECT kind, player_id, name, played_as, bot_level, outcome, score, rating_before, rating_after > 1500, deviation_after < 500, weight, discount
		FROM ludoteca_results WHERE match_id = $1 AND side = 1`, string(rated.ID))
	one("player <nil> former player former player lost 0",
		`SELECT kind, player_id, name, played_as, outcome, score FROM ludoteca_results WHERE match_id = $1 AND side = 2`, string(rated.ID))
	one("bot <nil> Pupil Pupil pupil <nil> <nil>",
		`SELECT kind, player_id, name, played_as, bot_level, rating_before, weight FROM ludoteca_results WHERE match_id = $1 AND side = 2`, string(made[botMatch].ID))
	one("1 2", `SELECT hints, takebacks FROM ludoteca_matches WHERE match_id = $1`, string(made[botMatch].ID))
	one("guest <nil> guest-7 guest-7", `SELECT kind, player_id, name, played_as FROM ludoteca_results WHERE match_id = $1 AND side = 1`, string(made[guestMatch].ID))
	event := made[eventMatch].Tournament
	one(fmt.Sprintf("eventone Spring Open %d 2", event.Round), `SELECT event_id, event_name, event_round, event_board FROM ludoteca_matches WHERE match_id = $1`, string(made[eventMatch].ID))
	one(fmt.Sprintf("3 1 %s false 2026-03-01 12:01:04.5+00 1500 298000", rated.Moves[2]),
		`SELECT ply, side, move, given, made_at::text, spent_ms, left_ms FROM ludoteca_moves WHERE match_id = $1 AND ply = 3`, string(rated.ID))
	one(fmt.Sprint(rated.Plies), `SELECT count(*) FROM ludoteca_moves WHERE match_id = $1`, string(rated.ID))
	one("true true", `SELECT completed_at IS NOT NULL, position = '' FROM ludoteca_export`)
}

func jsonOf(f results.Finished) string {
	var parts []string
	for k, v := range f.Options {
		parts = append(parts, fmt.Sprintf("%q: %d", k, v))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// TestSides: the second side moves first where the position says so, and given moves took no time.
func TestSides(t *testing.T) {
	w := newWorld(t)
	f, err := w.play(casualMatch, 0, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	g, ok := games.Find(catalog.All(), f.Game)
	if !ok {
		t.Fatal("no game " + f.Game)
	}
	p, err := g.New(f.Options)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.Play(f.Moves[0]); err != nil {
		t.Fatal(err)
	}
	from := f
	from.From, from.Moves, from.Times, from.Left, from.Plies = p.String(), f.Moves[1:], f.Times[1:], nil, f.Plies-1
	from.Clock, from.Start = "", 2
	rows, err := rowsOf(catalog.All(), results.ArchivedMatch{Finished: from, Names: [2]string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows.moves {
		side, given := secondSide-int16(i%2), i < 2
		if row[2] != side || row[4] != given || (row[5] == nil) != given || (row[6] == nil) != given || row[7] != nil {
			t.Errorf("move %d is %v; want side %d, given %v", i+1, row, side, given)
		}
	}
}

// TestHash: no two rows that differ in a value have the same hash.
func TestHash(t *testing.T) {
	seen := map[string][]any{}
	for _, row := range [][]any{
		{nil}, {}, {""}, {"", ""}, {"a", "b"}, {"ab", ""}, {true}, {false}, {int16(1)}, {int32(2)}, {int64(3)}, {1.0}, {2.0}, {began}, {began.Add(1e6)}, {"n"},
	} {
		hash := string(matchRows{match: row}.sum())
		if other, taken := seen[hash]; taken {
			t.Errorf("%v and %v have one hash", row, other)
		}
		seen[hash] = row
	}
}

// TestChanges: what has changed in a club is changed in the tables by the next export, which writes nothing else.
func TestChanges(t *testing.T) {
	at, w := database(t), newWorld(t)
	c := config(at, DefaultSchema)
	w.fill(t, 40)
	run := func(what string, want func(r Report) bool) {
		t.Helper()
		r, err := Run(t.Context(), w, c)
		if err != nil || !want(r) {
			t.Fatalf("%s: %+v, %v", what, r, err)
		}
		compareRows(t, what, rowsIn(t, at, DefaultSchema), anew(t, w, at))
	}
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	run("the first", func(r Report) bool { return r.Added > 20 && r.Added == r.Matches && r.Changed+r.Removed == 0 })
	nothing := func(r Report) bool { return r.Matches > 20 && r.Added+r.Changed+r.Removed == 0 }
	run("again", nothing)
	w.fill(t, 14)
	run("more", func(r Report) bool { return r.Added == 10 && r.Changed+r.Removed == 0 })
	must(w.claim(1))
	run("claimed", func(r Report) bool { return r.Changed > 0 && r.Added == 0 })
	must(w.rename(2))
	run("renamed", func(r Report) bool { return r.Added == 0 && r.Changed > 0 && r.Changed < r.Matches })
	must(w.remove(3, true))
	run("deleted", func(r Report) bool { return r.Changed > 0 && r.Changed < r.Matches })
	must(w.Results.Anonymize(t.Context(), deletions(t, w)))
	run("forgotten in records", nothing)
	must(w.unrate(0))
	run("unrated", func(r Report) bool { return r.Changed > 0 })
	if got := query(t, at, "SELECT count(*) FROM ludoteca.ludoteca_results WHERE discount = 'unrated'"); !slices.Equal(got, []string{"2"}) {
		t.Errorf("%s sides are unrated", got)
	}
	must(w.unrate(0))
	run("rated again", func(r Report) bool { return r.Changed > 0 })
	must(w.forget())
	run("forgotten", func(r Report) bool { return r.Removed > 0 && r.Added+r.Changed == 0 })
}

// deletions returns the player whose name still stands in records.
func deletions(t *testing.T, w *world) storage.PlayerID {
	t.Helper()
	ids, err := w.Accounts.Deletions(t.Context())
	if err != nil || len(ids) != 1 {
		t.Fatalf("%v, %v", ids, err)
	}
	return ids[0]
}

// TestUnreadable: of a record that can't be read the tables keep what they had.
func TestUnreadable(t *testing.T) {
	at, w := database(t), newWorld(t)
	w.fill(t, 8)
	if _, err := Run(t.Context(), w, config(at, DefaultSchema)); err != nil {
		t.Fatal(err)
	}
	before := rowsIn(t, at, DefaultSchema)
	if err := w.engine.Update(t.Context(), func(tx kv.Tx) error {
		tx.Put(results.Records.Key(w.matches[0]), []byte("damaged"))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), w, config(at, DefaultSchema))
	if err != nil || report.Unreadable != 1 || report.Changed+report.Removed != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	compareRows(t, "after the damage", rowsIn(t, at, DefaultSchema), before)
}

// wholeMatches fails if a match in the tables has not all of its rows.
func wholeMatches(t testing.TB, at string) {
	t.Helper()
	if bad := query(t, at, `SELECT m.match_id FROM ludoteca.ludoteca_matches m
		WHERE plies <> (SELECT count(*) FROM ludoteca.ludoteca_moves v WHERE v.match_id = m.match_id)
		OR 2 <> (SELECT count(*) FROM ludoteca.ludoteca_results r WHERE r.match_id = m.match_id)`); len(bad) > 0 {
		t.Fatalf("matches in parts: %q", bad)
	}
}

// TestKilled: an export that is cut off at any stage of any step leaves whole matches, and the next one goes on behind the last step that it has
// completed.
func TestKilled(t *testing.T) {
	at, w := database(t), newWorld(t)
	w.fill(t, 14)
	c := config(at, DefaultSchema)
	want := anew(t, w, at)
	const page = 3
	stages := 0
	for stage := 1; ; stage++ {
		execute(t, at, "DROP SCHEMA IF EXISTS ludoteca CASCADE")
		ended, first := endedExport(t, w, c, page, stage)
		if !ended {
			stages = stage - 1
			break
		}
		wholeMatches(t, at)
		kept := len(query(t, at, "SELECT FROM ludoteca.ludoteca_matches"))
		// What an export has begun it goes on with: what comes first is what the first one did not reach.
		again := &export{config: c, source: w, pageSize: page}
		firstStep := true
		again.config.Progress = func(r Report) {
			if firstStep && r.Matches > 0 && kept < 10 && r.Added == 0 {
				t.Errorf("stage %d: the second export begins with matches that are there", stage)
			}
			firstStep = false
		}
		if err := again.all(t.Context()); err != nil {
			t.Fatalf("stage %d: %v", stage, err)
		}
		if again.report.Added != 10-kept || first.Added != kept {
			t.Errorf("stage %d: %+v and then %+v, with %d matches between", stage, first, again.report, kept)
		}
		compareRows(t, fmt.Sprintf("stage %d", stage), rowsIn(t, at, DefaultSchema), want)
	}
	if stages < 20 {
		t.Errorf("an export has %d stages", stages)
	}
}

// TestServerKilled: a server that is killed in the middle of an export, and started again, has whole matches, and the next export goes on.
func TestServerKilled(t *testing.T) {
	s, err := pgserver.Start("synchronous_commit=on")
	pgserver.Require(t, err)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	w := newWorld(t)
	w.fill(t, 28)
	at := s.URL("postgres", pgserver.Superuser)
	e := &export{config: config(at, DefaultSchema), source: w, pageSize: 3}
	copies := 0
	e.stage = func(name string) error {
		if name == movesTable {
			copies++
		}
		if copies == 3 && name == movesTable {
			return s.Kill()
		}
		return nil
	}
	if err := e.all(t.Context()); err == nil || copies != 3 {
		t.Fatalf("after %d steps: %v", copies, err)
	}
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	wholeMatches(t, at)
	report, err := Run(t.Context(), w, config(at, DefaultSchema))
	if err != nil || report.Added == 0 || report.Added >= 20 {
		t.Errorf("%+v, %v", report, err)
	}
	compareRows(t, "after the restart", rowsIn(t, at, DefaultSchema), anew(t, w, at))
}

// TestRandomClubs: whatever happens in a club, and whenever exports run or are cut off, one more export leaves what a first one would write.
func TestRandomClubs(t *testing.T) {
	at, folder, worlds := database(t), t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		must := func(err error) {
			if err != nil {
				r.Fatalf("%v", err)
			}
		}
		worlds++
		w, err := openWorld(filepath.Join(folder, fmt.Sprint(worlds, ".db")))
		must(err)
		defer w.Close()
		execute(t, at, "DROP SCHEMA IF EXISTS ludoteca CASCADE")
		c := config(at, DefaultSchema)
		number := func(most int) int { return rapid.IntRange(0, most).Draw(r, "n") }
		r.Repeat(map[string]func(*rapid.T){
			"play": func(r *rapid.T) {
				for range 1 + number(4) {
					_, err := w.play(kindOfMatch(number(int(kindsOfMatch)-1)), number(3), number(3), number(2))
					must(err)
				}
			},
			"rename": func(*rapid.T) { must(w.rename(number(3))) },
			"delete": func(*rapid.T) { must(w.remove(number(3), number(1) == 1)) },
			"unrate": func(*rapid.T) { must(w.unrate(number(30))) },
			"claim":  func(*rapid.T) { must(w.claim(number(3))) },
			"forget": func(*rapid.T) { must(w.forget()) },
			"cut off": func(r *rapid.T) {
				endedExport(r, w, c, 1+number(4), 1+number(60))
				if len(query(t, at, "SELECT FROM pg_namespace WHERE nspname = 'ludoteca'")) > 0 {
					wholeMatches(t, at)
				}
			},
			"export": func(r *rapid.T) {
				_, err := Run(context.Background(), w, c)
				must(err)
				compareRows(r, "an export", rowsIn(t, at, DefaultSchema), anew(t, w, at))
			},
		})
		_, err = Run(context.Background(), w, c)
		must(err)
		compareRows(r, "the last export", rowsIn(t, at, DefaultSchema), anew(t, w, at))
	})
}

// TestOvertaken: of two exports into the same tables, the one that began later goes on, and the other ends.
func TestOvertaken(t *testing.T) {
	at, w := database(t), newWorld(t)
	w.fill(t, 14)
	c := config(at, DefaultSchema)
	e := &export{config: c, source: w, pageSize: 3}
	steps := 0
	e.stage = func(name string) error {
		if name != "kept" { // no transaction is open then
			return nil
		}
		if steps++; steps == 2 {
			_, err := Run(context.Background(), w, c)
			return err
		}
		return nil
	}
	if err := e.all(t.Context()); !errors.Is(err, ErrOvertaken) {
		t.Errorf("the first export: %v", err)
	}
	compareRows(t, "after both", rowsIn(t, at, DefaultSchema), anew(t, w, at))
}

// TestVersions: tables of a newer version are refused and stay as they are, and tables of an older one are made anew.
func TestVersions(t *testing.T) {
	at, w := database(t), newWorld(t)
	w.fill(t, 7)
	c := config(at, DefaultSchema)
	if _, err := Run(t.Context(), w, c); err != nil {
		t.Fatal(err)
	}
	before := rowsIn(t, at, DefaultSchema)
	execute(t, at, "UPDATE ludoteca.ludoteca_version SET version = 99")
	if _, err := Run(t.Context(), w, c); err == nil || !strings.Contains(err.Error(), "have version 99, and this program knows 1") {
		t.Errorf("newer tables: %v", err)
	}
	compareRows(t, "newer tables", rowsIn(t, at, DefaultSchema), before)
	execute(t, at, "UPDATE ludoteca.ludoteca_version SET version = 0", "ALTER TABLE ludoteca.ludoteca_moves DROP COLUMN left_ms", "CREATE VIEW mine AS SELECT game FROM ludoteca.ludoteca_matches")
	if _, err := Run(t.Context(), w, c); err == nil || !strings.Contains(err.Error(), "something else is built on them") {
		t.Errorf("older tables with a view: %v", err)
	}
	execute(t, at, "DROP VIEW mine")
	report, err := Run(t.Context(), w, c)
	if err != nil || report.Added != report.Matches {
		t.Errorf("older tables: %+v, %v", report, err)
	}
	compareRows(t, "older tables", rowsIn(t, at, DefaultSchema), before)
}

// TestOtherClub: a schema with the matches of another club is refused, and stays as it is.
func TestOtherClub(t *testing.T) {
	at, w, other := database(t), newWorld(t), newWorld(t)
	w.fill(t, 7)
	if _, err := Run(t.Context(), w, config(at, DefaultSchema)); err != nil {
		t.Fatal(err)
	}
	before := rowsIn(t, at, DefaultSchema)
	if _, err := Run(t.Context(), other, config(at, DefaultSchema)); err == nil || !strings.Contains(err.Error(), "matches of another club") {
		t.Errorf("another club: %v", err)
	}
	compareRows(t, "after the refusal", rowsIn(t, at, DefaultSchema), before)
	if _, err := Run(t.Context(), other, config(at, "other")); err != nil {
		t.Error(err)
	}
}

// TestOwner: a user who owns the schema and nothing else can export, and others are told what is missing.
func TestOwner(t *testing.T) {
	at, w := database(t), newWorld(t)
	w.fill(t, 7)
	s, err := shared()
	pgserver.Require(t, err)
	name := query(t, at, "SELECT current_database()")[0]
	execute(t, at, "CREATE ROLE exporter LOGIN", "CREATE ROLE stranger LOGIN", "CREATE SCHEMA ludoteca AUTHORIZATION exporter",
		"REVOKE ALL ON DATABASE "+name+" FROM PUBLIC", "GRANT CONNECT ON DATABASE "+name+" TO exporter, stranger")
	defer execute(t, s.URL("postgres", pgserver.Superuser), "DROP DATABASE "+name+" WITH (FORCE)", "DROP ROLE exporter, stranger")
	if _, err := Run(t.Context(), w, config(s.URL(name, "stranger"), DefaultSchema)); err == nil || !strings.Contains(err.Error(), "CREATE SCHEMA ludoteca AUTHORIZATION USER") {
		t.Errorf("a stranger: %v", err)
	}
	if _, err := Run(t.Context(), w, config(s.URL(name, "exporter"), "elsewhere")); err == nil || !strings.Contains(err.Error(), "must own the schema") {
		t.Errorf("another schema: %v", err)
	}
	report, err := Run(t.Context(), w, config(s.URL(name, "exporter"), DefaultSchema))
	if err != nil || report.Added == 0 {
		t.Errorf("the owner: %+v, %v", report, err)
	}
	execute(t, at, "ALTER ROLE exporter SET default_transaction_read_only = on")
	if _, err := Run(t.Context(), w, config(s.URL(name, "exporter"), DefaultSchema)); err == nil || !strings.Contains(err.Error(), "the server takes no changes") {
		t.Errorf("read only: %v", err)
	}
	execute(t, at, "CREATE SCHEMA taken", "CREATE TABLE taken.ludoteca_moves ()")
	if _, err := Run(t.Context(), w, config(at, "taken")); err == nil || !strings.Contains(err.Error(), "that export-sql did not make so") {
		t.Errorf("a table of that name: %v", err)
	}
}

// TestAddress: what is wrong with an address, and that no error quotes a password.
func TestAddress(t *testing.T) {
	const secret = "hunter2"
	for _, tt := range []struct{ to, want string }{
		{"postgres://ana@db.example.com/club", ""},
		{"postgresql:///club?host=/run/postgresql&sslmode=verify-full&sslrootcert=", ""},
		{"postgres://ana@one.example.com:5432,two.example.com:5433/club?target_session_attrs=read-write", ""},
		{"postgres://ana:" + secret + "@db.example.com/club", "PGPASSWORD"},
		{"postgres://ana:" + secret + "@@db.example.com/club", "PGPASSWORD"},
		{"postgres://ana@db.example.com/club?sslmode=require&password=" + secret, "PGPASSWORD"},
		{"postgres://ana@db.example.com/club?%70assword=" + secret, "PGPASSWORD"},
		{"postgres://ana@db.example.com/club?sslpassword=" + secret, "PGPASSWORD"},
		{"postgres://ana@db.example.com/club?sslmode=maybe", "sslmode"},
		{"etcd://db.example.com", "begins with postgres://"},
		{"host=db.example.com password=" + secret, "begins with postgres://"},
	} {
		err := CheckAddress(tt.to)
		if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secret)) {
			t.Errorf("%s: %v, want %q", tt.to, err, tt.want)
		}
	}
	for name, ok := range map[string]bool{"ludoteca": true, "a_1": true, "": false, "A": false, "1a": false, "pg_a": false, `a"; DROP`: false, strings.Repeat("a", 64): false} {
		if err := CheckSchema(name); (err == nil) != ok {
			t.Errorf("the schema %q: %v", name, err)
		}
	}
}

// TestNobodyThere: an export to a server that doesn't answer says so, and names no password.
func TestNobodyThere(t *testing.T) {
	t.Setenv("PGPASSWORD", "hunter2")
	_, err := Run(t.Context(), newWorld(t), config("postgres://ana@/club?host="+t.TempDir(), DefaultSchema))
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "ana") {
		t.Errorf("%v", err)
	}
}

// TestFormerPlayer: a player who has just been deleted has neither id nor name, though the record still has both.
func TestFormerPlayer(t *testing.T) {
	w := newWorld(t)
	if _, err := w.play(ratedMatch, 0, 1, 0); err != nil {
		t.Fatal(err)
	}
	id := w.players[0].ID
	if err := w.remove(0, true); err != nil {
		t.Fatal(err)
	}
	page, err := w.Archive(t.Context(), "", 10)
	if err != nil || len(page.Matches) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	m := page.Matches[0]
	if m.First.ID != "" || m.First.Name != accounts.FormerPlayer || m.Names[0] != accounts.FormerPlayer || m.Second.ID == string(id) || m.Second.ID == "" {
		t.Errorf("%+v and %+v, now %q", m.First, m.Second, m.Names)
	}
}
