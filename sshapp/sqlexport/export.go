// Package sqlexport keeps a copy of a club's finished matches in tables of a PostgreSQL database, for people who study them in SQL. deploy/SQL.md says
// what the tables hold.
//
// An export goes through the archive of the club in the order of the ids of its matches, page by page, and compares each page with the tables. A page is
// one transaction, which also keeps how far the export has come. So an export that was killed goes on from there, and one that is repeated writes only
// what is new or has changed.
package sqlexport

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A Source is the store of a club, or a running club.
type Source interface {
	// Archive returns a page of the finished matches that everybody may see; see results.Store.Archive.
	Archive(ctx context.Context, after storage.MatchID, limit int) (results.ArchivePage, error)
}

// A Config says where an export goes.
type Config struct {
	To       string       // the address of the database, postgres://...
	Schema   string       // that the tables are in
	Games    []games.Game // that the club knows
	Progress func(Report) // called after each step; nil: nothing is
}

// A Report says what an export has done.
type Report struct {
	Matches    int `json:"matches"`    // that were read
	Added      int `json:"added"`      // of them, those that were not in the tables
	Changed    int `json:"changed"`    // of them, those that were otherwise
	Removed    int `json:"removed"`    // matches that were in the tables, and are in the archive no more
	Unreadable int `json:"unreadable"` // damaged records of the club, of which the tables keep what they had
}

// defaultPage is how many records a step goes through. A running club makes such a page in some milliseconds.
const defaultPage = 250

// ErrOvertaken says that another export writes into the same tables now.
var ErrOvertaken = errors.New("another export-sql has begun to write into these tables, and goes on from here")

// An export is one run.
type export struct {
	config Config
	source Source
	conn   *pgx.Conn
	schema string // quoted
	run    string // names this run
	report Report

	pageSize int                     // how many records a step goes through
	stage    func(name string) error // called between the parts of a step by tests; nil: nothing is
}

// Run brings the tables up to date with the archive of a club. It goes on where an export that was cut off has ended, then takes the rest from the
// beginning, so that it has read all of the archive when it returns nil.
func Run(ctx context.Context, source Source, c Config) (Report, error) {
	e := &export{config: c, source: source, pageSize: defaultPage}
	err := e.all(ctx)
	return e.report, err
}

func (e *export) all(ctx context.Context) error {
	if err := CheckSchema(e.config.Schema); err != nil {
		return err
	}
	conn, err := connect(ctx, e.config.To)
	if err != nil {
		return inWords(err, e.config.Schema)
	}
	defer func() {
		closing, end := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer end()
		_ = conn.Close(closing) // its error says nothing of the export
	}()
	e.conn, e.schema, e.run = conn, pgx.Identifier{e.config.Schema}.Sanitize(), rand.Text()
	return inWords(e.fill(ctx), e.config.Schema)
}

// fill brings the tables up to date.
func (e *export) fill(ctx context.Context) error {
	if err := e.prepare(ctx); err != nil {
		return err
	}
	begin, err := e.begin(ctx)
	if err != nil {
		return err
	}
	if err := e.pass(ctx, begin, ""); err != nil {
		return err
	}
	if begin != "" {
		if err := e.pass(ctx, "", begin); err != nil {
			return err
		}
	}
	return e.complete(ctx)
}

// pass brings the rows of the matches after one up to date, to a last one; "" is the end of the archive.
func (e *export) pass(ctx context.Context, after, last storage.MatchID) error {
	for more := true; more; {
		var err error
		if after, more, err = e.step(ctx, after, last); err != nil {
			return err
		}
		more = more && (last == "" || after < last)
		if e.config.Progress != nil {
			e.config.Progress(e.report)
		}
	}
	return nil
}

