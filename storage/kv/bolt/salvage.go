package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt/pages"
)

// A Damaged is a file of a store that Open may refuse. It is only read.
type Damaged struct {
	file *os.File
	size int64
	lock *bbolt.DB // nil if bbolt can't open the file, and so no process can have it open
}

// OpenDamaged opens a damaged store. No other process can open it for writing until it is closed; if one has, the error is
// ErrLocked.
func OpenDamaged(path string, o Options) (*Damaged, error) {
	d, err := openDamaged(path, o)
	if err != nil {
		return nil, fmt.Errorf("storage: open %s: %w", path, plain(err))
	}
	return d, nil
}

func openDamaged(path string, o Options) (*Damaged, error) {
	if o.LockTimeout <= 0 {
		o.LockTimeout = DefaultLockTimeout
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		f.Close() // nothing was written
		return nil, err
	}
	d := &Damaged{file: f, size: info.Size()}
	// Opened in this way, bbolt looks at nothing but the two meta pages. An empty file it would make a store.
	if d.size > 0 {
		d.lock, err = bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: o.LockTimeout})
	}
	if errors.Is(err, bolterrors.ErrTimeout) {
		f.Close()
		return nil, ErrLocked
	}
	if err != nil {
		d.lock = nil
	}
	return d, nil
}

// Close closes the file.
func (d *Damaged) Close() error {
	var err error
	if d.lock != nil {
		err = d.lock.Close()
	}
	return errors.Join(err, d.file.Close())
}

// Info returns what the file system says of the file.
func (d *Damaged) Info() (fs.FileInfo, error) { return d.file.Stat() }

// Salvage passes all entries that can be read to put, and returns what is lost. See pages.Salvage.
func (d *Damaged) Salvage(ctx context.Context, o kv.SalvageOptions, put func(kv.Salvaged) error) (kv.SalvageReport, error) {
	return pages.Salvage(contextReader{ctx, d.file}, d.size, o, func(e kv.Salvaged) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return put(e)
	})
}

// A contextReader refuses to read once its context has ended.
type contextReader struct {
	ctx  context.Context
	from *os.File
}

func (r contextReader) ReadAt(b []byte, at int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.ReadAt(b, at)
}
