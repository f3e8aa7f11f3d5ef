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

// A MoveEnd is what a club is moved from or to.
type MoveEnd struct {
	Path  string // of a file; "" for a place that nodes share
	Place *Place // after Check; nil for a file
}

// String returns the end as an operator names it.
func (e MoveEnd) String() string {
	if e.Path != "" {
		return e.Path
	}
	return e.Place.Store
}

// openStopped opens the store of a stopped club.
func (e MoveEnd) openStopped(ctx context.Context, log *slog.Logger) (kv.Store, error) {
	if e.Path != "" {
		if _, err := os.Stat(e.Path); err != nil {
			return nil, err // bolt.Open would make a file
		}
		return bolt.Open(e.Path, bolt.Options{Log: log})
	}
	s, err := e.Place.open(ctx, log, kv.Meters{})
	if err != nil {
		return nil, err
	}
	live, err := repair.NodesLive(ctx, s, nodesWait)
	if err == nil && live {
		err = fmt.Errorf("a club is running on %s; stop all of its nodes", e)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// A historyDropper is an engine whose log of changes takes much space after a copy to it.
type historyDropper interface {
	DropHistory(ctx context.Context) error
}

// Move copies a stopped club from one end to the other, where nothing must be.
func Move(ctx context.Context, from, to MoveEnd, log *slog.Logger) (copied []repair.Copied, err error) {
	overwrites := func(what string) error { return fmt.Errorf("%s is %s; move-store never overwrites", to, what) }
	if _, err := os.Lstat(to.Path); to.Path != "" && err == nil {
		return nil, overwrites("there already")
	}
	source, err := from.openStopped(ctx, log)
	if err != nil {
		return nil, err
	}
	defer closing(&err, source)
	if to.Path != "" {
		copied, err = copyToFile(ctx, source, to.Path)
		if errors.Is(err, fs.ErrExist) {
			err = overwrites("there already")
		}
		return copied, err
	}
	target, err := to.Place.open(ctx, log, kv.Meters{})
	if err != nil {
		return nil, err
	}
	defer closing(&err, target)
	copied, err = repair.Copy(ctx, source, target)
	if errors.Is(err, repair.ErrNotEmpty) {
		err = overwrites("not empty")
	}
	if full, ok := target.(historyDropper); ok && err == nil {
		if err := full.DropHistory(ctx); err != nil {
			log.Warn("the store keeps what the copy has added to its log of changes, for an hour or two", "err", err)
		}
	}
	return copied, err
}
