//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// GiveOwner gives a file the owner and the group of another file. Root may work on the club's files, and the club must be able
// to open the results.
func GiveOwner(f *os.File, of fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	want, has := of.Sys().(*syscall.Stat_t), info.Sys().(*syscall.Stat_t)
	if want.Uid == has.Uid && want.Gid == has.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}
