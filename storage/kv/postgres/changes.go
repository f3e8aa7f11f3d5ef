package postgres

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/recent"
	"ludoteca/storage/kv/remote"
)

// How changes are watched
//
// The follower of a store reads the log while there are watchers: after each commit of the store, after each NOTIFY, and every pollEvery, in
// case a NOTIFY was lost with its connection. It keeps the newest changes (package recent), from which watchers take theirs. A watcher that is
// further behind reads the log by itself until it has caught up. One whose revision the log doesn't reach back to gets kv.ErrCompacted.
//
// The log holds what keys held before a change, so what a change has left there is in entries, or in the next change of the key.

// changesText returns changes after revision $1, or of it after key $2: at most $3, and none after $4 bytes of values.
const changesText = `
SELECT s.floor, n.revision, q.revision, q.key, q.value FROM {s}.state s
  CROSS JOIN (SELECT revision FROM {s}.changes ORDER BY revision DESC LIMIT 1) n
  LEFT JOIN LATERAL (
    SELECT revision, key, value FROM (
      SELECT revision, key, value,
        sum(coalesce(octet_length(value), 0)) OVER (ORDER BY revision, key ROWS UNBOUNDED PRECEDING) - coalesce(octet_length(value), 0) AS before
      FROM (
        SELECT c.revision, c.key, CASE WHEN e.revision = c.revision THEN e.value ELSE
            (SELECT o.old FROM {s}.changes o WHERE o.key = c.key AND o.revision > c.revision ORDER BY o.revision LIMIT 1) END AS value
          FROM (SELECT revision, key FROM {s}.changes WHERE (revision, key) > ($1::bigint, $2::bytea) ORDER BY revision, key LIMIT $3) c
          LEFT JOIN {s}.entries e ON e.key = c.key
      ) whole
    ) sized WHERE before < $4
  ) q ON true ORDER BY q.revision, q.key`

const (
	pollEvery      = 500 * time.Millisecond
	logPage        = 4096 // changes of a page of the log
	logPageBytes   = 1 << 20
	listenAgain    = 100 * time.Millisecond // after the connection for LISTEN is lost, or can't be made, at least
	listenAgainMax = time.Second
)

// A logPart is a page of the log.
type logPart struct {
	floor   int64 // up to which revision the log was dropped
	newest  int64 // revision
	changes []kv.Change
	last    bool // no change was left out
}

// readLog reads the changes after a revision, or of that revision after a key.
func (s *Store) readLog(ctx context.Context, after int64, key []byte) (p logPart, err error) {
	if key == nil {
		key = end // all changes of the revision come before
	}
	err = s.ask(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		p = logPart{}
		rows, err := c.Query(ctx, s.sql.changes, after, key, logPage, logPageBytes)
		if err != nil {
			return err
		}
		defer rows.Close()
		size := 0
		for rows.Next() {
			var revision *int64
			var change kv.Change
			if err := rows.Scan(&p.floor, &p.newest, &revision, &change.Key, &change.Value); err != nil {
				return err
			}
			if revision != nil { // else there is nothing
				change.Revision = kv.Revision(*revision)
				p.changes = append(p.changes, change)
				size += len(change.Value)
			}
		}
		p.last = len(p.changes) < logPage && size < logPageBytes
		return rows.Err()
	})
	return p, err
}

// A follower reads the log for the watchers of a store.
type follower struct {
	store  *Store
	config *pgx.ConnConfig // of the connection for LISTEN
	recent *recent.Changes
	wake   chan struct{} // holds one when the log may have grown
}

func newFollower(s *Store, config *pgx.ConnConfig) *follower {
	f := &follower{store: s, config: config, wake: make(chan struct{}, 1)}
	f.recent = recent.New(f.kick)
	return f
}

// wakeFor has the follower look into the log, unless it knows it up to a revision.
func (f *follower) wakeFor(newest int64) {
	if upTo, began := f.recent.Position(); !began || upTo < kv.Revision(newest) {
		f.kick()
	}
}

func (f *follower) kick() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// run reads the log until the store is closed.
func (f *follower) run() {
	ctx := f.store.ctx
	defer f.recent.Close(kv.ErrClosed)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for failed := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-tick.C:
		}
		for more := f.recent.Watched(); more && ctx.Err() == nil; {
			var err error
			more, err = f.read(ctx)
			switch {
			case err == nil:
				failed = 0
			case ctx.Err() == nil:
				if failed++; failed == 1 {
					f.store.log.Warn("the log of changes can't be read; tried again", "err", err)
				}
			}
		}
	}
}

