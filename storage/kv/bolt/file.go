package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"ludoteca/atomicfile"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt/pages"
)

// openFile opens the file of a store, or makes it: as a whole under another name first, so that a crash leaves a whole
// store or none. What is wrong with an existing file is found before anything writes to it.
func (s *Store) openFile() error {
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err := atomicfile.Create(s.disk, s.path, s.newFile)
		if err != nil && !errors.Is(err, fs.ErrExist) { // if another process was faster, its file is as good
			return plain(err)
		}
	case err != nil:
		return plain(err)
	default:
		if err := s.examine(info); err != nil {
			return err
		}
	}
	err = s.catch(func() error {
		if s.db, err = s.openDB(info); err != nil {
			return err
		}
		if err := s.stillNamed(); err != nil {
			return err
		}
		// Only a process with the lock makes files of these names: what is there was left by one that was killed.
		if err := atomicfile.RemoveUnfinished(s.path); err != nil {
			s.log.Warn("an unfinished copy of the store stays", "err", err)
		}
		// A process that was killed may have left its last transaction, or the name of the file, in the system's
		// memory only.
		if err := s.disk.Sync(s.file); err != nil {
			return err
		}
		return s.disk.SyncFolder(filepath.Dir(s.path))
	})
	if err != nil && s.db != nil {
		s.db.Close() // the error before it says more
	}
	return plain(err)
}

// stillNamed returns ErrLocked if the open file has lost its name to another one: a process that compacted it had the
// lock until then. What is written to the old file would be lost.
func (s *Store) stillNamed() error {
	opened, err := s.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(s.path)
	if err == nil && !os.SameFile(opened, named) {
		err = ErrLocked
	}
	return err
}

// newFile makes an empty file a database.
func (s *Store) newFile(f *os.File) error {
	db, err := bbolt.Open(f.Name(), 0o600, &bbolt.Options{Timeout: s.options.LockTimeout})
	if err != nil {
		return err
	}
	return db.Close()
}

// examine looks at an existing file without changing it, and without trusting it.
func (s *Store) examine(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a folder, not a file")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() == 0:
		return fmt.Errorf("%w: the file is empty", kv.ErrDamaged)
	}
	// bbolt's shared lock keeps every writer away while the pages are checked. Opened in this way, bbolt looks at
	// nothing but the two meta pages.
	return s.catch(func() error {
		db, err := bbolt.Open(s.path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: s.options.LockTimeout})
		var inPath *fs.PathError
		switch {
		case errors.Is(err, bolterrors.ErrTimeout) || errors.As(err, &inPath):
			return plain(err)
		case err != nil: // bbolt has many words for it
			return fmt.Errorf("%w: it is not a store, or its beginning is lost", kv.ErrDamaged)
		}
		defer db.Close()
		f, err := os.Open(s.path)
		if err != nil {
			return plain(err)
		}
		defer f.Close()
		if info, err = f.Stat(); err != nil {
			return plain(err)
		}
		return pages.Check(f, info.Size())
	})
}

// The address space for the file: as much as mappingOf says, but at least this, and at least twice the file. Address
// space costs nothing, and a file that outgrows it makes all readers wait. Windows makes the file as large as its
// mapping, and 32 bits have little to give.
const (
	wideMapping   = 16 << 30
	narrowMapping = 64 << 20
)

func leastMapping() int64 {
	if strconv.IntSize == 64 && runtime.GOOS != "windows" {
		return wideMapping
	}
	return narrowMapping
}

// mappingOf returns how much address space bbolt takes for a file of size bytes: a power of two up to 1 GiB, then whole GiB.
func mappingOf(size int64) int64 {
	const gib = 1 << 30
	for n := int64(32 << 10); n <= gib; n *= 2 {
		if size <= n {
			return n
		}
	}
	return (size + gib - 1) / gib * gib
}

// openDB opens the bbolt file, which is there. NoSync, NoGrowSync and NoFreelistSync stay off.
func (s *Store) openDB(info fs.FileInfo) (*bbolt.DB, error) {
	mapping := s.leastMapping
	if info != nil {
		mapping = max(mapping, 2*info.Size())
	}
	mapping = mappingOf(mapping)
	db, err := bbolt.Open(s.path, 0o600, &bbolt.Options{
		Timeout:         s.options.LockTimeout,
		FreelistType:    bbolt.FreelistMapType, // finds runs of pages without a search through all free ones
		NoStatistics:    true,                  // nothing reads them, and they cost every reader a lock
		InitialMmapSize: int(mapping),
		OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
			s.file, err = os.OpenFile(name, flag&^os.O_CREATE, mode)
			return s.file, err
		},
	})
	if err == nil {
		db.MaxSize = maxSize(mapping)
	}
	return db, err
}

// maxSize returns the limit of bbolt on the size of a file that keeps it from outgrowing its mapping: to map anew, bbolt
// waits for all readers, and there always is one, the newest snapshot. See Store.growMapping.
func maxSize(mapping int64) int { return int(mapping) - 1 }

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

// DefaultLockTimeout is how long Open waits for another process to let go of the file.
const DefaultLockTimeout = time.Second
