// Package postgres implements kv on a database of PostgreSQL (15 or newer) that several nodes may share.
//
// # Tables
//
// A store is a schema with these tables (tables.go):
//
//	entries    each key with its value and the revision of its last change
//	changes    the log: for each change of a key its revision, and what the key held before
//	sessions   the last commit of each open store
//	state      one row: the version of this format, and up to which revision the log was dropped
//
// # Commits
//
// A change runs on a snapshot, and its writes are buffered. Then one call of a function in the database takes the commit lock of the schema
// (an advisory lock that lasts until the transaction has ended), looks in the log whether something has changed that the change has read, and
// writes. Commits of all nodes are so one after another, each takes the next revision after the newest of the log, and nobody sees a commit
// before all that came before it: revisions are in commit order, which numbers of a sequence alone are not. The lock also makes the
// transactions serialisable, so the isolation level of the database is read committed.
//
// The lock is held until the commit is on disk, so a database does one commit a sync. Therefore a store sends all transactions that wait as
// one (commit.go).
//
// # Snapshots
//
// A snapshot is a revision. No transaction of the database lasts longer than one request: what a key held at a revision is in entries, if it
// has not changed since, and otherwise in the first change after it (snapshot.go). So a reader may take its time, and vacuum never waits for
// it. A View that lasts longer than the log reaches back ends with kv.ErrCompacted.
//
// A copy of the whole store lasts longer: the log reaches back over a few minutes of a busy club. So a copy is a ViewLong, which holds the log: it
// keeps a shared advisory lock, on a connection of its own, and no store raises the floor of the log while there is one (hold.go). A
// transaction of the database for the whole copy would need no log, but while it lasts vacuum removes nothing of what commits leave behind, and
// each commit, which writes the row of its session, gets slower. Reading ranges and then what has changed since would need the same log, and the
// copy would have to be changed in place. What the log may grow by meanwhile is bounded (history.go); a copy that needs more ends with
// kv.ErrCompacted.
//
// # Standbys
//
// A commit is shown to nobody before the synchronous standbys have it, because the server sees to that, with one exception: a server that was
// killed shows all that its disk has once it runs again. So each connection begins with a commit (connect.go), which waits for the standbys. It
// also keeps stores from a primary whose standby was promoted.
//
// # Watches
//
// Each store reads the log once, when it has committed or when NOTIFY says that another has, and keeps the newest changes for its watchers
// (changes.go).
//
// # Limits
//
// A transaction may write up to a gigabyte, of which the database logs each byte. The index holds keys of up to 2,600 bytes; a longer one
// only if it can be compressed to that. A pooler between the store and the database must keep sessions, because of LISTEN.
package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/remote"
)

var (
	// ErrUnavailable says that the database did not answer in time, or refused to. Nothing was written.
	ErrUnavailable = errors.New("PostgreSQL does not answer")

	// ErrReadOnly says that the server takes no changes. It comes with ErrUnavailable: the server may become the primary, or the
	// primary be found at the next try.
	ErrReadOnly = errors.New("the server is a read-only standby")

	// ErrFull says that the disk of the server is full. Nothing was written.
	ErrFull = errors.New("the disk of PostgreSQL is full")

	// ErrConflict says that others kept changing what a transaction had read. Nothing was written.
	ErrConflict = remote.ErrConflict

	// ErrTooLarge says that a transaction writes more than PostgreSQL accepts, or too long a key. Nothing was written. It wraps kv.ErrInvalid.
	ErrTooLarge = fmt.Errorf("%w: a transaction that is too large", kv.ErrInvalid)

	// ErrFormat says that the schema holds something else than a store of this version.
	ErrFormat = errors.New("another version of the program made this store")

	// ErrVersion says that the server is older than what the engine is tested with.
	ErrVersion = errors.New("PostgreSQL must be of version 15 or newer")
)

// Options say how to reach the database and how to use it. Address must be set.
type Options struct {
	Address string // postgres://USER@HOST:PORT/DATABASE?..., as libpq takes it, its environment variables and .pgpass included
	Schema  string // "" is DefaultSchema

	Connections    int           // for reading; 0 is 16. One more each for commits and for LISTEN
	OpenTimeout    time.Duration // until the database must have answered Open; 0 is 5 s
	TryTimeout     time.Duration // after which a request is sent again; 0 is 2 s
	RequestTimeout time.Duration // until a read, or a commit, must have its answer; 0 is 10 s
	PingEvery      time.Duration // between two pings; 0 is 1 s
	HistoryBytes   int64         // that a store writes to the log, about, until it drops what was there when it last did; 0 is 256 MiB

	Log    *slog.Logger // nil is silence
	Meters kv.Meters
}

