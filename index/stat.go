package index

import "time"

// Stat is what is known of the file that a row was read from, so that a later
// scan can tell without reading whether it is still that.
type Stat struct {
	// Size is in bytes.
	Size int64
	// Mtime and Ctime are nanoseconds since 1970; Ctime and Inode are zero
	// where the system does not have them.
	Mtime, Ctime int64
	Inode        uint64
	// Seen is when the row was read, in nanoseconds since 1970: a moment
	// before the bytes were looked at.
	Seen int64
}

// Still reports whether a file that looks like now is certainly the one that s
// was taken from. A file that was written about when it was read may have been
// written once more without looking different, and is never certain (git calls
// this racy).
func (s Stat) Still(now Stat) bool {
	same := s.Size == now.Size && s.Mtime == now.Mtime && s.Ctime == now.Ctime && s.Inode == now.Inode
	return same && s.Mtime+granularity(s.Mtime) < s.Seen
}

// granularity bounds how far a time stamp can lie behind the moment of the
// write: file systems that count whole seconds round to two of them at most,
// the others take the time of the last tick of the kernel's clock.
func granularity(mtime int64) int64 {
	if mtime%int64(time.Second) == 0 {
		return int64(2 * time.Second)
	}
	return int64(50 * time.Millisecond)
}
