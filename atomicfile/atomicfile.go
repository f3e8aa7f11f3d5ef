// Package atomicfile makes and replaces files so that they appear whole or not at all.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A Disk makes the system calls that decide what is left after a power failure. Tests replace System by their own.
type Disk interface {
	Link(from, to string) error
	Rename(from, to string) error
	Sync(f *os.File) error       // makes the content of a file durable
	SyncFolder(dir string) error // makes the names in a folder durable
}

// System is the operating system's Disk.
type System struct{}

// Link implements Disk.
func (System) Link(from, to string) error { return os.Link(from, to) }

// Rename implements Disk.
func (System) Rename(from, to string) error { return os.Rename(from, to) }

// Sync implements Disk.
func (System) Sync(f *os.File) error { return f.Sync() }

// SyncFolder implements Disk.
func (System) SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // can't open folders
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Create makes a new file with mode 0600. write fills it under another name in the same folder. The file gets its own name
// when it is whole and on disk, so a crash leaves all of it, or nothing of that name. An existing file is
// not touched, and the error is fs.ErrExist. The text of errors is without the path.
func Create(disk Disk, path string, write func(f *os.File) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist // as it would be in the end
	}
	return withoutPath(produce(disk, path, write, place))
}

// Name gives a file that is whole and on disk the name path in the same file system, as Create does: an existing file of
// that name is not touched, and the error is fs.ErrExist.
func Name(disk Disk, from, path string) error {
	err := place(disk, from, path)
	if err == nil {
		err = disk.SyncFolder(filepath.Dir(path))
	}
	return withoutPath(err)
}

// Replace puts a new file, with mode 0600 and the owner of the old one, in the place of the file with that name. write
// fills it under another name in the same folder, so a crash leaves the old file or the new one, whole. The text of
// errors is without the path.
func Replace(disk Disk, path string, write func(f *os.File) error) error {
	old, err := os.Stat(path)
	if err != nil {
		return withoutPath(err)
	}
	return withoutPath(produce(disk, path, func(f *os.File) error {
		if err := GiveOwner(f, old); err != nil {
			return err
		}
		return write(f)
	}, Disk.Rename))
}

// Write makes a new file with a mode, and replaces a file of that name if there is one. write fills it under another name in the same
// folder, so that a reader, also after a crash, finds the old file or the new one, whole. The text of errors is without the path.
func Write(disk Disk, path string, mode fs.FileMode, write func(f *os.File) error) error {
	return withoutPath(produce(disk, path, func(f *os.File) error {
		if err := f.Chmod(mode); err != nil {
			return err
		}
		return write(f)
	}, Disk.Rename))
}

// part stands between the final name and a number in the names of unfinished files.
const part = ".part-"

// RemoveUnfinished removes the unfinished copies of a file that killed processes have left in Create, Replace or Write. No other process may
// be making the file at the same time.
func RemoveUnfinished(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if number, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+part); ok && isNumber(number) && e.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return err
}

// produce makes a file under another name, and gives it its own by name when it is on disk.
func produce(disk Disk, path string, write func(f *os.File) error, name func(disk Disk, from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+part+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = write(f)
	if err == nil {
		err = disk.Sync(f)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := name(disk, f.Name(), path); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(path))
}

// place gives a file the name path. The error is fs.ErrExist if the name is taken. place uses a link, because a rename would
// replace a file that another process has just made. Some file systems have no links, for example the ones of memory
// sticks.
func place(disk Disk, from, path string) error {
	err := disk.Link(from, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, taken := os.Lstat(path); taken == nil {
		return fs.ErrExist
	}
	if disk.Rename(from, path) != nil {
		return err
	}
	return nil
}

// withoutPath takes the path out of errors of the file system.
func withoutPath(err error) error {
	var inPath *fs.PathError
	var inLink *os.LinkError
	switch {
	case errors.As(err, &inPath):
		return inPath.Err
	case errors.As(err, &inLink):
		return inLink.Err
	}
	return err
}
