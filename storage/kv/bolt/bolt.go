// Package bolt is the default engine of kv: one bbolt file.
//
// The section of a key is the name of a bbolt bucket, and the rest of the key is the key in it.
//
// Writes of all callers go through one committer (committer.go), which makes a whole queue of them durable with one
// commit. Reads use a snapshot of the last durable commit (snapshot.go), so they neither wait for a writer nor see what
// a power failure could still take back. An existing file is checked page by page before bbolt sees it (file.go, pages).
package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"ludoteca/atomicfile"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/recent"
)

// ErrLocked says that another process has the file open.
var ErrLocked = errors.New("another club is running on this store")

// Options say how a store works. The zero value is fine.
type Options struct {
	Log         *slog.Logger  // nil is silence
	LockTimeout time.Duration // how long to wait for the file; 0 is DefaultLockTimeout
	Meters      kv.Meters
	Hooks       Hooks
}

// Hooks let tests, also of other packages, hold a commit back or make it fail. The zero value does nothing.
// They are called by the committer, one call at a time, while nothing else is written.
type Hooks struct {
	// BeforeCommit is called when a batch of transactions is about to go to disk. While it blocks, none of their callers
	// gets an answer and no reader sees them; if it returns an error, nothing is written and all get kv.ErrCommit.
	BeforeCommit func() error

	// AfterCommit is called when a batch has gone to disk, before any caller gets an answer. If it returns an error, all
	// get kv.ErrCommit although the changes are there.
	AfterCommit func() error
}

// A Store is an open store. It implements kv.Store.
type Store struct {
	path    string
	options Options
	log     *slog.Logger
	disk    atomicfile.Disk
	db      *bbolt.DB
	file    *os.File // bbolt's
	queue   chan *operation
	quit    chan struct{} // closed by Close: the committer drains the queue and ends
	stopped chan struct{} // closed by the committer when it has ended
	failed  chan struct{} // closed when the store can't go on
	changes *recent.Changes

	leastMapping int64

	closeOnce sync.Once
	closeErr  error

	mu      sync.Mutex
	current *snapshot     // of the last durable commit; nil while the mapping grows, after Close and after a failure
	resumed chan struct{} // set while the mapping grows: closed when readers may go on
	unsure  *unsureCommit // set while it is unknown whether the last commit is on disk
	closed  bool
	failure error // why the store can't go on
}

var _ kv.Store = (*Store)(nil)

// Open opens the store in the file path, or makes a new one there if there is no file. The error wraps ErrLocked,
// kv.ErrDamaged or one of the file system, and its text is one line for a person. Whatever is wrong with a file, Open
// leaves it as it is.
func Open(path string, o Options) (*Store, error) {
	return open(path, o, atomicfile.System{}, leastMapping())
}

func open(path string, o Options, disk atomicfile.Disk, leastMapping int64) (*Store, error) {
	if o.LockTimeout <= 0 {
		o.LockTimeout = DefaultLockTimeout
	}
	s := &Store{
		path:    path,
		options: o,
		log:     o.Log,
		disk:    disk,
		queue:   make(chan *operation, maxQueued),
		quit:    make(chan struct{}),
		stopped: make(chan struct{}),
		failed:  make(chan struct{}),

		leastMapping: leastMapping,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	err := s.openFile()
	if err == nil {
		err = s.publish()
	}
	if err != nil {
		return nil, fmt.Errorf("storage: open %s: %w", path, err)
	}
	s.changes = recent.New(nil)
	s.changes.Begin(s.current.revision())
	go s.commitQueue() // Close waits for it
	return s, nil
}

// Close implements kv.Store.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		close(s.quit)
		<-s.stopped
		s.changes.Close(kv.ErrClosed)
		s.mu.Lock()
		s.closed = true
		last, failed := s.current, s.failure != nil
		s.current = nil
		s.mu.Unlock()
		if failed {
			return // bbolt may hold its locks for ever; the file's lock goes with the process
		}
		s.release(last)
		if err := s.db.Close(); err != nil {
			s.closeErr = fmt.Errorf("storage: close: %w", err)
		}
	})
	return s.closeErr
}

// Failed returns a channel that is closed when the store can't go on: bbolt panicked in a commit, or the disk is gone.
// Every call returns kv.ErrFailed then. What was acknowledged is on disk; open the store anew, in a new process.
func (s *Store) Failed() <-chan struct{} { return s.failed }

