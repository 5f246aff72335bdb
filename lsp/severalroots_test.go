package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// openFolders starts an editor with several folders.
func openFolders(t *testing.T, capabilities fakeeditor.Object, folders ...string) *fakeeditor.Editor {
	t.Helper()
	return fakeeditor.Open(t, fakeeditor.Config{
		Folders: folders, Capabilities: capabilities, InitializationOptions: fakeeditor.Object{"memhtmlStatus": true},
	}, server(t, lsp.Options{}))
}

// A root in a bucket of another is one of its own, with a repository of its own
// or without: its files are not the outer one's, and what both say is no
// duplicate.
func TestRootInARoot(t *testing.T) {
	for _, own := range []bool{true, false} {
		t.Run(fmt.Sprintf("own repository %v", own), func(t *testing.T) {
			bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) { rootInARoot(t, capabilities, own) })
		})
	}
}

func rootInARoot(t *testing.T, capabilities fakeeditor.Object, own bool) {
	outer := pair(t)
	const at = "areas/team"
	inner := repo{t, outer.path(at)}
	if inner.write(".memhtml/state/.gitkeep", ""); own {
		inner.git("init", "-q", "-b", "main")
	}
	inner.write(pool, memo("2026-01-04", "The connection pool ceiling is 64"))
	inner.write(drain, memo("2026-01-02", "Fill the queue"))
	inner.write(copied, memo("2026-02-03", "Fill the queue"))
	inner.git("add", "-A")
	inner.git("commit", "-q", "-m", "team")
	e := openFolders(t, capabilities, outer.dir)
	e.WaitCodes(outer.path(copied), "duplicate")
	e.Open(inner.path(pool))
	e.WaitCodes(inner.path(copied), "duplicate")
	// The outer root looks at its disk once more.
	outer.write("areas/x.html", untitled(1))
	e.WaitCodes(outer.path("areas/x.html"), "title-count")
	barrier(t, e)
	for uri, findings := range held(e) {
		if told := strings.Join(findings, " "); strings.Contains(told, at) || strings.Contains(told, " duplicate ") && !strings.HasSuffix(uri, copied) {
			t.Errorf("%s: %s", uri, told)
		}
	}
	before := outer.commits()
	got := execute(t, e, "memhtml.archive", fakeeditor.Object{"uri": fakeeditor.URI(inner.path(copied))})
	if got.Data.Commit == "" || got.Data.Commit != inner.git("rev-parse", "HEAD") || (outer.commits() == before) != own {
		t.Errorf("%+v", got)
	}
	e.WaitCodes(inner.path(copied))
}

// Two worktrees of one repository are two roots, each with a branch and an index
// of its own.
func TestLinkedWorktrees(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		first := pair(t)
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		second := repo{t, filepath.Join(dir, "second")}
		first.git("worktree", "add", "-q", "-b", "second", second.dir)
		e := openFolders(t, capabilities, first.dir, second.dir)
		e.WaitCodes(first.path(copied), "duplicate")
		e.WaitCodes(second.path(copied), "duplicate")
		e.Open(first.path(pool))
		e.WaitCodes(first.path(pool))
		got := execute(t, e, "memhtml.archive", fakeeditor.Object{"uri": fakeeditor.URI(second.path(copied))})
		if got.Data.Commit == "" || got.Data.Commit != second.git("rev-parse", "HEAD") || first.commits() != "1" {
			t.Fatalf("%+v", got)
		}
		e.WaitCodes(second.path(copied))
		second.git("checkout", "-q", "--detach", "HEAD~1")
		e.WaitCodes(second.path(copied), "duplicate")
		if got := strings.Join(e.Codes(first.path(copied)), " "); got != "duplicate" {
			t.Errorf("the first shows %q", got)
		}
		for _, database := range []string{".git/memhtml-ls/index.db", ".git/worktrees/second/memhtml-ls/index.db"} {
			if _, err := os.Stat(first.path(database)); err != nil {
				t.Error(err)
			}
		}
	})
}

