// Package atomicfile makes new files that appear whole or not at all.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A Disk is the calls that decide what is left after a power failure. Tests put their own in place of System.
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

// Create makes a new file with mode 0600. write fills it under another name in the same folder; it gets its own name
// when it is whole and on disk, so a crash leaves all of it, or nothing of that name. A file that is there already is
// not touched, and the error is fs.ErrExist. The text of errors is without the path.
func Create(disk Disk, path string, write func(f *os.File) error) error {
	return withoutPath(create(disk, path, write))
}

func create(disk Disk, path string, write func(f *os.File) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist // as it would be in the end
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
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
	if err := place(disk, f.Name(), path); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(path))
}

// place gives a file the name path unless that is taken: the error is fs.ErrExist then. A link does that, where a
// rename would replace a file that another process has just made; but some file systems, those of memory sticks for
// one, have no links.
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