// read moves a page of the log to the newest changes, and reports whether more may follow.
func (f *follower) read(ctx context.Context) (more bool, err error) {
	at, began := f.recent.Position()
	if !began {
		now, err := f.store.newest(ctx)
		if err == nil {
			f.recent.Begin(kv.Revision(now))
		}
		return false, err
	}
	p, err := f.store.readLog(ctx, int64(at), nil)
	if err != nil {
		return false, err
	}
	f.store.latest.Saw(p.newest)
	switch {
	case p.newest < int64(at):
		f.store.log.Error("the database has lost changes that were committed: it is older than it was", "revision", p.newest, "was", int64(at))
		f.recent.Restart(kv.Revision(p.newest))
		return false, nil
	case p.floor > int64(at): // nobody has watched for long
		f.recent.Begin(kv.Revision(p.newest))
		return false, nil
	}
	whole := p.changes
	if !p.last { // the last transaction may go on
		n := len(whole)
		for n > 0 && whole[n-1].Revision == whole[len(whole)-1].Revision {
			n--
		}
		if n == 0 { // it is larger than a page, and watchers read it from the log
			f.recent.Begin(whole[0].Revision)
			return true, nil
		}
		whole = whole[:n]
	}
	f.recent.Add(whole)
	return !p.last, nil
}

// listen waits for NOTIFY until the store is closed.
func (f *follower) listen() {
	ctx := f.store.ctx
	for n := 0; ctx.Err() == nil; n++ {
		began := time.Now()
		_ = f.listenOnce(ctx) // pings and commits say when the database doesn't answer; until then the log is polled
		if time.Since(began) > time.Hour {
			n = 0
		}
		if remote.Pause(ctx, min(listenAgain<<min(n, 8), listenAgainMax)) != nil {
			return
		}
	}
}

func (f *follower) listenOnce(ctx context.Context) error {
	l := link{config: f.config}
	defer l.drop()
	conn, err := l.get(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, f.store.sql.listen); err != nil {
		return err
	}
	for {
		f.kick() // at first because of what came before LISTEN
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}

// Watch implements kv.Store.
func (s *Store) Watch(ctx context.Context, prefix []byte, after kv.Revision) iter.Seq2[kv.Change, error] {
	return s.follow.recent.Watch(ctx, prefix, after, func(at, upTo kv.Revision, yield func(kv.Change) bool) (kv.Revision, error) {
		if s.ctx.Err() != nil {
			return at, kv.ErrClosed
		}
		came, err := s.catchUp(ctx, prefix, at, upTo, yield)
		return came, s.whyEnded(ctx, err)
	})
}

// whyEnded returns the error of ctx, or kv.ErrClosed, in place of one that follows from the end of a watch.
func (s *Store) whyEnded(ctx context.Context, err error) error {
	switch {
	case err == nil || errors.Is(err, kv.ErrCompacted):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case s.ctx.Err() != nil:
		return kv.ErrClosed
	}
	return err
}

// catchUp yields changes from the log, after one revision and up to another, and returns the revision up to which it came. It goes on until the
// database answers.
func (s *Store) catchUp(ctx context.Context, prefix []byte, after, to kv.Revision, yield func(kv.Change) bool) (kv.Revision, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	var held *kv.Change // until it is known whether another one of its transaction follows
	at, key := after, []byte(nil)
	for failed := 0; ; {
		p, err := s.readLog(ctx, int64(at), key)
		switch {
		case err != nil && (ctx.Err() != nil || final(err) || remote.Pause(ctx, remote.Backoff(failed)) != nil):
			return at, err
		case err != nil:
			failed++
			continue
		case p.floor > int64(at):
			return at, kv.ErrCompacted
		}
		failed = 0
		for _, c := range p.changes {
			if c.Revision > to {
				p.last = true
				break
			}
			at, key = c.Revision, c.Key
			if len(key) == 0 || !bytes.HasPrefix(key, prefix) { // the log of a new store begins with a change of no key
				continue
			}
			if held != nil {
				held.More = held.Revision == c.Revision
				if !yield(*held) {
					return at, nil
				}
			}
			held = &c
		}
		if !p.last {
			continue
		}
		if held != nil && !yield(*held) {
			return at, nil
		}
		return to, nil
	}
}
