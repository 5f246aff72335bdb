//go:build unix

package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSharedRepository(t *testing.T) {
	old := syscall.Umask(0o077)
	t.Cleanup(func() { syscall.Umask(old) })
	for value, want := range map[string]struct{ file, object, dir fs.FileMode }{
		"umask": {0o600, 0o400, 0o700},
		"group": {0o660, 0o440, 0o770}, "true": {0o660, 0o440, 0o770},
		"all": {0o664, 0o444, 0o775}, "0640": {0o640, 0o440, 0o750},
	} {
		s := newSandbox(t, "--shared="+value)
		s.git("config", "core.sharedRepository", value)
		before := s.names(".git")
		res := s.commit(s.open(), s.archive(drain, moved))
		check := func(path string, want fs.FileMode) {
			t.Helper()
			st, err := os.Stat(s.path(path))
			if err != nil {
				t.Fatal(err)
			}
			if got := st.Mode().Perm(); got != want {
				t.Errorf("%s: %s is %o, want %o", value, path, got, want)
			}
		}
		for path := range s.names(".git") {
			switch {
			case before[path]:
			case strings.HasPrefix(path, ".git/objects/") && strings.Count(path, "/") == 3:
				check(path, want.object)
			case isDir(s.path(path)):
				check(path, want.dir)
			default:
				check(path, want.file)
			}
		}
		check(".git/objects/"+res.Commit[:2]+"/"+res.Commit[2:], want.object)
		check(".git/refs/heads/main", want.file)
		check(".git/index", want.file)
		s.clean()
	}
}

func (s *sandbox) names(dir string) map[string]bool {
	names := map[string]bool{}
	err := filepath.WalkDir(s.path(dir), func(p string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(s.dir, p)
		names[filepath.ToSlash(rel)] = true
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return names
}
