package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"ludoteca/storage/kv/remote"
)

// format is the version of the tables and functions.
const format = 1

// lockClass is the upper half of the number of the commit lock, and holdClass that of the lock of those who hold the log; the lower half is the
// object id of the table state.
const (
	lockClass = 0x4c55444f
	holdClass = lockClass + 1
)

// Statements are the texts of all requests for one schema.
type statements struct {
	schema string // quoted

	find, create         string
	newest               string
	get, getNow          string
	pages                [4]string // by reverse and recent: see pageText
	pagesNow             [2]string // by reverse
	commit, apply, fence string
	forget               string // a session
	hold                 string // the log
	changes              string
	floor, drop, sweep   string
	size                 string
	listen               string
}

// newStatements fills in the schema.
func newStatements(schema string) *statements {
	quoted := pgx.Identifier{schema}.Sanitize()
	literal := "'" + strings.ReplaceAll(quoted, "'", "''") + "'"
	fill := func(text string) string {
		return strings.NewReplacer("{s}", quoted, "{schema}", literal, "{channel}", "'"+strings.ReplaceAll(channel(schema), "'", "''")+"'",
			"{format}", fmt.Sprint(format), "{class}", fmt.Sprint(lockClass),
			"{held}", fmt.Sprintf("(%d::bigint << 32) | '%s.state'::regclass::oid::bigint", holdClass, strings.ReplaceAll(quoted, "'", "''"))).Replace(text)
	}
	s := &statements{schema: quoted}
	s.find = fill(`SELECT to_regclass({schema} || '.state') IS NOT NULL, current_setting('server_version_num')::int`)
	s.create = fill(createText)
	s.newest = fill(`SELECT revision FROM {s}.changes ORDER BY revision DESC LIMIT 1`)
	s.get, s.getNow = fill(getText), fill(getNowText)
	for i := range s.pages {
		s.pages[i] = fill(pageText(i&1 != 0, i&2 != 0))
	}
	for i := range s.pagesNow {
		s.pagesNow[i] = fill(pageNowText(i&1 != 0))
	}
	s.commit = fill(`SELECT base, newest, refused, bytes FROM {s}.commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`)
	s.apply = fill(`SELECT {s}.apply($1, '{}', $2, $3, $4)`)
	s.fence = fill(`SELECT base, newest, refused FROM {s}.fence($1, $2)`)
	s.forget = fill(`DELETE FROM {s}.sessions WHERE id = $1`)
	s.changes = fill(changesText)
	s.hold = fill(`SELECT pg_advisory_lock_shared({held})`)
	s.floor = fill(`WITH free AS MATERIALIZED (SELECT $2 OR pg_try_advisory_xact_lock({held}) AS is), ` +
		`raised AS (UPDATE {s}.state SET floor = $1 FROM free WHERE floor < $1 AND free.is) SELECT free.is FROM free`)
	s.drop = fill(`DELETE FROM {s}.changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM {s}.changes WHERE revision <= $1 AND revision < (` +
		`SELECT revision FROM {s}.changes ORDER BY revision DESC LIMIT 1) ORDER BY revision, key LIMIT $2))`)
	s.sweep = fill(`DELETE FROM {s}.sessions WHERE at < now() - interval '7 days'`)
	s.size = fill(`SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace ` +
		`WHERE c.relkind = 'r' AND n.oid = to_regnamespace({schema})`)
	s.listen = "LISTEN " + pgx.Identifier{channel(schema)}.Sanitize()
	return s
}

// channel is what NOTIFY names.
func channel(schema string) string { return "ludoteca_" + schema }

