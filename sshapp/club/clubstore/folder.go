package clubstore

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"ludoteca/storage"
)

// MakeFolder makes the data folder for its owner alone if there is none. One that others can look into or write to is left
// as it is, with a warning in the log.
func MakeFolder(data string, log *slog.Logger) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("cannot make the data folder: %w", OpenHelp(err, data, false))
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

// OpenHelp adds what an operator can do to an error by which the data folder, or the store in it or on etcd, doesn't open. A user is a number
// there, because containers have no names of users.
func OpenHelp(err error, data string, onEtcd bool) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; the club runs as user %d, which the data folder and all in it must belong to: chown -R %[2]d:%d %s", err, os.Getuid(), os.Getgid(), data)
	case !errors.Is(err, storage.ErrDamaged):
		return err
	case onEtcd:
		return fmt.Errorf("%w; put a backup in its place with ludoteca move-store", err)
	}
	return fmt.Errorf("%w; put a backup in its place, or save what can be read: ludoteca salvage %s NEW.db", err, filepath.Join(data, FileName))
}

// NodeLock is the name of a file in the data folder of a node on etcd. The node has it locked.
const NodeLock = "node.lock"

// LockFolder makes sure that only one node on etcd uses a data folder. A club with a file locks the file itself.
func LockFolder(data string) (unlock func() error, err error) {
	path := filepath.Join(data, NodeLock)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errors.New("another node is running on this data folder")
		}
		return nil, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	return f.Close, nil
}