// One repository as two folders, by its own name and through a link, is one root:
// each file shows its findings once, and they stay until the last name goes.
func TestOneRootAsTwoFolders(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		r := pair(t)
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(r.dir, link); err != nil {
			t.Fatal(err)
		}
		e := openFolders(t, capabilities, r.dir, link)
		shown := func() (n int) {
			for uri := range e.Shown() {
				if strings.HasSuffix(uri, copied) {
					n++
				}
			}
			return n
		}
		e.Wait("the duplicate", func() bool { return shown() > 0 })
		barrier(t, e)
		if n := shown(); n != 1 {
			t.Errorf("shown under %d names", n)
		}
		change := func(added, removed []fakeeditor.Object) {
			e.Notify("workspace/didChangeWorkspaceFolders", fakeeditor.Object{"event": fakeeditor.Object{"added": added, "removed": removed}})
		}
		real, linked := fakeeditor.Object{"uri": fakeeditor.URI(r.dir), "name": "x"}, fakeeditor.Object{"uri": fakeeditor.URI(link), "name": "y"}
		none := []fakeeditor.Object{}
		change(none, []fakeeditor.Object{linked})
		barrier(t, e)
		if got := strings.Join(e.Codes(r.path(copied)), " "); got != "duplicate" || shown() != 1 {
			t.Errorf("with one name left: %s, under %d names", got, shown())
		}
		change([]fakeeditor.Object{linked}, []fakeeditor.Object{real})
		e.WaitCodes(filepath.Join(link, filepath.FromSlash(copied)), "duplicate")
		e.WaitCodes(r.path(copied))
		change([]fakeeditor.Object{real}, none)
		change(none, []fakeeditor.Object{linked})
		e.WaitCodes(r.path(copied), "duplicate")
		e.Wait("one name", func() bool { return shown() == 1 })
		change(none, []fakeeditor.Object{real})
		e.Wait("nothing", func() bool { return shown() == 0 })
	})
}

// A home folder is not indexed: its roots are, as soon as a document in them is
// opened (marksman#373).
func TestHomeFolderIsNotIndexed(t *testing.T) {
	bothWays(t, func(t *testing.T, capabilities fakeeditor.Object) {
		home, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		r, other := repo{t, filepath.Join(home, "notes/memory")}, repo{t, filepath.Join(home, "other")}
		for _, root := range []repo{r, other} {
			root.write(".memhtml/state/.gitkeep", "")
			root.write(drain, memo("2026-01-02", claim))
			root.write(copied, memo("2026-02-03", claim))
			root.git("init", "-q", "-b", "main")
		}
		e := openFolders(t, capabilities, home)
		barrier(t, e)
		if got := held(e); len(got) > 0 {
			t.Errorf("shown of a home folder: %v", got)
		}
		e.Open(r.path(drain))
		e.WaitCodes(r.path(copied), "duplicate")
		barrier(t, e)
		if got := held(e); len(got) != 1 {
			t.Errorf("shown: %v", got)
		}
		if _, err := os.Stat(other.path(".git/memhtml-ls")); err == nil {
			t.Error("a root was indexed of which no document was opened")
		}
	})
}

// Where there is no repository a command refuses with the reason, and the status
// has it (marksman#413).
func TestCommandWithoutGit(t *testing.T) {
	r := pair(t)
	if err := removeAll(r.path(".git")); err != nil {
		t.Fatal(err)
	}
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(copied), "duplicate")
	got := execute(t, e, "memhtml.archive", fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))})
	if got.Code == "" || got.Code == "ERR_UNKNOWN" || !strings.Contains(got.Error, "git") {
		t.Errorf("%+v", got)
	}
	if why := statusOf(t, e).Commits; !strings.Contains(why, "git") {
		t.Errorf("the status says %q", why)
	}
	if _, err := os.Stat(r.path(copied)); err != nil {
		t.Error(err)
	}
}
