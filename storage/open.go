package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Open opens the store in the file path, or makes a new one there if there is no file. A store of an older schema
// is brought to the present one. The error is ErrLocked, ErrDamaged, ErrNewer or one of the file system, and its text
// is one line for a person. Whatever is wrong with a file, Open leaves it as it is.
func Open(path string, c Config) (*Store, error) {
	if c.LockTimeout <= 0 {
		c.LockTimeout = DefaultLockTimeout
	}
	s := &Store{
		path:    path,
		config:  c,
		log:     c.Log,
		queue:   make(chan *operation, maxQueued),
		quit:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.open(path); err != nil {
		return nil, fmt.Errorf("storage: open %s: %w", path, err)
	}
	go s.commitQueue() // Close waits for it
	return s, nil
}

func (s *Store) open(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := create(path, s.config.LockTimeout); err != nil {
			return plain(err)
		}
	case err != nil:
		return plain(err)
	default:
		if err := s.examine(path, info); err != nil {
			return err
		}
	}
	err = s.catch(func() error {
		if s.db, err = openDB(path, options(s.config.LockTimeout, info)); err != nil {
			return err
		}
		return s.prepare()
	})
	if err != nil && s.db != nil {
		s.db.Close() // the error before it says more
	}
	return plain(err)
}

// prepare brings an open file to the present schema.
func (s *Store) prepare() error {
	from, err := migrate(s.db, migrations())
	if err != nil {
		return err
	}
	if from < len(migrations()) && from > 0 {
		s.log.Info("store migrated", "from", from, "to", len(migrations()))
	}
	// A process that was killed may have left its last transaction in the system's memory only.
	if err := s.db.Sync(); err != nil {
		return err
	}
	return s.db.View(func(tx *bbolt.Tx) error {
		s.durable.Store(int64(tx.ID()))
		return complete(tx)
	})
}

// examine looks at an existing file without changing it, and without trusting it.
func (s *Store) examine(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a folder, not a file")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() == 0:
		return fmt.Errorf("%w: the file is empty", ErrDamaged)
	}
	// bbolt's shared lock keeps every writer away while checkFile reads. Opened in this way, bbolt looks at nothing
	// but the two meta pages.
	return s.catch(func() error {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: s.config.LockTimeout})
		var inPath *fs.PathError
		switch {
		case errors.Is(err, bolterrors.ErrTimeout) || errors.As(err, &inPath):
			return plain(err)
		case err != nil: // bbolt has many words for it
			return fmt.Errorf("%w: it is not a store, or its beginning is lost", ErrDamaged)
		}
		defer db.Close()
		return checkFile(path)
	})
}

// create makes a new store: as a whole under another name, so that a crash leaves a whole store or none.
func create(path string, timeout time.Duration) error {
	return publish(path, func(f *os.File) error {
		name := f.Name()
		db, err := bbolt.Open(name, 0o600, &bbolt.Options{Timeout: timeout}) // an empty file becomes a new database
		if err != nil {
			return err
		}
		if _, err := migrate(db, migrations()); err != nil {
			db.Close()
			return err
		}
		return db.Close()
	}, true)
}

// publish writes a new file with mode 0600 and gives it its name when it is whole and on disk. If there is a file of
// that name already, it wins: silently if mayExist, else with fs.ErrExist.
func publish(path string, write func(f *os.File) error, mayExist bool) error {
	if _, err := os.Lstat(path); err == nil && !mayExist {
		return fs.ErrExist // as it would be in the end
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := place(os.Link, f.Name(), path); err != nil && !(mayExist && errors.Is(err, fs.ErrExist)) {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// place gives a file the name path unless that is taken: the error is fs.ErrExist then. A link does that, where a rename would
// replace a file that someone else has just made; but some file systems, those of memory sticks for one, have no links.
func place(link func(from, to string) error, from, path string) error {
	err := link(from, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, taken := os.Lstat(path); taken == nil {
		return fs.ErrExist
	}
	if os.Rename(from, path) != nil {
		return err
	}
	return nil
}

// syncFolder makes a new name in a folder durable.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // can't open folders
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// openDB opens a bbolt file that is there; it never makes one.
func openDB(path string, o *bbolt.Options) (*bbolt.DB, error) {
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		return os.OpenFile(name, flag&^os.O_CREATE, mode)
	}
	return bbolt.Open(path, 0o600, o)
}

// options returns how the file of a running store is opened. NoSync, NoGrowSync and NoFreelistSync stay off.
func options(timeout time.Duration, info fs.FileInfo) *bbolt.Options {
	o := &bbolt.Options{
		Timeout:      timeout,
		FreelistType: bbolt.FreelistMapType, // finds runs of pages without a search through all free ones
		NoStatistics: true,                  // nobody reads them, and they cost every reader a lock
	}
	// Address space costs nothing, but mapping anew waits for all readers, a backup for one: so map far more than
	// there is. Not on Windows, where the file would grow to that size.
	if strconv.IntSize == 64 && runtime.GOOS != "windows" {
		o.InitialMmapSize = 1 << 30
		if info != nil {
			o.InitialMmapSize = int(max(1<<30, 2*info.Size()))
		}
	}
	return o
}

// plain turns errors of bbolt and the file system into words for a person, without the path, which the caller adds.
func plain(err error) error {
	var inPath *fs.PathError
	var inLink *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return ErrLocked
	case errors.As(err, &inPath):
		return inPath.Err
	case errors.As(err, &inLink):
		return inLink.Err
	}
	return err
}