// Err returns nil, or why the store can't go on, in one line.
func (s *Store) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// fail lets the store end for good. The committer calls it.
func (s *Store) fail(cause error) {
	s.mu.Lock()
	s.failure = fmt.Errorf("%w: %v", kv.ErrFailed, cause)
	s.current = nil // its transaction is never closed: bbolt may hold its locks for ever
	s.resumeReaders()
	s.mu.Unlock()
	s.log.Error("the store failed for good", "err", cause)
	s.changes.Close(s.failure)
	close(s.failed)
}

// View implements kv.Store.
func (s *Store) View(ctx context.Context, read func(kv.Reader) error) error {
	return s.view(ctx, func(snap *snapshot) error { return read(&reader{getter{snapshot: snap}}) })
}

func (s *Store) view(ctx context.Context, read func(*snapshot) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if report := s.options.Meters.Read; report != nil {
		defer func(began time.Time) { report(time.Since(began)) }(time.Now())
	}
	snap, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.release(snap)
	return s.catch(func() error { return read(snap) })
}

// acquire returns the newest snapshot, which the caller must release.
func (s *Store) acquire(ctx context.Context) (*snapshot, error) {
	for {
		s.mu.Lock()
		snap, resumed, unsure := s.current, s.resumed, s.unsure != nil
		switch {
		case s.failure != nil:
			defer s.mu.Unlock()
			return nil, s.failure
		case s.closed:
			s.mu.Unlock()
			return nil, kv.ErrClosed
		case snap != nil && !unsure:
			snap.uses++
			s.mu.Unlock()
			return snap, nil
		}
		s.mu.Unlock()
		if unsure {
			if err := s.update(ctx, nil); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-resumed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// release ends a use of a snapshot. The last one closes it.
func (s *Store) release(snap *snapshot) {
	if snap == nil {
		return
	}
	s.mu.Lock()
	snap.uses--
	last := snap.uses == 0
	s.mu.Unlock()
	if last {
		_ = snap.tx.Rollback() // fails only if it has ended already
	}
}

// resumeReaders wakes the readers that wait while the mapping grows. s.mu is held.
func (s *Store) resumeReaders() {
	if s.resumed != nil {
		close(s.resumed)
		s.resumed = nil
	}
}

// publish makes the state of the file, which is on disk, the newest snapshot.
func (s *Store) publish() error {
	t, err := s.db.Begin(false)
	if err != nil {
		return err
	}
	s.mu.Lock()
	old := s.current
	s.current = &snapshot{tx: t, uses: 1, buckets: map[string]*bbolt.Bucket{}}
	s.unsure = nil
	s.resumeReaders()
	s.mu.Unlock()
	s.release(old)
	return nil
}

// catch runs f and turns a panic into kv.ErrDamaged: bbolt panics if a page makes no sense. A page beyond the end of the file is
// a fault in mapped memory, which would end the process without SetPanicOnFault.
func (s *Store) catch(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic in a transaction", "err", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %v", kv.ErrDamaged, p)
		}
	}()
	return f()
}

// Watch implements kv.Store.
func (s *Store) Watch(ctx context.Context, prefix []byte, after kv.Revision) iter.Seq2[kv.Change, error] {
	return s.changes.Watch(ctx, prefix, after, nil)
}

// Queued returns how many transactions wait for the committer, at most 1024.
func (s *Store) Queued() int { return len(s.queue) }

// Size returns the size of the store's file in bytes.
func (s *Store) Size() (int64, error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0, fmt.Errorf("storage: size: %w", plain(err))
	}
	return info.Size(), nil
}

// Backup copies the newest snapshot to a new file with mode 0600, which Open can open, and returns its size in bytes.
// Neither readers nor writers wait for it. The file gets its name when it is whole and on disk, so it is never half a copy. A file that
// is there already is not touched (the error is fs.ErrExist). When ctx ends, the copy is given up.
func (s *Store) Backup(ctx context.Context, path string) (bytes int64, err error) {
	err = atomicfile.Create(s.disk, path, func(f *os.File) error {
		return s.view(ctx, func(snap *snapshot) (err error) {
			bytes, err = snap.tx.WriteTo(contextWriter{ctx, f})
			return err
		})
	})
	if err != nil {
		return 0, fmt.Errorf("storage: backup to %s: %w", path, plain(err))
	}
	return bytes, nil
}

// A contextWriter refuses to write once its context has ended.
type contextWriter struct {
	ctx context.Context
	to  io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}
