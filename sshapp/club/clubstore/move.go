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

	"ludoteca/atomicfile"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/repair"
)

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
		err = errors.New("the copy took longer than the store keeps old versions of what has changed; try again at a quieter time, or stop the nodes")
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return nil, err
	}
	return copied, atomicfile.Name(atomicfile.System{}, made, path)
}

// nodesWait is the time that move-store waits for a heartbeat of a running node.
const nodesWait = 5 * time.Second

// MoveToFile copies a stopped club from etcd or PostgreSQL to a new file.
func MoveToFile(ctx context.Context, place *Place, path string, log *slog.Logger) (copied []repair.Copied, err error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s is there already; move-store never overwrites", path)
	}
	from, err := place.open(ctx, log, kv.Meters{})
	if err != nil {
		return nil, err
	}
	defer closing(&err, from)
	live, err := repair.NodesLive(ctx, from, nodesWait)
	if err != nil {
		return nil, err
	}
	if live {
		return nil, errors.New("a club is running on " + place.Store + "; stop all of its nodes")
	}
	copied, err = copyToFile(ctx, from, path)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s is there already; move-store never overwrites", path)
	}
	return copied, err
}

// MoveToShared copies a stopped club from a file to etcd or PostgreSQL, where nothing must be.
func MoveToShared(ctx context.Context, path string, place *Place, log *slog.Logger) (copied []repair.Copied, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err // bolt.Open would make a file
	}
	from, err := bolt.Open(path, bolt.Options{Log: log})
	if err != nil {
		return nil, err
	}
	defer closing(&err, from)
	to, err := place.open(ctx, log, kv.Meters{})
	if err != nil {
		return nil, err
	}
	defer closing(&err, to)
	copied, err = repair.Copy(ctx, from, to)
	if errors.Is(err, repair.ErrNotEmpty) {
		err = fmt.Errorf("%s is not empty; move-store never overwrites", place.Store)
	}
	return copied, err
}
