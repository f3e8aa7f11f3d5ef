package clubstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"

	"ludoteca/storage/kv/bolt"
)

// Compact compacts the store in a file that no process has open, and writes how far it has come to progress.
func Compact(ctx context.Context, path string, progress io.Writer) (before, after int64, err error) {
	fmt.Fprintf(progress, "compacting %s\n", path)
	const step = 10 // per cent
	shown := int64(0)
	return bolt.Compact(ctx, path, bolt.CompactOptions{Progress: func(copied, total int64) {
		if done := 100 * copied / max(total, 1); done >= shown+step {
			shown = done / step * step
			fmt.Fprintf(progress, "compacting: %d %%\n", shown)
		}
	}})
}

// CompactAtStart compacts the store in the data folder, if there is one. Too little room for that is no reason to refuse the
// club its start.
func CompactAtStart(ctx context.Context, data string, progress io.Writer, log *slog.Logger) error {
	path := filepath.Join(data, FileName)
	before, after, err := Compact(ctx, path, progress)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, bolt.ErrNoRoom):
		log.Warn("the store is not compacted", "err", err)
		return nil
	case err != nil:
		return err
	}
	log.Info("store compacted", "bytes", after, "was", before)
	return nil
}
