package sqlexport

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/postgres/pgserver"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// shared starts the server of most tests, which the first of them calls.
var shared = sync.OnceValues(func() (*pgserver.Server, error) {
	s, err := pgserver.Start()
	started = s
	return s, err
})

// started is the shared server; nil if there is none.
var started *pgserver.Server

// checks is how many random clubs there are, unless the flag of rapid says otherwise.
const checks = "12"

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", checks); err != nil { // before the flags are read
		panic(err)
	}
	code := m.Run()
	if started != nil {
		if err := started.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// databases numbers the databases of the tests, which don't run in parallel.
var databases int

// database makes a database on the shared server, and returns its address for the superuser.
func database(t testing.TB) string {
	t.Helper()
	s, err := shared()
	pgserver.Require(t, err)
	databases++
	name := fmt.Sprintf("club%d", databases)
	execute(t, s.URL("postgres", pgserver.Superuser), "CREATE DATABASE "+name)
	return s.URL(name, pgserver.Superuser)
}

// session runs do with a connection to a database.
func session(t testing.TB, at string, do func(conn *pgx.Conn)) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	do(conn)
}

// execute runs statements in a database.
func execute(t testing.TB, at string, statements ...string) {
	t.Helper()
	session(t, at, func(conn *pgx.Conn) {
		for _, s := range statements {
			if _, err := conn.Exec(context.Background(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	})
}

// query returns the rows that a query finds, each as a line.
func query(t testing.TB, at, sql string, args ...any) (lines []string) {
	t.Helper()
	session(t, at, func(conn *pgx.Conn) {
		rows, err := conn.Query(context.Background(), sql, args...)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		defer rows.Close()
		for rows.Next() {
			values, err := rows.Values()
			if err != nil {
				t.Fatal(err)
			}
			var words []string
			for _, v := range values {
				words = append(words, fmt.Sprint(v))
			}
			lines = append(lines, strings.Join(words, " "))
		}
		if err := rows.Err(); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	})
	return lines
}

// filled are the tables with the matches.
var filled = []string{matchesTable, resultsTable, movesTable}

// rowsIn returns all rows of the tables with the matches in a schema, as text in order.
func rowsIn(t testing.TB, at, schema string) (all []string) {
	t.Helper()
	for _, name := range filled {
		for _, row := range query(t, at, fmt.Sprintf("SELECT t::text FROM %s.%s t ORDER BY 1", schema, name)) {
			all = append(all, name+" "+row)
		}
	}
	return all
}

// compareRows fails if a schema does not hold some rows.
func compareRows(t interface{ Fatalf(string, ...any) }, what string, got, want []string) {
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Fatalf("%s: %d rows, want %d; row %d is\n%s\nwant\n%s", what, len(got), len(want), i, g, w)
		}
	}
}

// anew exports a club to a new schema, and returns the rows.
func anew(t testing.TB, source Source, at string) []string {
	t.Helper()
	execute(t, at, "DROP SCHEMA IF EXISTS whole CASCADE")
	if _, err := Run(context.Background(), source, config(at, "whole")); err != nil {
		t.Fatal(err)
	}
	return rowsIn(t, at, "whole")
}

func config(at, schema string) Config {
	return Config{To: at, Schema: schema, Games: catalog.All()}
}

// errEnded ends an export at a stage.
var errEnded = errors.New("the export is ended here")

// endedExport runs an export with small pages that loses its connection at a stage, counted from 1, and reports whether it came that far.
func endedExport(t interface{ Fatalf(string, ...any) }, source Source, c Config, page, stage int) (ended bool, report Report) {
	n := 0
	e := &export{config: c, source: source, pageSize: page}
	e.stage = func(string) error {
		if n++; n < stage {
			return nil
		}
		_ = e.conn.PgConn().Conn().Close() // as if the program had been killed
		return errEnded
	}
	err := e.all(context.Background())
	if err != nil && !errors.Is(err, errEnded) {
		t.Fatalf("the export fails: %v", err)
	}
	return err != nil, e.report
}

// A world is a club whose matches, players and results change.
type world struct {
	*schema.Store
	engine  kv.Store
	guests  *results.GuestStore
	players []accounts.Player
	matches []storage.MatchID // that were added, not all of which are in the store still
	now     time.Time
	names   int
	played  []results.Finished // what matches are made from
}

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newWorld returns a club of four players.
func newWorld(t testing.TB) *world {
	t.Helper()
	w, err := openWorld(filepath.Join(t.TempDir(), "club.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// openWorld is newWorld in a file.
func openWorld(path string) (*world, error) {
	played, err := playedGames()
	if err != nil {
		return nil, err
	}
	store, engine, err := storagetest.OpenBoth(path, schema.Config{Rate: rating.Rate})
	if err != nil {
		return nil, err
	}
	w := &world{Store: store, engine: engine, guests: results.NewGuestStore(engine, store.Results), now: began, played: played}
	for range 4 {
		if err := w.signUp(); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return w, nil
}

// Archive implements Source.
func (w *world) Archive(ctx context.Context, after storage.MatchID, limit int) (results.ArchivePage, error) {
	return w.Results.Archive(ctx, after, limit)
}

// playedGames returns short matches at random, one of each game, with their moves alone.
var playedGames = sync.OnceValues(func() (all []results.Finished, err error) {
	for _, g := range catalog.All() {
		options, err := games.Complete(g, nil)
		if err != nil {
			return nil, err
		}
		p, err := g.New(options)
		if err != nil {
			return nil, err
		}
		f, random := results.Finished{Game: g.About().ID, Options: options}, games.NewRandom(1)
		for len(f.Moves) < 6 && !p.Result().Over {
			legal := p.Legal()
			m := legal[random.N(len(legal))]
			if p, err = p.Play(m); err != nil {
				return nil, err
			}
			f.Moves = append(f.Moves, m)
		}
		all = append(all, f)
	}
	return all, nil
})

func (w *world) newName() string {
	w.names++
	return fmt.Sprintf("player-%c%c", 'a'+w.names/26%26, 'a'+w.names%26)
}

func (w *world) signUp() error {
	name := w.newName()
	p, err := w.Accounts.SignUp(context.Background(), accounts.Player{Name: name, NameKey: name, Since: w.now}, "SHA256:"+name)
	if err == nil {
		w.players = append(w.players, p)
		err = w.engine.Update(context.Background(), func(tx kv.Tx) error { _, err := accounts.SaltOf(tx); return err })
	}
	return err
}

// A kindOfMatch says what is special about a match of a world.
type kindOfMatch int

const (
	ratedMatch kindOfMatch = iota
	casualMatch
	privateMatch
	botMatch
	guestMatch
	voidMatch
	eventMatch
	kindsOfMatch
)

// secretWords are parts of what no table may show.
const (
	secretGuest = "guest-of-a-connection"
	secretCode  = "SECRET"
	secretMatch = "private0"
)

// play adds a match between two of the players.
func (w *world) play(kind kindOfMatch, first, second, result int) (results.Finished, error) {
	w.now = w.now.Add(11 * time.Minute)
	n := len(w.matches)
	f := w.played[n%len(w.played)]
	f.ID, f.Code, f.Plies = storage.MatchID(fmt.Sprintf("%c%07d", "kzam"[n%4], n)), secretCode, len(f.Moves)
	f.Ended, f.Started, f.Result, f.Reason = w.now, w.now.Add(-10*time.Minute), []string{"first", "second", "draw"}[result%3], "resigned"
	f.Times, f.Left = nil, nil
	if n%3 == 0 {
		f.Clock = "5+3"
	}
	for i := range f.Moves {
		f.Times = append(f.Times, f.Started.Add(time.Duration(i+1)*1500*time.Millisecond))
		if f.Clock != "" {
			f.Left = append(f.Left, 5*time.Minute-time.Duration(i)*time.Second)
		}
	}
	seat := func(i int) storage.Occupant {
		p := w.players[i%len(w.players)]
		return storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: p.Name}
	}
	if second%len(w.players) == first%len(w.players) {
		second++
	}
	f.First, f.Second, f.Public = seat(first), seat(second), true
	switch kind {
	case ratedMatch:
		f.Rated, f.Public = true, n%2 == 0
	case privateMatch:
		f.Public, f.ID = false, storage.MatchID(fmt.Sprintf("%s%d", secretMatch, n))
	case botMatch:
		f.Second = storage.Occupant{Kind: storage.Bot, ID: "pupil", Name: "Pupil"}
		f.Helped = results.Help{Hints: 1, Takebacks: 2}
	case guestMatch:
		f.First = storage.Occupant{Kind: storage.Guest, ID: secretGuest, Name: "guest-7"}
	case voidMatch:
		f.Result, f.Temporary = "", true
	case eventMatch:
		f.Rated = true
		f.Tournament = storage.TournamentBoard{ID: "eventone", Code: secretCode, Name: "Spring Open", Round: 1 + n%3, Board: 2}
	}
	w.matches = append(w.matches, f.ID)
	return f, w.engine.Update(context.Background(), func(tx kv.Tx) error {
		_, err := w.Results.Add(tx, f)
		return err
	})
}

// rename gives a player another name.
func (w *world) rename(i int) error {
	w.now = w.now.Add(accounts.RenameEvery)
	p, name := &w.players[i%len(w.players)], w.newName()
	p.Name = name
	return w.Accounts.ChangeName(context.Background(), p.ID, name, name, w.now)
}

// remove deletes the account of a player, and another player signs up. The name stays in some records for a while if half is true.
func (w *world) remove(i int, half bool) error {
	i %= len(w.players)
	id := w.players[i].ID
	w.players = slices.Delete(w.players, i, i+1)
	if _, err := w.Accounts.DeletePlayer(context.Background(), id, w.now); err != nil {
		return err
	}
	if !half {
		if err := w.Results.Anonymize(context.Background(), id); err != nil {
			return err
		}
	}
	return w.signUp()
}

// unrate takes the result of a match out of the ratings, or puts it back. It does nothing to a match that was never rated.
func (w *world) unrate(i int) error {
	if len(w.matches) == 0 {
		return nil
	}
	id := w.matches[i%len(w.matches)]
	f, err := w.Results.Record(context.Background(), id, false)
	if errors.Is(err, storage.ErrNotFound) || err == nil && f.Number == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	entry, err := w.Results.Unrated(context.Background(), id)
	if err != nil {
		return err
	}
	return w.Results.RatedAs(context.Background(), map[storage.MatchID]bool{id: entry != 0}, func(ratings func(kv.Tx) error) error {
		return w.engine.Update(context.Background(), func(tx kv.Tx) error {
			if entry != 0 {
				results.UnratedMarks.Delete(tx, id)
			} else if err := results.UnratedMarks.Put(tx, id, results.UnratedMark{Entry: 1}); err != nil {
				return err
			}
			return ratings(tx)
		})
	})
}

// claim gives the matches of the guest to a player.
func (w *world) claim(i int) error {
	if err := w.guests.OfferMatches(context.Background(), secretGuest, "hash", w.now); err != nil {
		return err
	}
	_, err := w.guests.ClaimMatches(context.Background(), "hash", w.players[i%len(w.players)].ID, w.now)
	return err
}

// forget has the club forget its casual matches against guests and Pupil up to now.
func (w *world) forget() error {
	_, err := w.Results.ForgetCasual(context.Background(), w.now, []string{"pupil"})
	return err
}

// fill adds some matches of all kinds.
func (w *world) fill(t testing.TB, n int) {
	t.Helper()
	for i := range n {
		if _, err := w.play(kindOfMatch(i)%kindsOfMatch, i, i*i+1, i); err != nil {
			t.Fatal(err)
		}
	}
}
