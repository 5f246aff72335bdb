package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// TestRefusedStates has one row for each state of a repository in which a
// commit would differ from git's own.
func TestRefusedStates(t *testing.T) {
	for _, row := range []struct {
		name string
		code failure.Code
		says string
		set  func(s *sandbox)
	}{
		{"hook reference-transaction", failure.UnsupportedRepository, "reference-transaction", hook("reference-transaction")},
		{"hook post-index-change", failure.UnsupportedRepository, "post-index-change", hook("post-index-change")},
		{"filter", failure.UnsupportedRepository, "filter", attribute1("*.html filter=lfs")},
		{"filter by macro", failure.UnsupportedRepository, "filter", attribute1("[attr]big filter=lfs\n*.html big")},
		{"ident", failure.UnsupportedRepository, "ident", attribute1("*.html ident")},
		{"working-tree-encoding", failure.UnsupportedRepository, "encoding", attribute1("areas/** working-tree-encoding=UTF-16")},
		{"filter in a folder's attributes", failure.UnsupportedRepository, "filter", func(s *sandbox) {
			s.write("areas/.gitattributes", "ops/*.html filter=x\n")
		}},
		{"filter in attributes only the index has", failure.UnsupportedRepository, "filter", func(s *sandbox) {
			s.write("areas/.gitattributes", "ops/*.html filter=x\n")
			s.git("add", "areas/.gitattributes")
			os.Remove(s.path("areas/.gitattributes"))
		}},
		{"filter in info/attributes", failure.UnsupportedRepository, "filter", func(s *sandbox) {
			s.write(".git/info/attributes", "archive/2026/ filter=x\narchive/** filter=x\n")
		}},
		{"filter in core.attributesFile", failure.UnsupportedRepository, "filter", func(s *sandbox) {
			s.write(".git/mine", "drain.html filter=x\n")
			s.git("config", "core.attributesFile", s.path(".git/mine"))
		}},
		{"safecrlf with both line ends", failure.UnsupportedRepository, "safecrlf", func(s *sandbox) {
			s.write(drain, strings.Replace(s.read(drain), "\n", "\r\n", 2))
			s.git("commit", "-q", "-a", "-m", "both")
			s.git("config", "core.safecrlf", "true")
			s.write(".gitattributes", "*.html text eol=crlf\n")
		}},
		{"merge in conflict", failure.GitState, "merge", func(s *sandbox) {
			s.fork()
			s.fails("merge", "other")
		}},
		{"merge without conflict, uncommitted", failure.GitState, "merge", func(s *sandbox) {
			s.fork()
			s.git("merge", "-q", "--no-commit", "-s", "ours", "other")
		}},
		{"cherry-pick", failure.GitState, "cherry-pick", func(s *sandbox) {
			s.fork()
			s.fails("cherry-pick", "other")
		}},
		{"revert", failure.GitState, "revert", func(s *sandbox) {
			s.git("revert", "--no-edit", "--no-commit", "HEAD~0")
			s.git("reset", "-q", "--hard")
			s.write(".git/REVERT_HEAD", s.git("rev-parse", "HEAD"))
		}},
		{"rebase", failure.GitState, "rebase", func(s *sandbox) {
			s.fork()
			s.fails("rebase", "other")
		}},
		{"rebase by apply", failure.GitState, "rebase", func(s *sandbox) {
			s.fork()
			s.fails("rebase", "--apply", "other")
		}},
		{"am", failure.GitState, "am", func(s *sandbox) {
			s.fork()
			s.write(".git/patch", s.git("format-patch", "-1", "--stdout", "other"))
			s.fails("am", ".git/patch")
		}},
		{"conflict of a stash", failure.GitState, "conflict", func(s *sandbox) {
			s.write("README.html", "stashed\n")
			s.git("stash", "-q")
			s.write("README.html", "committed\n")
			s.git("commit", "-q", "-a", "-m", "other")
			s.fails("stash", "apply")
		}},
		{"held index.lock", failure.GitState, "index.lock", func(s *sandbox) { s.write(".git/index.lock", "") }},
		{"held lock of the branch", failure.GitState, "refs/heads/main.lock", func(s *sandbox) { s.write(".git/refs/heads/main.lock", "") }},
		{"held HEAD.lock", failure.GitState, "HEAD.lock", func(s *sandbox) { s.write(".git/HEAD.lock", "") }},
		{"damaged index", failure.GitState, "index", func(s *sandbox) { s.write(".git/index", "DIRC\x00\x00\x00\x02garbage garbage garbage") }},
		{"index with another sum", failure.GitState, "index", func(s *sandbox) {
			index := []byte(s.read(".git/index"))
			index[indexHeader+entryID] ^= 1
			s.write(".git/index", string(index))
		}},
		{"HEAD on no branch", failure.GitState, "branch", func(s *sandbox) {
			s.git("update-ref", "refs/other/x", "HEAD")
			s.git("symbolic-ref", "HEAD", "refs/other/x")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSandbox(t)
			s.commit(s.open(), Plan{Changes: []Change{{Path: "areas/first.html", After: []byte("x\n")}}, At: testTime})
			row.set(s)
			f := s.refused(s.open(), s.archive(drain, moved), row.code)
			if !strings.Contains(f.Message, row.says) || len(f.Suggestions) == 0 {
				t.Errorf("says %q, suggests %q", f.Message, f.Suggestions)
			}
		})
	}
}

