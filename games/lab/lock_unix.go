//go:build unix

package lab

import (
	"os"
	"syscall"
)

// lock keeps other programs that lock the file away from it until it is closed, or fails if one of them was first.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