// begin makes this run the one that writes, and returns how far the last one has come.
func (e *export) begin(ctx context.Context) (at storage.MatchID, err error) {
	page, err := e.source.Archive(ctx, "", 1)
	if err != nil {
		return "", err
	}
	err = e.transaction(ctx, func(tx pgx.Tx) error {
		var club string
		err := tx.QueryRow(ctx, "SELECT club, position FROM "+e.name(stateTable)+" FOR UPDATE").Scan(&club, &at)
		if err == nil && club != "" && club != page.Club {
			err = fmt.Errorf("the schema %s holds the matches of another club: name another one with --schema, or drop it with DROP SCHEMA %[1]s CASCADE", e.config.Schema)
		}
		if err == nil {
			_, err = tx.Exec(ctx, "UPDATE "+e.name(stateTable)+" SET club = $1, run = $2", page.Club, e.run)
		}
		return err
	})
	return at, err
}

// claim locks the row of state for a transaction of this run. It fails if another run has taken over.
func (e *export) claim(ctx context.Context, tx pgx.Tx) error {
	var run string
	err := tx.QueryRow(ctx, "SELECT run FROM "+e.name(stateTable)+" FOR UPDATE").Scan(&run)
	if err == nil && run != e.run {
		err = ErrOvertaken
	}
	return err
}