func configured(key, value string) func(*sandbox) {
	return func(s *sandbox) { s.git("config", key, value) }
}

func attribute1(text string) func(*sandbox) {
	return func(s *sandbox) { s.write(".gitattributes", text+"\n") }
}

func (s *sandbox) script(p, commands string) {
	s.write(p, "#!/bin/sh\n"+commands+"\n")
	if err := os.Chmod(s.path(p), 0o777); err != nil {
		s.t.Fatal(err)
	}
}

// crlf commits the memory with CR LF line ends.
func (s *sandbox) crlf() {
	s.write(drain, strings.ReplaceAll(s.read(drain), "\n", "\r\n"))
	s.git("commit", "-q", "-a", "-m", "crlf")
}

// fork makes a branch that conflicts with main.
func (s *sandbox) fork() {
	s.git("checkout", "-q", "-b", "other")
	s.write("README.html", "theirs\n")
	s.git("commit", "-q", "-a", "-m", "theirs")
	s.git("checkout", "-q", "main")
	s.write("README.html", "ours\n")
	s.git("commit", "-q", "-a", "-m", "ours")
}

func (s *sandbox) fails(args ...string) {
	s.t.Helper()
	if out, err := s.try(args...); err == nil {
		s.t.Fatalf("git %s succeeded:\n%s", strings.Join(args, " "), out)
	}
}

// TestHarmlessStates are states that look like the refused ones.
func TestHarmlessStates(t *testing.T) {
	for name, set := range map[string]func(s *sandbox){
		"hook that is not executable": func(s *sandbox) { s.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n") },
		"hooks of other commands":     hook("pre-push"),
		"bisect":                      func(s *sandbox) { s.git("bisect", "start") },
		"attributes of the scaffold":  attribute1("index.html merge=ours\nsitemap.xml merge=ours\n*.html diff=html"),
		"filter on other paths":       attribute1("*.bin filter=lfs\nprojects/** filter=x"),
		"filter taken back":           attribute1("*.html filter=x\nareas/** !filter\narchive/** -filter"),
		"autocrlf with LF":            configured("core.autocrlf", "true"),
		"text with LF":                attribute1("* text=auto eol=lf"),
		"CR LF without conversion":    func(s *sandbox) { s.crlf() },
		"CR LF kept by -text": func(s *sandbox) {
			s.git("config", "core.autocrlf", "true")
			s.write(".gitattributes", "* -text\n")
			s.crlf()
		},
		"gpgsign off": configured("commit.gpgsign", "no"),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			set(s)
			before := s.git("status", "--porcelain")
			s.commit(s.open(), s.archive(drain, moved))
			if got := s.git("status", "--porcelain"); got != before {
				t.Errorf("status:\n%s", got)
			}
			s.sound()
		})
	}
}

func TestRefusedPlans(t *testing.T) {
	s := newSandbox(t)
	text := s.read(drain)
	r := s.open()
	s.refused(r, Plan{At: testTime}, failure.MissingArgument)
	s.refused(r, Plan{Changes: []Change{move(drain, moved, text)}}, failure.MissingArgument)
	s.refused(r, Plan{Changes: []Change{{}}, At: testTime}, failure.MissingArgument)
	s.refused(r, Plan{Changes: []Change{{From: drain}}, At: testTime}, failure.MissingArgument)
	s.refused(r, Plan{Changes: []Change{move(drain, moved, text), move(drain, "areas/x.html", text)}, At: testTime}, failure.RoleConflict)
	s.refused(r, Plan{Changes: []Change{move(drain, moved, text), move(pool, moved, s.read(pool))}, At: testTime}, failure.RoleConflict)
	s.refused(r, Plan{Changes: []Change{{Path: "areas/x.html"}, {Path: "areas/x.html/y.html"}}, At: testTime}, failure.RoleConflict)
	// One that does not hold refuses the others.
	s.refused(r, Plan{Changes: []Change{move(drain, moved, text), move(pool, "areas/x.html", "other")}, At: testTime}, failure.StaleDocument)
	s.sound()
}

