//go:build linux || darwin

package index

import (
	"errors"
	"io"
	"io/fs"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// look returns what a name in the folder looks like. It costs one system call and
// no allocation, which [os.Root.Lstat] does not: a sweep does it for every file.
func (d folder) look(name string, seen time.Time) (s Stat, mode fs.FileMode, err error) {
	var st unix.Stat_t
	for again := true; again; again = errors.Is(err, unix.EINTR) {
		err = unix.Fstatat(int(d.names.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	runtime.KeepAlive(d.names)
	return statOfUnix(&st, seen), modeOfUnix(&st), err
}

// lookAt is [folder.look] for a whole path.
func lookAt(path string, seen time.Time) (s Stat, mode fs.FileMode, err error) {
	var st unix.Stat_t
	for again := true; again; again = errors.Is(err, unix.EINTR) {
		err = unix.Lstat(path, &st)
	}
	return statOfUnix(&st, seen), modeOfUnix(&st), err
}

// open opens a name in the folder for [openFile.read], without waiting for a pipe.
func (d folder) open(name string) (f openFile, err error) {
	const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd := -1
	for again := true; again; again = errors.Is(err, unix.EINTR) {
		fd, err = unix.Openat(int(d.names.Fd()), name, flags, 0)
	}
	runtime.KeepAlive(d.names)
	if errors.Is(err, unix.ELOOP) {
		err = errNotRegular
	}
	return openFile(fd), err
}

// openFile is a descriptor. An [os.File] would be told to the poller, which has
// no use for a file on a disk.
type openFile int

func (f openFile) look(seen time.Time) (s Stat, mode fs.FileMode, err error) {
	var st unix.Stat_t
	for again := true; again; again = errors.Is(err, unix.EINTR) {
		err = unix.Fstat(int(f), &st)
	}
	return statOfUnix(&st, seen), modeOfUnix(&st), err
}

// Read is that of [io.Reader].
func (f openFile) Read(p []byte) (n int, err error) {
	for again := true; again; again = errors.Is(err, unix.EINTR) {
		n, err = unix.Read(int(f), p)
	}
	if err == nil && n == 0 && len(p) > 0 {
		err = io.EOF
	}
	return max(n, 0), err
}

func (f openFile) close() { unix.Close(int(f)) }

func statOfUnix(st *unix.Stat_t, seen time.Time) Stat {
	return Stat{Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino, Seen: seen.UnixNano()}
}

// modeOfUnix is the type of a file.
func modeOfUnix(st *unix.Stat_t) fs.FileMode {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}