// createText makes the tables and functions of a new store.
//
// The function apply writes what transactions leave under keys: of each its number in the commit (its revision is base and that number), the
// key, and the value, NULL if the key was removed. It returns how many bytes the log has taken in.
//
// The function commit does what the package comment says. Arguments that are arrays belong together: the numbers of transactions, from 1 on,
// and what each has read or written. at is the revision of the snapshot of each. refused are the numbers of those that have read something
// that has changed. base is NULL if the commit was fenced off. A commit that was already carried out is never asked for again, because the
// number of a session grows with each.
//
// The function fence makes sure that a commit can't be carried out from then on, and returns what came of it: base is NULL if it never was.
const createText = `
CREATE SCHEMA IF NOT EXISTS {s};

CREATE TABLE {s}.entries (
  key bytea PRIMARY KEY,
  revision bigint NOT NULL,
  value bytea NOT NULL
) WITH (fillfactor = 90);

CREATE TABLE {s}.changes (
  revision bigint NOT NULL,
  key bytea NOT NULL,
  old bytea,
  PRIMARY KEY (revision, key)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX changes_of_key ON {s}.changes (key, revision);

CREATE TABLE {s}.sessions (
  id bytea PRIMARY KEY,
  number bigint NOT NULL,
  base bigint,
  refused int[] NOT NULL,
  at timestamptz NOT NULL
) WITH (fillfactor = 20);

CREATE TABLE {s}.state (
  format int NOT NULL,
  floor bigint NOT NULL
) WITH (fillfactor = 20);

INSERT INTO {s}.state VALUES ({format}, 1);
INSERT INTO {s}.changes VALUES (1, '', NULL);

CREATE FUNCTION {s}.apply(base bigint, refused int[], writers int[], keys bytea[], vals bytea[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  logged bigint;
BEGIN
  WITH added AS (
    INSERT INTO {s}.changes AS c (revision, key, old)
    SELECT base + w.writer, w.key, e.value
      FROM unnest(writers, keys, vals) w(writer, key, value) LEFT JOIN {s}.entries e ON e.key = w.key
      WHERE w.writer <> ALL (refused) AND (w.value IS NOT NULL OR e.key IS NOT NULL)
    ON CONFLICT DO NOTHING
    RETURNING octet_length(c.key) + coalesce(octet_length(c.old), 0) AS bytes
  ) SELECT sum(bytes) INTO logged FROM added;
  INSERT INTO {s}.entries AS e (key, revision, value)
    SELECT w.key, base + w.writer, w.value FROM unnest(writers, keys, vals) w(writer, key, value)
    WHERE w.value IS NOT NULL AND w.writer <> ALL (refused)
    ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, value = excluded.value;
  DELETE FROM {s}.entries e USING unnest(writers, keys, vals) w(writer, key, value)
    WHERE w.value IS NULL AND w.writer <> ALL (refused) AND e.key = w.key;
  RETURN coalesce(logged, 0);
END $$;

CREATE FUNCTION {s}.commit(session bytea, num bigint, at bigint[], readers int[], read_keys bytea[], scanners int[], scan_from bytea[],
  scan_to bytea[], removers int[], remove_from bytea[], remove_to bytea[], writers int[], keys bytea[], vals bytea[],
  OUT base bigint, OUT newest bigint, OUT refused int[], OUT bytes bigint) LANGUAGE plpgsql AS $$
DECLARE
  low bigint;
  gone bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(({class}::bigint << 32) | '{s}.state'::regclass::oid::bigint);
  IF (SELECT s.number >= num FROM {s}.sessions s WHERE s.id = session) THEN
    RETURN;
  END IF;
  SELECT floor INTO low FROM {s}.state;
  SELECT c.revision INTO base FROM {s}.changes c ORDER BY c.revision DESC LIMIT 1;
  refused := '{}';
  bytes := 0;
  IF EXISTS (SELECT FROM unnest(at) a WHERE a <> base) THEN
    refused := ARRAY(
      SELECT r.tx FROM unnest(readers, read_keys) r(tx, key)
        WHERE at[r.tx] < low OR at[r.tx] > base
          OR (SELECT true FROM {s}.changes c WHERE c.key = r.key AND c.revision > at[r.tx] LIMIT 1)
      UNION
      SELECT r.tx FROM unnest(scanners, scan_from, scan_to) r(tx, a, z)
        WHERE at[r.tx] < low OR at[r.tx] > base
          OR (SELECT true FROM (SELECT c.key FROM {s}.changes c WHERE c.revision > at[r.tx] ORDER BY c.revision, c.key OFFSET 0) c
            WHERE c.key >= r.a AND c.key < r.z LIMIT 1));
  END IF;
  IF cardinality(removers) > 0 THEN
    WITH removed AS (
      DELETE FROM {s}.entries e USING unnest(removers, remove_from, remove_to) r(tx, a, z)
        WHERE e.key >= r.a AND e.key < r.z AND r.tx <> ALL (refused)
        RETURNING r.tx, e.key, e.value
    ), added AS (
      INSERT INTO {s}.changes AS c (revision, key, old) SELECT base + tx, key, value FROM removed
        RETURNING octet_length(c.key) + octet_length(c.old) AS size
    ) SELECT coalesce(sum(size), 0) INTO bytes FROM added;
  END IF;
  IF cardinality(writers) > 0 THEN
    bytes := bytes + {s}.apply(base, refused, writers, keys, vals);
  END IF;
  INSERT INTO {s}.sessions AS s (id, number, base, refused, at) VALUES (session, num, base, refused, now())
    ON CONFLICT (id) DO UPDATE SET number = excluded.number, base = excluded.base, refused = excluded.refused, at = excluded.at;
  SELECT c.revision INTO newest FROM {s}.changes c ORDER BY c.revision DESC LIMIT 1;
  PERFORM pg_notify({channel}, '');
END $$;

CREATE FUNCTION {s}.fence(session bytea, num bigint, OUT base bigint, OUT newest bigint, OUT refused int[]) LANGUAGE plpgsql AS $$
DECLARE
  last bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(({class}::bigint << 32) | '{s}.state'::regclass::oid::bigint);
  SELECT s.number, s.base, s.refused INTO last, base, refused FROM {s}.sessions s WHERE s.id = session;
  IF last IS NULL OR last < num THEN
    base := NULL;
    INSERT INTO {s}.sessions AS s (id, number, base, refused, at) VALUES (session, num, NULL, '{}', now())
      ON CONFLICT (id) DO UPDATE SET number = excluded.number, base = NULL, refused = '{}', at = excluded.at;
  ELSE
    UPDATE {s}.sessions SET at = now() WHERE id = session;
  END IF;
  SELECT c.revision INTO newest FROM {s}.changes c ORDER BY c.revision DESC LIMIT 1;
END $$;
`

