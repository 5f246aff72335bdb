package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// beginWriteback lets the system begin to write a file to the disk, so that
// syncing it later has less to wait for. It is a hint and makes nothing durable.
func beginWriteback(f *os.File) error {
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
	return nil
}
