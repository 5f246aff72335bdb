//go:build darwin || freebsd || netbsd

package store

import (
	"io/fs"
	"syscall"
)

// statFields are the ten numbers of an index entry before its id: ctime,
// mtime, dev, ino, mode (left 0), uid, gid, size.
func statFields(st fs.FileInfo) [10]uint32 {
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return [10]uint32{}
	}
	return [10]uint32{
		uint32(s.Ctimespec.Sec), uint32(s.Ctimespec.Nsec), uint32(s.Mtimespec.Sec), uint32(s.Mtimespec.Nsec),
		uint32(s.Dev), uint32(s.Ino), 0, s.Uid, s.Gid, uint32(s.Size),
	}
}
