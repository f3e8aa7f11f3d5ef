package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RemoveFolders removes folders in dir that killed processes have left. os.MkdirTemp has made them with the pattern prefix+"*", each for one
// file called name. To be safe, RemoveFolders removes only folders with nothing in them but that file, whole or unfinished. It keeps a
// folder if inUse reports that another process uses the file; inUse may be nil.
func RemoveFolders(dir, prefix, name string, inUse func(file string) bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if number, ok := strings.CutPrefix(e.Name(), prefix); e.IsDir() && ok && isNumber(number) {
			err = errors.Join(err, removeFolder(filepath.Join(dir, e.Name()), name, inUse))
		}
	}
	return err
}

func removeFolder(folder, name string, inUse func(file string) bool) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		number, unfinished := strings.CutPrefix(e.Name(), name+part)
		ours := e.Name() == name || unfinished && isNumber(number)
		if !ours || !e.Type().IsRegular() {
			return err
		}
	}
	if err != nil || inUse != nil && inUse(filepath.Join(folder, name)) {
		return err
	}
	for _, e := range entries {
		err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
	}
	return errors.Join(err, os.Remove(folder))
}

// isNumber reports whether a text has digits alone, as the ends of temporary names do.
func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