var schemaName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,53}$`)

// DefaultSchema is the schema of a store unless Options say another.
const DefaultSchema = "club"

// A Store is an open store. It implements kv.Store.
type Store struct {
	options Options
	log     *slog.Logger
	sql     *statements
	pool    *pgxpool.Pool // for reading
	commits *committer
	follow  *follower
	history *history
	calls   *remote.Calls
	changes *remote.Changes[*tx]

	ctx    context.Context // ends when the store is closed
	cancel context.CancelFunc
	worker sync.WaitGroup // the goroutines of the store

	latest remote.Revision
	health atomic.Pointer[Health]

	closeOnce sync.Once
}

var (
	_ kv.Store      = (*Store)(nil)
	_ kv.LongViewer = (*Store)(nil)
)

// Open connects to the database, and makes the tables if there are none. Its errors are one line for a person; they wrap
// ErrUnavailable, ErrReadOnly, ErrFormat or ErrVersion, or say what is wrong with the options.
func Open(ctx context.Context, o Options) (*Store, error) {
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{{&o.OpenTimeout, 5 * time.Second}, {&o.TryTimeout, 2 * time.Second}, {&o.RequestTimeout, 10 * time.Second}, {&o.PingEvery, time.Second}} {
		if *d.value <= 0 {
			*d.value = d.usual
		}
	}
	if o.HistoryBytes <= 0 {
		o.HistoryBytes = 256 << 20
	}
	if o.Schema == "" {
		o.Schema = DefaultSchema
	}
	if !schemaName.MatchString(o.Schema) {
		return nil, fmt.Errorf("%w: a schema named %q", kv.ErrInvalid, o.Schema)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pool, err := o.poolConfig()
	if err != nil {
		return nil, fmt.Errorf("storage: open PostgreSQL: %w", err)
	}
	if far := unencrypted(pool.ConnConfig); far != "" {
		o.Log.Warn("the way to PostgreSQL on another machine may be unencrypted, or lead to another: sslmode=verify-full makes sure", "server", far)
	}
	s := &Store{options: o, log: o.Log, sql: newStatements(o.Schema), calls: remote.NewCalls(o.Meters)}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if s.pool, err = pgxpool.NewWithConfig(s.ctx, pool); err == nil {
		err = s.prepare(ctx)
	}
	if err != nil {
		s.cancel()
		if s.pool != nil {
			s.pool.Close()
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("storage: open PostgreSQL at %s: %w", placeOf(pool.ConnConfig), err)
	}
	session := make([]byte, 16)
	_, _ = rand.Read(session) // never fails
	s.commits = newCommitter(s, session, pool.ConnConfig)
	s.changes = remote.NewChanges(remote.Server[*tx]{
		Calls: s.calls, Seen: &s.latest, Settle: s.commits.settleUnsure, Newest: s.newest, Begin: s.begin, Commit: s.commitTx, AtOnce: remote.RunsAmong, Retry: o.Meters.Retry, Log: s.log,
	})
	s.follow = newFollower(s, pool.ConnConfig)
	s.history = &history{store: s, written: remote.NewAmount(o.HistoryBytes)}
	s.ping(ctx, true)
	s.worker.Go(s.commits.run)
	s.worker.Go(s.follow.run)
	s.worker.Go(s.follow.listen)
	s.worker.Go(s.history.maintain)
	s.worker.Go(s.watchHealth)
	return s, nil
}

// Close implements kv.Store.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.calls.Close()
		s.cancel()
		s.worker.Wait()
		s.commits.close()
		s.pool.Close()
	})
	return nil
}

// View implements kv.Store.
func (s *Store) View(ctx context.Context, read func(kv.Reader) error) error {
	return s.calls.Read(ctx, func() error {
		if err := s.commits.settleUnsure(ctx); err != nil {
			return err
		}
		snap := &snapshot{store: s, ctx: ctx}
		if err := remote.Catch(s.log, func() error { return read(snap) }); err != nil {
			return err
		}
		return snap.ask() // one that has read nothing fails too if the server does not answer
	})
}
