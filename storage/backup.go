package storage

import (
	"context"
	"fmt"
	"io"
	"os"

	"go.etcd.io/bbolt"
)

// Backup copies the store as it is now to a new file with mode 0600, which Open can open, and returns its size in
// bytes. Nobody waits for it. The file gets its name when it is whole and on disk, so it is never half a copy; one
// that is there already is not touched (the error is fs.ErrExist). When ctx ends, the copy is given up.
func (s *Store) Backup(ctx context.Context, path string) (bytes int64, err error) {
	err = s.backup(ctx, path, &bytes)
	if err != nil {
		return 0, fmt.Errorf("storage: backup to %s: %w", path, plain(err))
	}
	return bytes, nil
}

func (s *Store) backup(ctx context.Context, path string, bytes *int64) error {
	return publish(path, func(f *os.File) error {
		return s.view(ctx, func(tx *bbolt.Tx) (err error) {
			*bytes, err = tx.WriteTo(writerFunc(func(p []byte) (int, error) {
				if err := ctx.Err(); err != nil {
					return 0, err
				}
				return f.Write(p)
			}))
			return err
		})
	}, false)
}

// Publish writes a new file with mode 0600, which gets its name when it is whole and on disk: a crash leaves all of it, or
// nothing of that name. A file that is there already is not touched, and the error is fs.ErrExist. The text of the error
// is without the path.
func Publish(path string, write func(w io.Writer) error) error {
	return plain(publish(path, func(f *os.File) error { return write(f) }, false))
}

type writerFunc func(p []byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }
