package lsp_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// recalling is an editor that shows a finding of the last run which the files do
// not bear out any more; they are looked at when release is called.
func recalling(t *testing.T, capabilities fakeeditor.Object) (r repo, e *fakeeditor.Editor, release func()) {
	t.Helper()
	r = pair(t)
	first := open(t, r, capabilities)
	first.WaitCodes(r.path(copied), "duplicate")
	first.Leave()
	r.write(drain, memo("2026-01-02", "Something else"))

	release = holdObject(t, r, r.git("rev-parse", "HEAD^{tree}"))
	e = open(t, r, capabilities)
	t.Cleanup(release)
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	return r, e, release
}

// An open document shows what the last run knew while the files are still being
// looked at, and what is true once they were.
func TestRecalledFindingsAreCorrected(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r, e, release := recalling(t, capabilities)
		release()
		e.WaitCodes(r.path(copied))
	})
}

// What an open document showed of the last run goes with the document when the
// files say otherwise.
func TestRecalledFindingsOfAClosedDocumentAreCorrected(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r, e, release := recalling(t, capabilities)
		e.Close(r.path(copied))
		release()
		e.WaitCodes(r.path(copied))
	})
}

// What was true before the files were looked at is not said again.
func TestRecalledFindingsAreSentOnce(t *testing.T) {
	r := pair(t)
	first := open(t, r, fakeeditor.VSCode())
	first.WaitCodes(r.path(copied), "duplicate")
	first.Leave()
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(), InitializationOptions: fakeeditor.Object{"memhtmlStatus": true},
	}, server(t, lsp.Options{}))
	e.Open(r.path(copied))
	e.Open(r.path(pool))
	e.WaitCodes(r.path(pool))
	e.Wait("the end of the first index", func() bool { return len(e.Seen("memhtml/status")) > 0 })
	barrier(t, e)
	if all := e.Publications(r.path(copied)); len(all) != 1 {
		t.Errorf("published %d times: %+v", len(all), all)
	}
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
