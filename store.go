package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"ludoteca/lobby/names"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
)

// storeName is the name of the store in the data folder.
const storeName = "ludoteca.db"

// A fileStore is a store in a file.
type fileStore struct {
	*storage.Store
	file *bolt.Store
}

// Backup copies the store to the new file path and returns its size in bytes.
func (s *fileStore) Backup(ctx context.Context, path string) (bytes int64, err error) {
	return s.file.Backup(ctx, path)
}

// makeDataFolder makes the data folder for its owner alone if there is none. One that others can look into or write to is left
// as it is, with a warning in the log.
func makeDataFolder(data string, log *slog.Logger) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("cannot make the data folder: %w", err)
	}
	info, err := os.Stat(data)
	if err != nil {
		return fmt.Errorf("cannot look at the data folder: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		log.Warn("other users of this machine can open the data folder: chmod go= it", "data", data, "mode", fmt.Sprintf("%04o", mode))
	}
	return nil
}

// openStore opens the store in the data folder.
func openStore(ctx context.Context, data string, log *slog.Logger, meters kv.Meters) (*fileStore, error) {
	path := filepath.Join(data, storeName)
	file, err := bolt.Open(path, bolt.Options{Log: log, Meters: meters})
	if err != nil {
		return nil, err
	}
	store, err := storage.Open(context.WithoutCancel(ctx), file, storage.Config{
		Rate: rating.Rate, Lookalikes: storage.Lookalikes{Of: names.Skeletons, Version: names.SkeletonsVersion}, Log: log,
	})
	if err != nil {
		file.Close() // the error before it says more
		return nil, fmt.Errorf("storage: open %s: %w", path, err)
	}
	return &fileStore{store, file}, nil
}

// compact compacts the store in a file that no process has open, and writes how far it has come to progress.
func compact(ctx context.Context, path string, progress io.Writer) (before, after int64, err error) {
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

// stopIfItFails calls stop if the store can't go on. The returned function ends that, and replaces the error of what
// was stopped by the reason.
func (s *fileStore) stopIfItFails(stop func()) (end func(err *error)) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-s.file.Failed():
			stop()
		case <-done:
		}
	})
	return func(err *error) {
		close(done)
		watching.Wait()
		if failure := s.file.Err(); failure != nil {
			*err = failure
		}
	}
}
