// Package clubstore opens the store of a club, in a file, on etcd or on PostgreSQL, and does with a store what operators ask for: copies, compaction, salvage,
// and its move between a file and the others.
package clubstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

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

// FileName is the name of the store in the data folder.
const FileName = "ludoteca.db"

// A Store is the data model of a club with the engine that it runs on.
type Store struct {
	*schema.Store
	engine
}

// Recompute works out all ratings anew from the results.
func (s *Store) Recompute(ctx context.Context) (results.RecomputeReport, error) {
	return s.Results.Recompute(ctx)
}

// Archive returns a page of the finished matches that everybody may see.
func (s *Store) Archive(ctx context.Context, after storage.MatchID, limit int) (results.ArchivePage, error) {
	return s.Results.Archive(ctx, after, limit)
}

// An engine is an open engine of kv, with what the program needs beyond kv.Store.
type engine interface {
	Backup(ctx context.Context, path string) (bytes int64, err error) // copies the store to a new file, and returns its size
	Size() (bytes int64, err error)                                   // on disk
	Queued() int                                                      // changes that are not acknowledged yet
	Free(data string) (bytes int64, err error)                        // room for more; data is the data folder
	Describe(now *status.Status)                                      // fills in what only this kind of engine knows
	Full() bool                                                       // nothing can be written, because a quota is reached
	Failed() <-chan struct{}                                          // closed when it can't go on until it is opened again
	Err() error                                                       // why it can't go on, or nil
}

// forCopy returns an engine that is measured for a copy in a folder of this node.
func forCopy(e engine) engine {
	switch e := e.(type) {
	case cluster:
		return clusterOnDisk{e}
	case database:
		return databaseOnDisk{e}
	}
	return e
}

// Two of the engines: a file with bbolt, or a cluster of etcd. The third is database.
type (
	file    struct{ *bolt.Store }
	cluster struct{ *etcd.Store }
)

// Free implements engine. It returns the free space of the disk.
func (file) Free(data string) (bytes int64, err error) { return diskspace.Free(data) }

// Describe implements engine.
func (file) Describe(now *status.Status) { now.StoreKind, now.StoreAlarms = OnFile, []string{} }

// Free implements engine. It returns the free space below etcd's quota.
func (c cluster) Free(string) (bytes int64, err error) { return c.Room() }

// Describe implements engine.
func (c cluster) Describe(now *status.Status) {
	h := c.Health()
	now.StoreKind, now.StoreMembers, now.StoreReachable, now.StoreAlarms = OnEtcd, h.Members, h.Reachable, []string{}
	if h.NoSpace {
		now.StoreAlarms = append(now.StoreAlarms, status.AlarmNoSpace)
	}
	if h.Corrupt {
		now.StoreAlarms = append(now.StoreAlarms, status.AlarmCorrupt)
	}
}

// Full implements engine. A disk that is full is diskspace.Floor's matter.
func (file) Full() bool { return false }

// Full implements engine.
func (c cluster) Full() bool { return c.Health().NoSpace }

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

// Open opens the store that the flags name, in the data folder or elsewhere. If it has to be migrated, it is copied to a file in the data
// folder first, unless noCopy says no.
func Open(ctx context.Context, data string, at *Place, noCopy bool, log *slog.Logger, meters kv.Meters) (*Store, error) {
	if !at.Shared() {
		path := filepath.Join(data, FileName)
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
	if err := beforeMigration(ctx, opened, forCopy(opened), at.Store, filepath.Join(data, FileName), noCopy, log); err != nil {
		opened.Close() // the error before it says more
		return nil, err
	}
	return openModel(ctx, opened, opened, at.Store, log)
}

// openModel opens the data model on an engine, and closes the engine if that fails. name is the store's name in errors.
func openModel(ctx context.Context, on kv.Store, as engine, name string, log *slog.Logger) (*Store, error) {
	err := repair.Unfinished(context.WithoutCancel(ctx), on)
	if err == nil {
		var store *schema.Store
		if store, err = schema.Open(context.WithoutCancel(ctx), on, modelConfig(log)); err == nil {
			return &Store{store, as}, nil
		}
	}
	on.Close() // the error before it says more
	return nil, fmt.Errorf("storage: open %s: %w", name, err)
}

// modelConfig returns the configuration with which the program opens the data model.
func modelConfig(log *slog.Logger) schema.Config {
	return schema.Config{Rate: rating.Rate, Lookalikes: accounts.LookalikeRules{Of: names.Skeletons, Version: names.SkeletonsVersion}, Log: log}
}

// StopIfItFails calls stop if the store can't go on. The returned function ends that, and replaces the error of what
// was stopped by the reason.
func (s *Store) StopIfItFails(stop func()) (end func(err *error)) {
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

func closing(err *error, c io.Closer) { *err = errors.Join(*err, c.Close()) }
