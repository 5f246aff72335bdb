package store

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRepositoryKinds archives a file in each kind of repository that is
// supported, and lets git judge the outcome.
func TestRepositoryKinds(t *testing.T) {
	for name, set := range map[string]func(s *sandbox) *sandbox{
		"index of version 3": func(s *sandbox) *sandbox {
			s.write("intent.txt", "intent\n")
			s.git("add", "-N", "intent.txt")
			return s
		},
		"index of version 4": func(s *sandbox) *sandbox {
			s.git("update-index", "--index-version", "4")
			return s
		},
		"index of version 4 with flags": func(s *sandbox) *sandbox {
			s.git("update-index", "--index-version", "4")
			s.write("areas/a.txt", "intent\n")
			s.git("add", "-N", "areas/a.txt")
			return s
		},
		"untracked cache": func(s *sandbox) *sandbox {
			s.git("update-index", "--force-untracked-cache")
			return s.holding("UNTR")
		},
		"fsmonitor": func(s *sandbox) *sandbox {
			s.script(".git/monitor", `printf '1\0/\0'`)
			s.git("config", "core.fsmonitor", s.path(".git/monitor"))
			s.git("update-index", "--fsmonitor")
			s.git("status")
			return s.holding("FSMN")
		},
		"offset tables, version 4": func(s *sandbox) *sandbox {
			for _, key := range []string{"index.recordOffsetTable", "index.recordEndOfIndexEntries"} {
				s.git("config", key, "true")
			}
			s.git("config", "index.threads", "2")
			s.personalWork()
			s.git("update-index", "--index-version", "4")
			return s.holding("IEOT").holding("EOIE")
		},
		"partial clone": func(s *sandbox) *sandbox {
			s.git("config", "uploadpack.allowFilter", "true")
			s.commitFile(drain, s.read(drain)+"<!-- two -->\n")
			s.git("clone", "-q", "--filter=blob:none", "file://"+s.dir, s.dir+"-partial")
			c := &sandbox{s.t, s.dir + "-partial"}
			c.person()
			if c.git("rev-list", "--objects", "--all", "--missing=print") == c.git("rev-list", "--objects", "--all", "--missing=allow-any") {
				s.t.Fatal("no object is missing")
			}
			c.git("config", "core.repositoryformatversion", "0")
			return c
		},
		"resolved conflict": func(s *sandbox) *sandbox {
			s.fork()
			s.fails("merge", "other")
			s.write("README.html", "resolved\n")
			s.git("add", "README.html")
			s.git("commit", "-q", "-m", "merged")
			return s
		},
		"no index": func(s *sandbox) *sandbox {
			s.git("rm", "-q", "-r", "--cached", ".")
			s.git("commit", "-q", "-m", "empty")
			os.Remove(s.path(".git/index"))
			s.write(".git/info/exclude", "*\n")
			return s
		},
		"packed references": func(s *sandbox) *sandbox {
			s.git("pack-refs", "--all")
			return s
		},
		"packed objects": func(s *sandbox) *sandbox {
			s.git("gc", "-q", "--aggressive")
			return s
		},
		"branch with slashes, packed": func(s *sandbox) *sandbox {
			s.git("checkout", "-q", "-b", "feature/deep/name")
			s.git("pack-refs", "--all")
			return s
		},
		"linked worktree": func(s *sandbox) *sandbox {
			s.git("worktree", "add", "-q", "-b", "linked", s.dir+"-linked")
			return &sandbox{s.t, s.dir + "-linked"}
		},
		"alternates": func(s *sandbox) *sandbox {
			s.git("clone", "-q", "--shared", s.dir, s.dir+"-shared")
			c := &sandbox{s.t, s.dir + "-shared"}
			c.person()
			return c
		},
		"submodule": func(s *sandbox) *sandbox {
			super := newSandbox(s.t)
			super.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.dir, "memory")
			super.git("commit", "-q", "-m", "sub")
			c := &sandbox{s.t, super.path("memory")}
			c.person()
			return c
		},
		"separate git folder": func(s *sandbox) *sandbox {
			s.git("init", "-q", "--separate-git-dir", s.dir+".elsewhere")
			return s
		},
		"git folder on another file system": func(s *sandbox) *sandbox {
			s.git("clone", "-q", "--separate-git-dir", filepath.Join(quickDir(s.t), "elsewhere"), s.dir, s.dir+"-clone")
			c := &sandbox{s.t, s.dir + "-clone"}
			c.person()
			return c
		},
		"worktree configuration": func(s *sandbox) *sandbox {
			s.git("config", "extensions.worktreeConfig", "true")
			s.git("config", "--worktree", "user.name", "Test Person")
			return s
		},
		"sparse checkout of other folders": func(s *sandbox) *sandbox {
			s.git("sparse-checkout", "init", "--cone")
			s.git("sparse-checkout", "set", "areas", "archive")
			return s
		},
		"split index": func(s *sandbox) *sandbox {
			s.git("update-index", "--split-index")
			s.personalWork()
			return s
		},
		"split index by setting": func(s *sandbox) *sandbox {
			s.git("config", "core.splitIndex", "true")
			s.git("config", "splitIndex.maxPercentChange", "0")
			s.personalWork()
			return s
		},
		"sparse index": func(s *sandbox) *sandbox {
			s.write("other/deep/x.txt", "x\n")
			s.git("add", "other")
			s.git("commit", "-q", "-m", "other")
			s.git("sparse-checkout", "init", "--cone", "--sparse-index")
			s.git("sparse-checkout", "set", "areas", "archive")
			if kind := string(s.read(".git/index")); !strings.Contains(kind, "sdir") {
				s.t.Fatal("the index is not sparse")
			}
			return s
		},
		"no reflog": func(s *sandbox) *sandbox {
			s.git("config", "core.logAllRefUpdates", "false")
			os.RemoveAll(s.path(".git/logs"))
			return s
		},
		"autocrlf": func(s *sandbox) *sandbox {
			s.git("config", "core.autocrlf", "input")
			return s
		},
		"shallow clone": func(s *sandbox) *sandbox {
			s.commitFile("two.txt", "2\n")
			s.git("clone", "-q", "--depth", "1", "file://"+s.dir, s.dir+"-shallow")
			c := &sandbox{s.t, s.dir + "-shallow"}
			c.person()
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := set(newSandbox(t))
			before := s.git("status", "--porcelain")
			res := s.commit(s.open(), s.archive(drain, moved))
			if got := s.git("status", "--porcelain"); got != before {
				t.Errorf("status: %s\nwas %s", got, before)
			}
			if got := s.git("rev-parse", "HEAD"); strings.TrimSpace(got) != res.Commit || len(res.Warnings) > 0 {
				t.Errorf("HEAD is %s, result %v", got, res)
			}
			s.sound()
			s.git("add", "-A")
			s.git("fsck", "--strict")
		})
	}
}

