//go:build unix

package store

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// rename replaces newpath in one step.
func rename(oldpath, newpath string) error { return os.Rename(oldpath, newpath) }

// executable tells whether the file system says that a file can be run.
func executable(st fs.FileInfo) bool { return st.Mode()&0o111 != 0 }

// hookCommand runs the file itself.
func hookCommand(ctx context.Context, _, path string, args []string) *exec.Cmd {
	return exec.CommandContext(ctx, path, args...)
}

// owned tells whether the file belongs to who runs this process.
func owned(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}
