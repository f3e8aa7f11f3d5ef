package postgres

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

// How a snapshot is read
//
// A row of entries whose revision is not after the snapshot's is as it was then. What another key held then is in the first change of
// the key after that revision. Each request does both and reads how far the log reaches back, all at one moment.
//
// The first request of a View reads the present and finds out which revision that is, so a View that reads one key takes one request.

// getText returns for each of some keys its place among them, counted from 1, and what it held at a revision.
const getText = `
SELECT s.floor, k.n, CASE WHEN e.revision <= $2 THEN e.value ELSE
    (SELECT c.old FROM {s}.changes c WHERE c.key = k.key AND c.revision > $2 ORDER BY c.revision LIMIT 1) END
  FROM {s}.state s CROSS JOIN unnest($1::bytea[]) WITH ORDINALITY k(key, n) LEFT JOIN {s}.entries e ON e.key = k.key`

// getNowText does the same at the present revision, which it also returns.
const getNowText = `
SELECT p.revision, k.n, e.value
  FROM (SELECT revision FROM {s}.changes ORDER BY revision DESC LIMIT 1) p CROSS JOIN unnest($1::bytea[]) WITH ORDINALITY k(key, n)
  LEFT JOIN {s}.entries e ON e.key = k.key`

// pageNowText returns a page of a range ($1 to $2) at the present revision, which it also returns: at most $3 entries, and none after $4 bytes
// of values.
func pageNowText(reverse bool) string {
	order := ""
	if reverse {
		order = " DESC"
	}
	return `
SELECT p.revision, q.key, q.value FROM (SELECT revision FROM {s}.changes ORDER BY revision DESC LIMIT 1) p LEFT JOIN LATERAL (
  SELECT key, value FROM (
    SELECT key, value, sum(octet_length(value)) OVER (ORDER BY key` + order + ` ROWS UNBOUNDED PRECEDING) - octet_length(value) AS before FROM (
      SELECT key, value FROM {s}.entries WHERE key >= $1::bytea AND key < $2::bytea ORDER BY key` + order + ` LIMIT $3::bigint
    ) whole
  ) sized WHERE before < $4::bigint
) q ON true ORDER BY q.key` + order
}

// pageText returns a page of a range ($1 to $2) at a revision ($3): at most $4 entries, and none after $5 bytes of values. The
// keys that have changed since are few, and sought by revision, if the snapshot is recent; otherwise they are sought among all changes of
// the keys of the page.
func pageText(reverse, recent bool) string {
	order, low, high := "", "$1", "coalesce((SELECT key || '\\x00' FROM page ORDER BY key OFFSET $4::bigint - 1 LIMIT 1), $2)"
	if reverse {
		order, low, high = " DESC", "coalesce((SELECT key FROM page ORDER BY key DESC OFFSET $4::bigint - 1 LIMIT 1), $1)", "$2"
	}
	of := "{s}.changes"
	if recent {
		of = "(SELECT revision, key, old FROM {s}.changes WHERE revision > $3 ORDER BY revision, key OFFSET 0)"
	}
	return `
SELECT s.floor, q.key, q.value FROM {s}.state s LEFT JOIN LATERAL (
  SELECT key, value FROM (
    SELECT key, value, sum(octet_length(value)) OVER (ORDER BY key` + order + ` ROWS UNBOUNDED PRECEDING) - octet_length(value) AS before FROM (
      WITH page AS MATERIALIZED (
        SELECT key, value FROM {s}.entries WHERE key >= $1::bytea AND key < $2::bytea AND revision <= $3::bigint ORDER BY key` + order + ` LIMIT $4::bigint
      ), since AS (
        SELECT DISTINCT ON (c.key) c.key, c.old AS value FROM ` + of + ` c
          WHERE c.revision > $3 AND c.key >= ` + low + ` AND c.key < ` + high + ` ORDER BY c.key, c.revision
      )
      (SELECT key, value FROM page UNION ALL SELECT key, value FROM since WHERE value IS NOT NULL) ORDER BY key` + order + ` LIMIT $4
    ) whole
  ) sized WHERE before < $5::bigint
) q ON true ORDER BY q.key` + order
}

// A snapshot implements kv.Reader at one revision. It lives as long as a call of View or Update, whose context it keeps.
type snapshot struct {
	store    *Store
	ctx      context.Context
	revision int64 // 0: the first request will find it
	failed   error // of a request for the revision alone
}

// newest asks for the newest revision.
func (s *Store) newest(ctx context.Context) (revision int64, err error) {
	err = s.ask(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		return c.QueryRow(ctx, s.sql.newest).Scan(&revision)
	})
	if err != nil {
		return 0, err
	}
	s.latest.Saw(revision)
	return revision, nil
}

// began notes which revision the first request of the snapshot has read.
func (s *snapshot) began(revision int64) {
	s.revision = revision
	s.store.latest.Saw(revision)
}

// ask asks the server for the revision if no request has found it yet.
func (s *snapshot) ask() error {
	if s.revision == 0 && s.failed == nil {
		s.revision, s.failed = s.store.newest(s.ctx)
	}
	return s.failed
}

// Revision implements kv.Reader. It is 0 if the server does not answer: then the next read returns the error.
func (s *snapshot) Revision() kv.Revision {
	_ = s.ask()
	return kv.Revision(s.revision)
}

