package clubstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ludoteca/atomicfile"
)

// lastBackupName is the name of an empty file in the data folder; when it was last changed is when the last good backup was made.
const lastBackupName = "last-backup"

// NoteBackup keeps in the data folder that a backup has been made now.
func NoteBackup(data string) error {
	path := filepath.Join(data, lastBackupName)
	// The file is made anew, because a file of another user can't be changed.
	if err := atomicfile.Write(atomicfile.System{}, path, 0o600, func(*os.File) error { return nil }); err != nil {
		return fmt.Errorf("the time of this backup is not kept: %s: %w", path, err)
	}
	return nil
}

// LastBackup returns when the last good backup was made; zero if none is known. Errors come from the file system.
func LastBackup(data string) (time.Time, error) {
	info, err := os.Stat(filepath.Join(data, lastBackupName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, err
	}
	return info.ModTime().UTC(), nil
}
