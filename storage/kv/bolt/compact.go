package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"ludoteca/atomicfile"
	"ludoteca/storage/diskspace"
	"ludoteca/storage/kv/bolt/pages"
)

// CompactOptions say how Compact works. The zero value is fine.
type CompactOptions struct {
	Options
	Progress func(copied, total int64)                  // is called now and then with bytes, about; nil is silence
	Free     func(path string) (bytes int64, err error) // the room on a disk; nil is diskspace.Free
}

// ErrNoRoom says that the disk has no room for the new file.
var ErrNoRoom = errors.New("the disk has too little room")

// Compact rewrites the store in the file path without the pages that are free, and returns how large the file was and is.
// The new file takes the place of the old one when it is whole and on disk: whatever happens, one of them is there. The
// store must be closed: while another process has it open, the error is ErrLocked. Revisions begin anew.
func Compact(ctx context.Context, path string, o CompactOptions) (before, after int64, err error) {
	return compact(ctx, path, o, atomicfile.System{})
}

func compact(ctx context.Context, path string, o CompactOptions, disk atomicfile.Disk) (before, after int64, err error) {
	if _, err := os.Stat(path); err != nil {
		return 0, 0, fmt.Errorf("storage: compact %s: %w", path, plain(err)) // Open would make a new store
	}
	s, err := open(path, o.Options, disk, narrowMapping)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }() // and no other process had the store open until here
	if before, err = s.Size(); err != nil {
		return 0, 0, err
	}
	if err := s.compact(ctx, o); err != nil {
		return 0, 0, fmt.Errorf("storage: compact %s: %w", path, plain(err))
	}
	after, err = s.Size()
	return before, after, err
}

// compact replaces the file of a store by a smaller one. The store still reads the old file.
func (s *Store) compact(ctx context.Context, o CompactOptions) error {
	needed, err := pages.InUse(s.file)
	if err != nil {
		return err
	}
	room := o.Free
	if room == nil {
		room = diskspace.Free
	}
	switch free, err := room(filepath.Dir(s.path)); {
	case errors.Is(err, diskspace.ErrUnknown):
	case err != nil:
		return err
	case free < needed:
		return fmt.Errorf("%w: the new file takes up to %d bytes, and %d are free", ErrNoRoom, needed, free)
	}
	return atomicfile.Replace(s.disk, s.path, func(f *os.File) error {
		return s.view(ctx, func(from *snapshot) error {
			return s.catch(func() error { return copyInto(ctx, f.Name(), from.tx, needed, o.Progress) })
		})
	})
}

// copyStep is how many bytes one transaction copies: more transactions leave more free pages, and longer ones take more
// memory.
const copyStep = 16 << 20

// copyInto makes the empty file path a bbolt file with everything that a transaction sees.
func copyInto(ctx context.Context, path string, from *bbolt.Tx, total int64, progress func(copied, total int64)) (err error) {
	// The caller syncs the file once, at the end.
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var copied int64
	sections := from.Cursor()
	for name, _ := sections.First(); name != nil; name, _ = sections.Next() {
		section := from.Bucket(name)
		entries := section.Cursor()
		for k, v := entries.First(); ; {
			err := db.Update(func(to *bbolt.Tx) error {
				b, err := to.CreateBucketIfNotExists(name)
				if err != nil {
					return err
				}
				b.FillPercent = 0.9 // as for keys that only grow: some room, so that the first changes split no page
				if err := b.SetSequence(section.Sequence()); err != nil {
					return err
				}
				for n := 0; k != nil && n < copyStep; k, v = entries.Next() {
					if err := checkValue(k, v); err != nil {
						return err
					}
					if err := b.Put(k, v); err != nil {
						return err
					}
					n += len(k) + len(v)
					copied += int64(len(k) + len(v))
				}
				return ctx.Err()
			})
			if err != nil {
				return err
			}
			if progress != nil {
				progress(copied, total)
			}
			if k == nil {
				break
			}
		}
	}
	return nil
}