// Get implements kv.Reader.
func (s *snapshot) Get(key []byte) ([]byte, error) {
	values, err := s.GetAll([][]byte{key})
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

// maxGets is how many keys one request asks for.
const maxGets = 5000

// GetAll implements kv.Reader.
func (s *snapshot) GetAll(keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	var valid []int // the indexes of the keys that follow the rules; nothing is under the others
	for i, key := range keys {
		if kv.Check(key, nil) == nil {
			valid = append(valid, i)
		}
	}
	for part := range slices.Chunk(valid, maxGets) {
		asked := make([][]byte, len(part))
		for n, i := range part {
			asked[n] = keys[i]
		}
		if s.failed != nil {
			return nil, s.failed
		}
		text, arguments := s.store.sql.get, []any{asked, s.revision}
		if s.revision == 0 {
			text, arguments = s.store.sql.getNow, arguments[:1]
		}
		if err := s.store.ask(s.ctx, func(ctx context.Context, c *pgxpool.Conn) error {
			rows, err := c.Query(ctx, text, arguments...)
			if err != nil {
				return err
			}
			defer rows.Close()
			var of, n int64
			for rows.Next() {
				var value []byte
				if err := rows.Scan(&of, &n, &value); err != nil {
					return err
				}
				values[part[n-1]] = value
			}
			if err := rows.Err(); err != nil {
				return err
			}
			return s.read(of)
		}); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// read takes what a request says besides its entries: the first one which revision it has read, the others up to which revision the log was
// dropped. The error is kv.ErrCompacted if that is after the snapshot's.
func (s *snapshot) read(of int64) error {
	switch {
	case s.revision == 0:
		s.began(of)
	case of > s.revision:
		return kv.ErrCompacted
	}
	return nil
}

// Scan implements kv.Reader.
func (s *snapshot) Scan(r kv.Range) iter.Seq2[kv.Pair, error] { return overlay.Scan(s, r) }

// Cursor implements overlay.Base.
func (s *snapshot) Cursor(r kv.Range) overlay.Cursor {
	if r.To == nil {
		r.To = end
	}
	if r.From == nil {
		r.From = []byte{}
	}
	return &pages{snapshot: s, r: r}
}

// end is after all keys.
var end = bytes.Repeat([]byte{0xff}, kv.MaxKey+1)

// Pages of a scan have up to pageBytes of values, and one value more. The first has as many entries as the range expects. If it says nothing, the
// first has at most firstPage, because most scans are short.
const (
	pageBytes    = 256 << 10
	firstPage    = 32
	maxPage      = 2000
	pageGrowth   = 8
	recentEnough = 2000 // revisions: a snapshot that is no older finds what has changed since by revision
)

// pages iterates over a range of a snapshot.
type pages struct {
	snapshot *snapshot
	r        kv.Range
	limit    int
	loaded   []kv.Pair
	last     bool // nothing follows what is loaded
	at       kv.Pair
}

// Next implements overlay.Cursor.
func (p *pages) Next() (key []byte, err error) {
	p.at = kv.Pair{}
	if len(p.loaded) == 0 && !p.last {
		if err := p.load(); err != nil {
			return nil, err
		}
	}
	if len(p.loaded) == 0 {
		return nil, nil
	}
	p.at = p.loaded[0]
	p.loaded = p.loaded[1:]
	if len(p.loaded) == 0 { // the next page begins behind this key
		if p.r.Reverse {
			p.r.To = p.at.Key
		} else {
			p.r.From = append(bytes.Clone(p.at.Key), 0)
		}
	}
	return p.at.Key, nil
}

// Value implements overlay.Cursor.
func (p *pages) Value() ([]byte, error) { return p.at.Value, nil }

func (p *pages) load() error {
	if bytes.Compare(p.r.From, p.r.To) >= 0 {
		p.last = true
		return nil
	}
	s := p.snapshot.store
	if p.snapshot.failed != nil {
		return p.snapshot.failed
	}
	if p.limit == 0 && p.r.Expect > 0 {
		p.limit = min(p.r.Expect, maxPage)
	} else {
		p.limit = min(max(firstPage, pageGrowth*p.limit), maxPage)
	}
	kind := 0
	if p.r.Reverse {
		kind |= 1
	}
	var text string
	arguments := []any{p.r.From, p.r.To}
	if revision := p.snapshot.revision; revision == 0 {
		text = s.sql.pagesNow[kind]
	} else {
		if s.latest.Load()-revision <= recentEnough {
			kind |= 2
		}
		text, arguments = s.sql.pages[kind], append(arguments, revision)
	}
	arguments = append(arguments, p.limit, pageBytes)
	return s.ask(p.snapshot.ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		p.loaded = nil
		rows, err := c.Query(ctx, text, arguments...)
		if err != nil {
			return err
		}
		defer rows.Close()
		var of int64
		size := 0
		for rows.Next() {
			var e kv.Pair
			if err := rows.Scan(&of, &e.Key, &e.Value); err != nil {
				return err
			}
			if e.Key != nil { // else there is nothing
				p.loaded = append(p.loaded, e)
				size += len(e.Value)
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		p.last = len(p.loaded) < p.limit && size < pageBytes
		return p.snapshot.read(of)
	})
}