// holding demands that the index has an extension.
func (s *sandbox) holding(extension string) *sandbox {
	s.t.Helper()
	if !strings.Contains(s.read(".git/index"), extension) {
		s.t.Fatalf("the index has no %s", extension)
	}
	return s
}

// TestResolveUndoIsKept commits beside a conflict that was resolved and not
// committed, which git can bring back.
func TestResolveUndoIsKept(t *testing.T) {
	s := newSandbox(t)
	s.fork()
	s.fails("merge", "other")
	s.write("README.html", "resolved\n")
	s.git("add", "README.html")
	s.git("merge", "--quit")
	before := s.git("ls-files", "--resolve-undo")
	if before == "" {
		t.Fatal("nothing to undo")
	}
	s.commit(s.open(), s.archive(drain, moved))
	if got := s.git("ls-files", "--resolve-undo"); got != before {
		t.Errorf("resolve-undo: %q, was %q", got, before)
	}
	if got := s.git("status", "--porcelain"); got != "M  README.html\n" {
		t.Errorf("status: %s", got)
	}
	s.sound()
}

// TestIdentity has one row for each place in which git looks for who commits.
func TestIdentity(t *testing.T) {
	for name, set := range map[string]func(s *sandbox){
		"includeIf": func(s *sandbox) {
			s.write(".git/mine", "[user]\n\tname = Other Person\n\temail = other@example.com\n")
			s.git("config", "includeIf.gitdir:"+s.path(".git")+".path", s.path(".git/mine"))
		},
		"environment": func(s *sandbox) {
			s.t.Setenv("GIT_AUTHOR_NAME", "Other Person")
			s.t.Setenv("GIT_COMMITTER_EMAIL", "other@example.com")
		},
		"author and committer": func(s *sandbox) {
			s.git("config", "author.name", "Other Person")
			s.git("config", "committer.email", "other@example.com")
		},
		"worktree": func(s *sandbox) {
			s.git("config", "extensions.worktreeConfig", "true")
			s.git("config", "--worktree", "user.name", "Other Person")
		},
		"odd characters": configured("user.name", "  Ütz <\"Quoted\">, Person.  "),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			set(s)
			s.git("commit", "-q", "--allow-empty", "-m", "git's own")
			s.commit(s.open(), s.archive(drain, moved))
			const format = "--format=%an|%ae|%cn|%ce"
			if git, ours := s.git("log", "-1", format, "HEAD~"), s.git("log", "-1", format); ours != git {
				t.Errorf("%s, git's is %s", ours, git)
			}
			s.sound()
		})
	}
}

