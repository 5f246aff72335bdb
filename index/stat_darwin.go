package index

import (
	"io/fs"
	"syscall"
)

// openNonblock keeps the opening of a pipe that took a file's place from waiting.
const openNonblock = syscall.O_NONBLOCK

// identity returns the change time and inode of a file.
func identity(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano(), st.Ino
	}
	return 0, 0
}
