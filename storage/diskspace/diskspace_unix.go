//go:build linux || darwin || freebsd

package diskspace

import (
	"math"
	"syscall"
)

func free(path string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, err
	}
	blocks := int64(s.Bavail) // below 0 on FreeBSD when only root's reserve is left
	if blocks <= 0 {
		return 0, nil
	}
	if size := int64(s.Bsize); blocks <= math.MaxInt64/size {
		return blocks * size, nil
	}
	return math.MaxInt64, nil
}
