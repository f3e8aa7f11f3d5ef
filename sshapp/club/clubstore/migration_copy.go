package clubstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"ludoteca/storage/diskspace"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/schema"
)

// beforeMigration copies a store to a file if it is about to be migrated; name is the store's name in errors, and the copy's begins with path. No
// folder for the copy, or too little room for it and for as much again, is a warning.
func beforeMigration(ctx context.Context, on kv.Store, as engine, name, path string, noCopy bool, log *slog.Logger) error {
	u, err := schema.UpgradeOf(ctx, on, modelConfig(log))
	if err != nil || !u.Due() || u.Begun || noCopy { // openModel meets the same error, and says more
		return nil
	}
	size, err := as.Size()
	if err != nil {
		return fmt.Errorf("storage: copy %s before its migration: %w", name, err)
	}
	before := fmt.Sprintf("%s.schema-%d", path, u.From)
	unfinished, _ := filepath.Glob(before + "-*.part-*") // the pattern is well-formed, or nothing matches
	for _, left := range unfinished {
		if err := os.Remove(left); err != nil {
			log.Warn("what is left of a copy of the store stays", "err", err)
		}
	}
	free, err := as.Free(filepath.Dir(path))
	switch {
	case errors.Is(err, diskspace.ErrUnknown):
	case errors.Is(err, fs.ErrNotExist):
		log.Warn("the store is migrated without a copy: there is no data folder for one", "schema", u.From, "to", u.To, "data", filepath.Dir(path))
		return nil
	case err != nil:
		return fmt.Errorf("storage: copy %s before its migration: %w", name, err)
	case free < 2*size:
		log.Warn("the store is migrated without a copy: there is too little room for one", "schema", u.From, "to", u.To, "bytes", size, "free", free)
		return nil
	}
	to := before + "-" + time.Now().UTC().Format("2006-01-02T15-04-05Z")
	if _, err := as.Backup(ctx, to); err != nil {
		return fmt.Errorf("storage: copy %s to %s before its migration: %w; --no-migration-copy starts without a copy of the store as it is before its migration", name, to, err)
	}
	if older, err := isOlder(ctx, to, u, log); err != nil {
		return fmt.Errorf("storage: look at the copy of %s before its migration: %w", name, err)
	} else if !older {
		log.Warn("another node has begun to migrate the store while it was copied; that node has the copy", "schema", u.From, "to", u.To)
		return os.Remove(to)
	}
	log.Info("the store is copied before its migration; remove the copy when you don't go back to the older version", "copy", to, "schema", u.From, "to", u.To)
	return nil
}

// isOlder reports whether the copy in a file is of the store as it is before an upgrade, of which nothing is done in it.
func isOlder(ctx context.Context, path string, u schema.Upgrade, log *slog.Logger) (older bool, err error) {
	copied, err := bolt.Open(path, bolt.Options{Log: log})
	if err != nil {
		return false, err
	}
	is, err := schema.UpgradeOf(ctx, copied, modelConfig(log))
	return is.From == u.From && !is.Begun, errors.Join(err, copied.Close())
}
