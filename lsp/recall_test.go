package lsp_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
)

// An open document shows what the last run knew while the files are still being
// looked at, and what is true once they were.
func TestRecalledFindingsAreCorrected(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		first := open(t, r, capabilities)
		first.WaitCodes(r.path(copied), "duplicate")
		first.Leave()
		r.write(drain, memo("2026-01-02", "Something else"))

		release := holdObject(t, r, r.git("rev-parse", "HEAD^{tree}"))
		e := open(t, r, capabilities)
		t.Cleanup(release)
		e.Open(r.path(copied))
		e.WaitCodes(r.path(copied), "duplicate")
		release()
		e.WaitCodes(r.path(copied))
	})
}

// holdObject makes whoever reads an object of the repository wait until release
// is called.
func holdObject(t *testing.T, r repo, id string) (release func()) {
	t.Helper()
	name := r.path(filepath.Join(".git", "objects", id[:2], id[2:]))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	for _, err := range []error{os.Rename(name, pipe+".object"), syscall.Mkfifo(pipe, 0o600), os.Link(pipe, name)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return sync.OnceFunc(func() {
		// Opened both ways it waits for nobody: maybe nobody reads yet.
		to, err := os.OpenFile(pipe, os.O_RDWR, 0)
		if err == nil {
			_, err = to.Write(text)
			err = errors.Join(err, os.Rename(pipe+".object", name), to.Close())
		}
		if err != nil {
			t.Error(err)
		}
	})
}