func TestRefusedRepositories(t *testing.T) {
	for _, row := range []struct {
		name, says string
		make       func(s *sandbox) string
	}{
		{"no repository", "No git repository", func(s *sandbox) string { return t.TempDir() }},
		{"bare", "bare", func(s *sandbox) string {
			s.git("clone", "-q", "--bare", s.dir, s.dir+".git")
			return s.dir + ".git"
		}},
		{"inside .git", "bare", func(s *sandbox) string { return s.path(".git/refs") }},
		{"core.bare", "bare", func(s *sandbox) string { s.git("config", "core.bare", "true"); return s.dir }},
		{"core.worktree", "core.worktree", func(s *sandbox) string { s.git("config", "core.worktree", t.TempDir()); return s.dir }},
		{"sha256", "objectformat", func(s *sandbox) string {
			dir := filepath.Join(t.TempDir(), "sha256")
			s.git("init", "-q", "--object-format=sha256", dir)
			return dir
		}},
		{"reftable", "refstorage", func(s *sandbox) string {
			s.git("config", "core.repositoryformatversion", "1")
			s.git("config", "extensions.refStorage", "reftable")
			return s.dir
		}},
		{"unknown extension", "extensionofnextyear", func(s *sandbox) string {
			s.git("config", "extensions.extensionOfNextYear", "true")
			return s.dir
		}},
		{"format version 2", "version 2", func(s *sandbox) string { s.git("config", "core.repositoryformatversion", "2"); return s.dir }},
		{"broken configuration", "configuration", func(s *sandbox) string { s.write(".git/config", "[core\n"); return s.dir }},
		{"worktree whose git folder is gone", ".git file", func(s *sandbox) string {
			s.git("worktree", "add", "-q", s.dir+"-linked")
			os.RemoveAll(s.path(".git/worktrees"))
			return s.dir + "-linked"
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Open(context.Background(), row.make(newSandbox(t)), Options{})
			var f *failure.Error
			if !errors.As(err, &f) || f.Code != failure.UnsupportedRepository || !strings.Contains(strings.ToLower(f.Message), strings.ToLower(row.says)) {
				t.Errorf("got %v", err)
			}
			if errors.Is(err, ErrNoGit) != (row.name == "no repository") {
				t.Errorf("ErrNoGit: %v", err)
			}
		})
	}
}

func TestRefusedOwner(t *testing.T) {
	s := newSandbox(t)
	testOnlyForeign = true
	t.Cleanup(func() { testOnlyForeign = false })
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	plan := s.archive(drain, moved)
	s.refused(s.open(), plan, failure.UnsupportedRepository)
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "safe.directory")
	t.Setenv("GIT_CONFIG_VALUE_0", s.dir)
	s.commit(s.open(), plan)
}

func TestRefusedWithoutIdentity(t *testing.T) {
	s := newSandbox(t)
	s.git("config", "--unset", "user.email")
	s.git("config", "user.useConfigOnly", "true")
	f := s.refused(s.open(), s.archive(drain, moved), failure.Identity)
	if !strings.Contains(strings.Join(f.Suggestions, " "), "user.email") {
		t.Errorf("suggests %q", f.Suggestions)
	}
}

func TestRefusedWithoutGit(t *testing.T) {
	s := newSandbox(t)
	plan, r := s.archive(drain, moved), s.open()
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	f := s.refused(r, plan, failure.Git)
	if !strings.Contains(f.Message, "not found") {
		t.Errorf("says %q", f.Message)
	}
	t.Setenv("PATH", path)
	s.sound()
}

func TestRefusedWhileAnotherWrites(t *testing.T) {
	s := newSandbox(t)
	release, err := s.open().lockWriter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	testOnlyWriterWait = 1
	t.Cleanup(func() { testOnlyWriterWait = 0 })
	f := s.refused(s.open(), s.archive(drain, moved), failure.WriterBusy)
	if pid, held := s.open().Writer(); pid != os.Getpid() || !held || !strings.Contains(f.Message, strconv.Itoa(pid)) {
		t.Errorf("held %v by %d, says %q", held, pid, f.Message)
	}
	release()
	if pid, held := s.open().Writer(); held {
		t.Errorf("held by %d", pid)
	}
	s.commit(s.open(), s.archive(drain, moved))
}

func TestRefusedWhenCancelled(t *testing.T) {
	s := newSandbox(t)
	ctx, cancel := context.WithCancel(context.Background())
	plan := s.archive(drain, moved)
	before := s.digest()
	onStep(t, StepFolders, func() error { cancel(); return nil })
	if _, err := s.open().Commit(ctx, plan); failure.CodeOf(err) != failure.Cancelled {
		t.Errorf("got %v", err)
	}
	if after := s.digest(); after != before {
		t.Error(diffLines(before, after))
	}
}