// prepare makes sure that the database answers and holds a store of this format. It makes one if there is none.
func (s *Store) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.OpenTimeout)
	defer cancel()
	var last error
	for n := 0; ; n++ {
		err := s.once(ctx, s.options.OpenTimeout, func(ctx context.Context, c *pgxpool.Conn) error { return s.sql.prepare(ctx, c.Conn()) })
		if ctx.Err() == nil || last == nil {
			last = err
		}
		switch {
		case err == nil || errors.Is(err, ErrFormat) || errors.Is(err, ErrVersion):
			return err
		case final(err) || ctx.Err() != nil || remote.Pause(ctx, max(remote.Backoff(n), 50*time.Millisecond)) != nil:
			return explain(last)
		}
	}
}

// explain says what an error means that Open ends with.
func explain(err error) error {
	switch codeOf(err) {
	case codePassword, codeUser:
		return fmt.Errorf("the server doesn't let the user in: %w", oneLine{err})
	case codeDenied:
		return fmt.Errorf("the user may not make the schema and its tables, or use them: %w", oneLine{err})
	case codeNoDatabase:
		return fmt.Errorf("there is no such database: %w", oneLine{err})
	}
	if errors.Is(err, ErrReadOnly) {
		return fmt.Errorf("%w: %w; name the primary, or all servers as HOST,HOST", ErrUnavailable, ErrReadOnly)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, oneLine{err})
}

func (q *statements) prepare(ctx context.Context, c *pgx.Conn) error {
	var found bool
	var version, is int
	if err := c.QueryRow(ctx, q.find).Scan(&found, &version); err != nil {
		return err
	}
	if version < 150000 {
		return fmt.Errorf("%w; this one is %d", ErrVersion, version/10000)
	}
	if !found {
		err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockClass)<<32); err != nil {
				return err
			}
			if err := tx.QueryRow(ctx, q.find).Scan(&found, &version); err != nil || found {
				return err // another node was first
			}
			_, err := tx.Conn().PgConn().Exec(ctx, q.create).ReadAll()
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := c.QueryRow(ctx, `SELECT format FROM `+q.schema+`.state`).Scan(&is); err != nil {
		return err
	}
	if is != format {
		return ErrFormat
	}
	return nil
}