func TestDetachedHead(t *testing.T) {
	s := newSandbox(t)
	s.git("checkout", "-q", "--detach")
	main := s.git("rev-parse", "main")
	res := s.commit(s.open(), s.archive(drain, moved))
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "detached") {
		t.Errorf("warnings: %q", res.Warnings)
	}
	if s.git("rev-parse", "main") != main || strings.TrimSpace(s.git("rev-parse", "HEAD")) != res.Commit {
		t.Error("the branch moved, or HEAD did not")
	}
	if got := s.git("reflog", "-1", "--format=%gs"); got != "commit: memhtml(archive): areas/ops/drain.html\n" {
		t.Errorf("reflog: %s", got)
	}
	s.clean()
	s.sound()
}

func TestUnbornHead(t *testing.T) {
	s := newSandbox(t)
	s.git("checkout", "-q", "--orphan", "fresh")
	s.git("rm", "-q", "-r", "--cached", ".")
	s.commit(s.open(), s.archive(drain, moved))
	if got := s.git("ls-tree", "-r", "--name-only", "HEAD"); got != moved+"\n" {
		t.Errorf("committed:\n%s", got)
	}
	if got := s.git("log", "--format=%s"); got != "memhtml(archive): areas/ops/drain.html\n" {
		t.Errorf("log:\n%s", got)
	}
	if got := s.git("reflog", "-1", "--format=%gs"); got != "commit (initial): memhtml(archive): areas/ops/drain.html\n" {
		t.Errorf("reflog: %s", got)
	}
	s.sound()
}

func TestRootBelowTop(t *testing.T) {
	s := newSandbox(t)
	s.write("docs/mem/"+drain, "x <article> 1\n")
	s.write("docs/mem/"+pool, "x <article> 2\n")
	s.git("add", ".")
	s.git("commit", "-q", "-m", "docs")
	r := s.open("docs", "mem")
	text := "x <article> 1\n"
	s.commit(r, Plan{Changes: []Change{move(drain, moved, text)}, Message: Message{Subject: "m"}, At: testTime})
	if got := s.git("show", "--format=", "--name-status", "--no-renames"); got != "A\tdocs/mem/"+moved+"\nD\tdocs/mem/"+drain+"\n" {
		t.Errorf("committed:\n%s", got)
	}
	tracked, err := r.Tracked(context.Background(), strings.TrimSpace(s.git("rev-parse", "HEAD")))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{moved, pool}, sortedKeys(tracked)); d != "" {
		t.Error(d)
	}
	if r.Prefix() != "docs/mem" || !strings.HasPrefix(r.StateDir(), s.path(".git/memhtml-ls")) || len(filepath.Base(r.StateDir())) != 16 {
		t.Errorf("prefix %q, state %q", r.Prefix(), r.StateDir())
	}
	s.clean()
	s.sound()
}

func TestTracked(t *testing.T) {
	s := newSandbox(t)
	s.link(pool, "areas/link.html")
	s.git("add", ".")
	s.git("commit", "-q", "-m", "link")
	got, err := s.open().Tracked(context.Background(), strings.TrimSpace(s.git("rev-parse", "HEAD")))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][20]byte{}
	for _, p := range []string{"README.html", drain, pool} {
		var id [20]byte
		if _, err := hex.Decode(id[:], []byte(strings.TrimSpace(s.git("rev-parse", "HEAD:"+p)))); err != nil {
			t.Fatal(err)
		}
		want[p] = id
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if none, err := s.open().Tracked(context.Background(), ""); err != nil || len(none) != 0 {
		t.Errorf("unborn: %v %v", none, err)
	}
}

func TestModes(t *testing.T) {
	for _, row := range []struct {
		name, filemode, mode string
		perm, want           os.FileMode
	}{
		{"executable", "true", "100755", 0o755, 0o755},
		{"private", "true", "100644", 0o600, 0o600},
		{"executable that git is not to see", "false", "100644", 0o755, 0o755},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSandbox(t)
			s.git("config", "core.fileMode", row.filemode)
			if err := os.Chmod(s.path(drain), row.perm); err != nil {
				t.Fatal(err)
			}
			s.commit(s.open(), s.archive(drain, moved))
			if got := s.git("ls-tree", "HEAD", moved); !strings.HasPrefix(got, row.mode) {
				t.Errorf("tree: %s", got)
			}
			if st, err := os.Stat(s.path(moved)); err != nil || st.Mode().Perm() != row.want {
				t.Errorf("disk: %v %v", st.Mode(), err)
			}
			s.clean()
		})
	}
}

// TestExecutableByIndex is core.fileMode=false with a mode that only the index
// knows.
func TestExecutableByIndex(t *testing.T) {
	s := newSandbox(t)
	s.git("config", "core.fileMode", "false")
	s.git("update-index", "--chmod=+x", drain)
	s.git("commit", "-q", "-m", "mode")
	s.commit(s.open(), s.archive(drain, moved))
	if got := s.git("ls-tree", "HEAD", moved); !strings.HasPrefix(got, "100755") {
		t.Errorf("tree: %s", got)
	}
	s.clean()
}

func sortedKeys[V any](m map[string]V) []string {
	set := map[string]string{}
	for k := range m {
		set[k] = ""
	}
	return keys(set)
}
