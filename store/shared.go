package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// sharing is core.sharedRepository: the permissions that what is made in the
// git folder gets in addition, or instead where exact. The zero value leaves
// them to the umask.
type sharing struct {
	perm  fs.FileMode
	exact bool
}

const (
	shareGroup = 0o660
	shareAll   = 0o664
)

func parseSharing(v string) sharing {
	switch strings.ToLower(v) {
	case "", "umask", "false", "no", "off":
		return sharing{}
	case "group", "true", "yes", "on":
		return sharing{perm: shareGroup}
	case "all", "world", "everybody":
		return sharing{perm: shareAll}
	}
	switch n, err := strconv.ParseUint(v, 8, 12); {
	case err != nil:
		return sharing{}
	case n == 1:
		return sharing{perm: shareGroup}
	case n == 2:
		return sharing{perm: shareAll}
	case n&0o600 == 0o600:
		return sharing{perm: fs.FileMode(n) & 0o666, exact: true}
	}
	return sharing{}
}

// mode is the mode of a file or folder that was made with another.
func (s sharing) mode(old fs.FileMode) fs.FileMode {
	extra := s.perm
	if old&0o200 == 0 {
		extra &^= 0o222
	}
	if old&0o100 != 0 {
		extra |= extra & 0o444 >> 2
	}
	mode := old.Perm() | extra
	if s.exact {
		mode = extra
	}
	if old.IsDir() && mode&0o060 != 0 {
		mode |= fs.ModeSetgid
	}
	return mode
}

// share gives what was made in the git folder the permissions of a shared
// repository. What belongs to somebody else has them from its maker.
func (r *Repo) share(path string) error {
	if r.shared.perm == 0 || runtime.GOOS == "windows" {
		return nil
	}
	st, err := os.Lstat(path)
	if err != nil || !owned(st) {
		return err
	}
	mode := r.shared.mode(st.Mode())
	if mode == st.Mode()&(fs.ModePerm|fs.ModeSetgid) {
		return nil
	}
	return os.Chmod(path, mode)
}

// makeDir makes a folder in the git folder, and those above it.
func (r *Repo) makeDir(dir string) error {
	if r.shared.perm == 0 || isDir(dir) {
		return os.MkdirAll(dir, 0o777)
	}
	if err := r.makeDir(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return r.share(dir)
}
