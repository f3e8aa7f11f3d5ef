// Package diskspace says how much room a disk has.
package diskspace

import (
	"errors"
	"fmt"
)

// ErrUnknown says that this system doesn't tell how much room there is.
var ErrUnknown = errors.New("this system does not say how much room the disk has")

// Free returns how many bytes the user of this process may still write to the disk of a file or folder. The error wraps
// ErrUnknown or is one of the file system.
func Free(path string) (bytes int64, err error) {
	bytes, err = free(path)
	if err != nil {
		return 0, fmt.Errorf("room on the disk of %s: %w", path, err)
	}
	return bytes, nil
}