// step brings the rows of some matches after one up to date, none after a last one, and returns up to which match it has come.
func (e *export) step(ctx context.Context, after, last storage.MatchID) (at storage.MatchID, more bool, err error) {
	page, err := e.source.Archive(ctx, after, e.pageSize)
	if err != nil {
		return "", false, err
	}
	page = upTo(page, last)
	if err := e.reach("read"); err != nil {
		return "", false, err
	}
	fresh := make(map[string]matchRows, len(page.Matches))
	for _, m := range page.Matches {
		rows, err := rowsOf(e.config.Games, m)
		if err != nil {
			return "", false, err
		}
		fresh[string(m.ID)] = rows
	}
	var done Report
	err = e.transaction(ctx, func(tx pgx.Tx) error {
		if err := e.claim(ctx, tx); err != nil {
			return err
		}
		var kept map[string][]byte
		kept, at, more, err = e.kept(ctx, tx, after, page)
		if err != nil {
			return err
		}
		var write []matchRows
		var stale []string
		done, write, stale = compare(kept, fresh, page, at, more)
		if err := e.write(ctx, tx, write, stale); err != nil {
			return err
		}
		if err := e.reach("keep"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE "+e.name(stateTable)+" SET position = $1", string(at))
		return err
	})
	if err != nil {
		return "", false, err
	}
	e.report.add(done)
	return at, more, e.reach("kept")
}

// upTo returns a page without what comes after a last match; "" is none.
func upTo(page results.ArchivePage, last storage.MatchID) results.ArchivePage {
	if last == "" || page.More && page.Last <= last {
		return page
	}
	page.Matches = slices.DeleteFunc(page.Matches, func(m results.ArchivedMatch) bool { return m.ID > last })
	page.Damaged = slices.DeleteFunc(page.Damaged, func(id storage.MatchID) bool { return id > last })
	page.Last, page.More = last, true
	return page
}

// kept returns the hashes of the matches that the tables have in the range of a page. The range ends earlier if they have many more than the page; at is
// its last match then, and else that of the page.
func (e *export) kept(ctx context.Context, tx pgx.Tx, after storage.MatchID, page results.ArchivePage) (hashes map[string][]byte, at storage.MatchID, more bool, err error) {
	most := 4 * e.pageSize
	query := "SELECT match_id, content_hash FROM " + e.name(matchesTable) + " WHERE match_id > $1"
	args := []any{string(after)}
	if page.More {
		query += " AND match_id <= $2"
		args = append(args, string(page.Last))
	}
	rows, err := tx.Query(ctx, query+fmt.Sprintf(" ORDER BY match_id LIMIT %d", most+1), args...)
	if err != nil {
		return nil, "", false, err
	}
	hashes = make(map[string][]byte)
	var id string
	var hash []byte
	last := ""
	_, err = pgx.ForEachRow(rows, []any{&id, &hash}, func() error {
		if len(hashes) == most {
			more = true // and this row is for the next step
			return nil
		}
		hashes[id], last = slices.Clone(hash), id
		return nil
	})
	if more {
		return hashes, storage.MatchID(last), true, err
	}
	return hashes, page.Last, page.More, err
}

// compare returns what is to be done about the matches of a range, which ends with the match at if more of them follow: the rows to write, and the
// matches whose rows are to go before.
func compare(kept map[string][]byte, fresh map[string]matchRows, page results.ArchivePage, at storage.MatchID, more bool) (done Report, write []matchRows, stale []string) {
	within := func(id storage.MatchID) bool { return !more || id <= at }
	for _, id := range page.Damaged {
		if within(id) {
			done.Unreadable++
			delete(kept, string(id)) // it stays as it is
		}
	}
	for _, m := range page.Matches {
		if !within(m.ID) {
			break
		}
		rows := fresh[string(m.ID)]
		done.Matches++
		hash, there := kept[string(m.ID)]
		delete(kept, string(m.ID))
		switch {
		case !there:
			done.Added++
		case slices.Equal(hash, rows.hash):
			continue
		default:
			done.Changed++
			stale = append(stale, string(m.ID))
		}
		write = append(write, rows)
	}
	for id := range kept {
		done.Removed++
		stale = append(stale, id)
	}
	slices.Sort(stale) // in the order of the table
	return done, write, stale
}

// write removes the rows of stale matches, and writes the rows of all.
func (e *export) write(ctx context.Context, tx pgx.Tx, all []matchRows, stale []string) error {
	if err := e.reach("remove"); err != nil {
		return err
	}
	if len(stale) > 0 {
		if _, err := tx.Exec(ctx, "DELETE FROM "+e.name(matchesTable)+" WHERE match_id = ANY($1)", stale); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	var matches, sides, moves [][]any
	for _, r := range all {
		matches = append(matches, r.match)
		sides = append(sides, r.results[:]...)
		moves = append(moves, r.moves...)
	}
	for _, part := range []struct {
		table string
		rows  [][]any
	}{{matchesTable, matches}, {resultsTable, sides}, {movesTable, moves}} {
		if err := e.reach(part.table); err != nil {
			return err
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{e.config.Schema, part.table}, columnsOf(part.table), pgx.CopyFromRows(part.rows)); err != nil {
			return fmt.Errorf("the table %s: %w", part.table, err)
		}
	}
	return nil
}

// complete keeps that the export is complete, and has the database look at how the rows are spread if many have changed.
func (e *export) complete(ctx context.Context) error {
	if err := e.reach("complete"); err != nil {
		return err
	}
	err := e.transaction(ctx, func(tx pgx.Tx) error {
		if err := e.claim(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE "+e.name(stateTable)+" SET position = '', completed_at = now()")
		return err
	})
	if err != nil || e.report.Added+e.report.Changed+e.report.Removed == 0 {
		return err
	}
	_, err = e.conn.Exec(ctx, "ANALYZE "+e.name(matchesTable)+", "+e.name(resultsTable)+", "+e.name(movesTable))
	return err
}

// The bounds of a transaction: how long it waits for others, and how long it may stand when this program is gone.
const (
	lockTimeout = "60s"
	idleTimeout = "120s"
)

// closeTimeout is how long the database has to end a connection.
const closeTimeout = 5 * time.Second

// transaction runs do in a transaction.
func (e *export) transaction(ctx context.Context, do func(tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, e.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('lock_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)", lockTimeout, idleTimeout); err != nil {
			return err
		}
		return do(tx)
	})
}

// reach calls the test's function for a part of a step.
func (e *export) reach(name string) error {
	if e.stage == nil {
		return nil
	}
	return e.stage(name)
}

// add adds what a step has done.
func (r *Report) add(step Report) {
	r.Matches += step.Matches
	r.Added += step.Added
	r.Changed += step.Changed
	r.Removed += step.Removed
	r.Unreadable += step.Unreadable
}
