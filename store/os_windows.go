package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// syncDir does nothing: Windows offers no way to sync a folder.
func syncDir(string) error { return nil }

// renameTries and renamePause bound the wait for a scanner or an editor that
// holds the target open for a moment.
const (
	renameTries = 20
	renamePause = 25 * time.Millisecond
)

// rename replaces newpath in one step.
func rename(oldpath, newpath string) (err error) {
	for range renameTries {
		err = os.Rename(oldpath, newpath)
		if !errors.Is(err, syscall.ERROR_ACCESS_DENIED) && !errors.Is(err, syscall.Errno(32)) {
			return err
		}
		time.Sleep(renamePause)
	}
	return err
}

// executable holds for every file: git for Windows runs a hook by its first
// line.
func executable(fs.FileInfo) bool { return true }

// hookCommand leaves it to git to run the hook, which brings its own shell.
func hookCommand(ctx context.Context, name, _ string, args []string) *exec.Cmd {
	return exec.CommandContext(ctx, "git", append([]string{"hook", "run", name, "--"}, args...)...)
}

// owned is never known without asking git.
func owned(fs.FileInfo) bool { return false }

// statFields leaves out what git for Windows leaves out of the index.
func statFields(st fs.FileInfo) [10]uint32 {
	m := st.ModTime()
	f := [10]uint32{2: uint32(m.Unix()), 3: uint32(m.Nanosecond()), 9: uint32(st.Size())}
	if d, ok := st.Sys().(*syscall.Win32FileAttributeData); ok {
		c := time.Unix(0, d.CreationTime.Nanoseconds())
		f[0], f[1] = uint32(c.Unix()), uint32(c.Nanosecond())
	}
	return f
}
