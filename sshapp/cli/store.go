package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ludoteca/atomicfile"
	"ludoteca/lobby/names"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/status"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/diskspace"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/kv/etcd"
	"ludoteca/storage/repair"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// storeName is the name of the store in the data folder.
const storeName = "ludoteca.db"

// A clubStore is the data model of a club with the engine that it runs on.
type clubStore struct {
	*schema.Store
	engine
}

// Recompute works out all ratings anew from the results.
func (s *clubStore) Recompute(ctx context.Context) (results.RecomputeReport, error) {
	return s.Results.Recompute(ctx)
}

// An engine is an open engine of kv, with what the program needs beyond kv.Store.
type engine interface {
	Backup(ctx context.Context, path string) (bytes int64, err error) // copies the store to a new file, and returns its size
	Size() (bytes int64, err error)                                   // on disk
	Queued() int                                                      // changes that are not acknowledged yet
	Free(data string) (bytes int64, err error)                        // room for more; data is the data folder
	describe(now *status.Status)                                      // fills in what only this kind of engine knows
	Failed() <-chan struct{}                                          // closed when it can't go on until it is opened again
	Err() error                                                       // why it can't go on, or nil
}

// The engines: a file with bbolt, or a cluster of etcd.
type (
	file    struct{ *bolt.Store }
	cluster struct{ *etcd.Store }
)

// Free implements engine. It returns the free space of the disk.
func (file) Free(data string) (bytes int64, err error) { return diskspace.Free(data) }

func (file) describe(now *status.Status) { now.StoreKind, now.StoreAlarms = onFile, []string{} }

// Free implements engine. It returns the free space below etcd's quota.
func (c cluster) Free(string) (bytes int64, err error) { return c.Room() }

func (c cluster) describe(now *status.Status) {
	h := c.Health()
	now.StoreKind, now.StoreMembers, now.StoreReachable, now.StoreAlarms = onEtcd, h.Members, h.Reachable, []string{}
	if h.NoSpace {
		now.StoreAlarms = append(now.StoreAlarms, status.AlarmNoSpace)
	}
	if h.Corrupt {
		now.StoreAlarms = append(now.StoreAlarms, status.AlarmCorrupt)
	}
}

// Backup implements engine.
func (c cluster) Backup(ctx context.Context, path string) (bytes int64, err error) {
	_, err = copyToFile(ctx, c.Store, path)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// A clusterOnDisk is a cluster that is measured for a copy in a folder of this node.
type clusterOnDisk struct{ cluster }

// Size implements engine. It returns the space in use, which is the largest size of a copy.
func (c clusterOnDisk) Size() (bytes int64, err error) {
	if used := c.Health().InUse; used > 0 {
		return used, nil
	}
	return c.cluster.Size()
}

// Free implements engine. It returns the free space of the folder's disk.
func (clusterOnDisk) Free(folder string) (bytes int64, err error) { return diskspace.Free(folder) }

// Failed implements engine. It returns nil, because etcd may always come back.
func (cluster) Failed() <-chan struct{} { return nil }

// Err implements engine.
func (cluster) Err() error { return nil }

// makeDataFolder makes the data folder for its owner alone if there is none. One that others can look into or write to is left
// as it is, with a warning in the log.
func makeDataFolder(data string, log *slog.Logger) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("cannot make the data folder: %w", openHelp(err, data, false))
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

// openHelp adds what an operator can do to an error by which the data folder, or the store in it or on etcd, doesn't open. A user is a number
// there, because containers have no names of users.
func openHelp(err error, data string, onEtcd bool) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; the club runs as user %d, which the data folder and all in it must belong to: chown -R %[2]d:%d %s", err, os.Getuid(), os.Getgid(), data)
	case !errors.Is(err, storage.ErrDamaged):
		return err
	case onEtcd:
		return fmt.Errorf("%w; put a backup in its place with ludoteca move-store", err)
	}
	return fmt.Errorf("%w; put a backup in its place, or save what can be read: ludoteca salvage %s NEW.db", err, filepath.Join(data, storeName))
}

// openStore opens the store that the flags name, in the data folder or on etcd. If it has to be migrated, it is copied to a file in the data
// folder first, unless noCopy says no.
func openStore(ctx context.Context, data string, at *storePlace, noCopy bool, log *slog.Logger, meters kv.Meters) (*clubStore, error) {
	if !at.onEtcd() {
		path := filepath.Join(data, storeName)
		opened, err := bolt.Open(path, bolt.Options{Log: log, Meters: meters})
		if err != nil {
			return nil, err
		}
		if err := beforeMigration(ctx, opened, file{opened}, path, path, noCopy, log); err != nil {
			opened.Close() // the error before it says more
			return nil, err
		}
		return openModel(ctx, opened, file{opened}, path, log)
	}
	opened, err := at.open(ctx, log, meters)
	if err != nil {
		return nil, err
	}
	if err := beforeMigration(ctx, opened, clusterOnDisk{cluster{opened}}, at.store, filepath.Join(data, storeName), noCopy, log); err != nil {
		opened.Close() // the error before it says more
		return nil, err
	}
	return openModel(ctx, opened, cluster{opened}, at.store, log)
}

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

// openModel opens the data model on an engine, and closes the engine if that fails. name is the store's name in errors.
func openModel(ctx context.Context, on kv.Store, as engine, name string, log *slog.Logger) (*clubStore, error) {
	err := repair.Unfinished(context.WithoutCancel(ctx), on)
	if err == nil {
		var store *schema.Store
		if store, err = schema.Open(context.WithoutCancel(ctx), on, modelConfig(log)); err == nil {
			return &clubStore{store, as}, nil
		}
	}
	on.Close() // the error before it says more
	return nil, fmt.Errorf("storage: open %s: %w", name, err)
}

// modelConfig returns the configuration with which the program opens the data model.
func modelConfig(log *slog.Logger) schema.Config {
	return schema.Config{Rate: rating.Rate, Lookalikes: accounts.LookalikeRules{Of: names.Skeletons, Version: names.SkeletonsVersion}, Log: log}
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
func (s *clubStore) stopIfItFails(stop func()) (end func(err *error)) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-s.Failed():
			stop()
		case <-done:
		}
	})
	return func(err *error) {
		close(done)
		watching.Wait()
		if failure := s.Err(); failure != nil {
			*err = failure
		}
	}
}

// copyToFile copies the club on an engine to a new file, which gets its name when it is complete and on disk. Until then it has a name
// that atomicfile.RemoveUnfinished removes after a crash. The error is fs.ErrExist if the file exists already.
func copyToFile(ctx context.Context, from kv.Store, path string) (copied []repair.Copied, err error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fs.ErrExist
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return nil, err
	}
	made := f.Name()
	defer os.Remove(made)
	if err := errors.Join(f.Close(), os.Remove(made)); err != nil { // bolt.Open makes it anew
		return nil, err
	}
	to, err := bolt.Open(made, bolt.Options{})
	if err != nil {
		return nil, err
	}
	copied, err = repair.Copy(ctx, from, to)
	if errors.Is(err, kv.ErrCompacted) {
		err = errors.New("the copy took longer than etcd keeps old versions of what has changed; try again at a quieter time, or stop the nodes")
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return nil, err
	}
	return copied, atomicfile.Name(atomicfile.System{}, made, path)
}
