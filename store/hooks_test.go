package store

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

var commitHooks = []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"}

// hookScript installs a hook that runs shell commands.
func (s *sandbox) hookScript(name, commands string) {
	s.t.Helper()
	p := filepath.Join(s.gitFolder(), "hooks", name)
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte("#!/bin/sh\n"+commands+"\n"), 0o777); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) gitFolder() string {
	s.t.Helper()
	return strings.TrimSpace(s.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
}

func hook(name string) func(*sandbox) {
	return func(s *sandbox) { s.hookScript(name, "exit 0") }
}

// withHooks opens the repository with a choice about hooks.
func (s *sandbox) withHooks(h Hooks) *Repo {
	s.t.Helper()
	r, err := Open(context.Background(), s.dir, Options{Hooks: func() Hooks { return h }})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { r.Close() })
	return r
}

// TestHooksAsGitRunsThem holds what our hooks see against what those of git
// commit see of the same change: arguments, folder, input, environment, the
// message, and the commit in the index.
func TestHooksAsGitRunsThem(t *testing.T) {
	const look = `
exec >>"$TRACE"
echo "== ${0##*/} ${2-}"
pwd -P
cat
env | grep ^GIT_ | grep -v ^GIT_INDEX_FILE= | sort
echo "$PATH"
if [ -n "${1-}" ]; then cat "$1"; fi
git diff --cached --name-status --no-renames HEAD
git ls-files --stage
git status --porcelain --untracked-files=no | grep -v notes/`
	for name, set := range map[string]func(s *sandbox) *sandbox{
		"plain": func(s *sandbox) *sandbox { return s },
		"linked worktree": func(s *sandbox) *sandbox {
			s.git("worktree", "add", "-q", "-b", "linked", s.dir+"-linked")
			return &sandbox{s.t, s.dir + "-linked"}
		},
		"work of the person": func(s *sandbox) *sandbox {
			s.personalWork()
			return s
		},
		"split index": func(s *sandbox) *sandbox {
			s.git("config", "core.splitIndex", "true")
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := set(newSandbox(t))
			for _, h := range commitHooks {
				s.hookScript(h, look)
			}
			text := s.read(pool)
			plan := Plan{
				Changes: []Change{{From: pool, Path: pool, Expect: sum(text), After: []byte(text + "more\n")}},
				Message: Message{Subject: "memhtml(update): pool"}, At: testTime,
			}
			head := strings.TrimSpace(s.git("rev-parse", "HEAD"))
			index, err := os.ReadFile(strings.TrimSpace(s.git("rev-parse", "--path-format=absolute", "--git-path", "index")))
			if err != nil {
				t.Fatal(err)
			}
			ours := filepath.Join(t.TempDir(), "ours")
			t.Setenv("TRACE", ours)
			s.commit(s.open(), plan)
			s.sound()

			// The same once more, by git: its hooks find the file saved.
			s.git("update-ref", "HEAD", head)
			if err := os.WriteFile(strings.TrimSpace(s.git("rev-parse", "--path-format=absolute", "--git-path", "index")), index, 0o666); err != nil {
				t.Fatal(err)
			}
			theirs := filepath.Join(t.TempDir(), "theirs")
			t.Setenv("TRACE", theirs)
			cmd := exec.Command("git", "commit", "-q", "-m", "memhtml(update): pool", "--only", pool)
			cmd.Dir = s.dir
			cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=@"+stampTime(testTime))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			if d := cmp.Diff(hookTrace(t, theirs), hookTrace(t, ours)); d != "" {
				t.Errorf("-git +ours\n%s", d)
			}
		})
	}
}

// hookTrace leaves out what a hook sees of the worktree before the commit:
// git's file is saved already, ours is not.
func hookTrace(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "== "); n != len(commitHooks) {
		t.Fatalf("%d hooks ran:\n%s", n, b)
	}
	worktree := regexp.MustCompile(`(?m)^M[ M] ` + regexp.QuoteMeta(pool) + `$`)
	return strings.Split(worktree.ReplaceAllString(string(b), "M  "+pool), "\n")
}

func TestRefusingHook(t *testing.T) {
	for _, name := range commitHooks[:3] {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			s.hookScript(name, "echo not today >&2; exit 3")
			f := s.refused(s.open(), s.archive(drain, moved), failure.HookRefused)
			if !strings.Contains(f.Message, name) || !strings.Contains(f.Err.Error(), "not today") || len(f.Suggestions) == 0 {
				t.Errorf("says %q, logs %q, suggests %q", f.Message, f.Err, f.Suggestions)
			}
			s.noLeftovers()
		})
	}
}

// TestRefusingHookAmongHooks refuses by the last of the hooks, when the others
// have run.
func TestRefusingHookAmongHooks(t *testing.T) {
	s := crashBox(t)
	s.hookScript("pre-commit", "git status >/dev/null")
	s.hookScript("prepare-commit-msg", `echo more >>"$1"`)
	s.hookScript("commit-msg", "exit 1")
	s.refused(s.open(), s.crashPlan(), failure.HookRefused)
	s.sound()
}

func TestHooksEditTheMessage(t *testing.T) {
	s := newSandbox(t)
	s.hookScript("prepare-commit-msg", `{ echo; echo; printf 'MEM-7 '; cat "$1"; } >"$1.new" && mv "$1.new" "$1"`)
	s.hookScript("commit-msg", `git interpret-trailers --in-place --trailer 'Change-Id: I1' "$1"; echo '   ' >>"$1"`)
	s.commit(s.open(), s.archive(drain, moved))
	if got := s.git("log", "-1", "--format=%B"); got != "MEM-7 memhtml(archive): areas/ops/drain.html\n\nChange-Id: I1\n\n" {
		t.Errorf("message %q", got)
	}
	if got := s.git("reflog", "-1", "--format=%gs"); got != "commit: MEM-7 memhtml(archive): areas/ops/drain.html\n" {
		t.Errorf("reflog: %s", got)
	}
	s.clean()
	s.sound()
}

// TestHookThatChangesTheCommit has one row for each way in which a hook could
// get into the commit what the plan does not say.
func TestHookThatChangesTheCommit(t *testing.T) {
	for _, row := range []struct{ name, hook, commands, says string }{
		{"stages another file", "pre-commit", "echo x >generated.txt; git add generated.txt", "pre-commit"},
		{"formats ours", "pre-commit", "git update-index --cacheinfo 100644,$(git hash-object -w README.html)," + moved, "pre-commit"},
		{"takes ours away", "commit-msg", "git rm -q --cached " + moved, "commit-msg"},
		{"makes ours executable", "pre-commit", "git update-index --chmod=+x " + moved, "pre-commit"},
		{"removes the index", "pre-commit", `rm "$GIT_INDEX_FILE"`, "pre-commit"},
		{"empties the message", "commit-msg", `: >"$1"`, "message"},
		{"blanks the message", "prepare-commit-msg", `echo ' ' >"$1"`, "message"},
		{"puts NUL in the message", "commit-msg", `printf 'a\0b' >"$1"`, "message"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSandbox(t)
			s.write("generated.txt", "x\n")
			s.hookScript(row.hook, row.commands)
			f := s.refused(s.open(), s.archive(drain, moved), failure.HookRefused)
			if !strings.Contains(f.Message, row.says) {
				t.Errorf("says %q", f.Message)
			}
			s.sound()
		})
	}
}

// TestHookThatMeddles changes what the plan rests on.
func TestHookThatMeddles(t *testing.T) {
	once := "test -e .git/once && exit 0; : >.git/once; unset GIT_INDEX_FILE; "
	for _, row := range []struct {
		name, commands string
		code           failure.Code
	}{
		{"saves our file", "echo later >>" + drain, failure.StaleDocument},
		{"makes our destination", "mkdir -p archive/2026/areas/ops; echo x >" + moved, failure.DestinationExists},
		{"begins a merge", "git rev-parse HEAD >.git/MERGE_HEAD", failure.GitState},
		{"commits elsewhere", "git commit -q --no-verify --allow-empty -m theirs", ""},
		{"stages elsewhere", "echo x >x.txt; git add x.txt", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSandbox(t)
			s.hookScript("pre-commit", once+row.commands)
			_, err := s.open().Commit(context.Background(), s.archive(drain, moved))
			if row.code == "" && err != nil || row.code != "" && failure.CodeOf(err) != row.code {
				t.Errorf("got %v", err)
			}
			if at := s.git("log", "-1", "--format=%s"); strings.Contains(at, "archive") != (row.code == "") {
				t.Errorf("HEAD is %s", at)
			}
			s.sound()
		})
	}
}

func TestPostCommit(t *testing.T) {
	s := newSandbox(t)
	s.hookScript("post-commit", "git log -1 --format=%H >.git/seen; git status --porcelain >>.git/seen; test ! -e .git/index.lock && exit 1")
	res := s.commit(s.open(), s.archive(drain, moved))
	if got := s.read(".git/seen"); got != res.Commit+"\n" {
		t.Errorf("the hook saw %q", got)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "post-commit") {
		t.Errorf("warnings: %q", res.Warnings)
	}
	s.clean()
	s.sound()
}

// TestNoPostCommitAfterRefusal lets the disk fail at the last step.
func TestNoPostCommitAfterRefusal(t *testing.T) {
	s := newSandbox(t)
	s.hookScript("post-commit", ": >.git/seen")
	onStep(t, StepIndex, func() error { return os.ErrPermission })
	s.refused(s.open(), s.archive(drain, moved), failure.Storage)
	if exists(s.path(".git/seen")) {
		t.Error("post-commit ran")
	}
}

func TestSkippedHooks(t *testing.T) {
	s := newSandbox(t)
	for _, name := range append([]string{"reference-transaction", "post-index-change"}, commitHooks...) {
		s.hookScript(name, ": >.git/ran; exit 1")
	}
	res := s.commit(s.withHooks(HooksSkip), s.archive(drain, moved))
	if exists(s.path(".git/ran")) || len(res.Warnings) > 0 {
		t.Errorf("a hook ran; warnings %q", res.Warnings)
	}
	s.noLeftovers()
}

// TestHookPlaces refuses by a hook in each place that git looks at.
func TestHookPlaces(t *testing.T) {
	for name, set := range map[string]func(s *sandbox){
		"relative": func(s *sandbox) {
			s.script("tools/hooks/pre-commit", "exit 1")
			s.git("config", "core.hooksPath", "tools/hooks")
		},
		"absolute": func(s *sandbox) {
			s.script("tools/hooks/pre-commit", "exit 1")
			s.git("config", "core.hooksPath", s.path("tools/hooks"))
		},
		"below home": func(s *sandbox) {
			s.t.Setenv("HOME", s.dir)
			s.script("tools/hooks/pre-commit", "exit 1")
			s.git("config", "core.hooksPath", "~/tools/hooks")
		},
		"that only git can read": func(s *sandbox) {
			prefix := strings.TrimSpace(s.git("-c", "x.y=%(prefix)", "config", "--type=path", "x.y"))
			up := strings.Repeat("../", strings.Count(prefix, "/")+1)
			s.script("tools/hooks/pre-commit", "exit 1")
			s.git("config", "core.hooksPath", "%(prefix)/"+up+s.path("tools/hooks"))
		},
		"without a first line": func(s *sandbox) {
			s.write(".git/hooks/pre-commit", "exit 1\n")
			if err := os.Chmod(s.path(".git/hooks/pre-commit"), 0o777); err != nil {
				s.t.Fatal(err)
			}
		},
		"without its interpreter": func(s *sandbox) {
			s.write(".git/hooks/pre-commit", "#!/no/such/interpreter\n")
			if err := os.Chmod(s.path(".git/hooks/pre-commit"), 0o777); err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			set(s)
			s.fails("commit", "--allow-empty", "-m", "git's own")
			s.refused(s.open(), s.archive(drain, moved), failure.HookRefused)
			s.noLeftovers()
		})
	}
}

func TestHookOnUnbornHead(t *testing.T) {
	s := newSandbox(t)
	s.git("checkout", "-q", "--orphan", "fresh")
	s.git("rm", "-q", "-r", "--cached", ".")
	s.hookScript("pre-commit", "git ls-files >.git/seen")
	s.commit(s.open(), s.archive(drain, moved))
	if got := s.read(".git/seen"); got != moved+"\n" {
		t.Errorf("the hook saw %q", got)
	}
	s.sound()
}

// TestKilledByHook dies while a hook runs, with its index and message lying
// about.
func TestKilledByHook(t *testing.T) {
	for _, name := range commitHooks {
		t.Run(name, func(t *testing.T) {
			s := crashBox(t)
			plan, before := s.crashPlan(), s.meaning()
			s.hookScript("pre-commit", `mkdir "$GIT_INDEX_FILE.d" && : >"$GIT_INDEX_FILE.d/x"`)
			s.hookScript(name, `mkdir -p "$GIT_INDEX_FILE.d" && : >"$GIT_INDEX_FILE.d/x"; kill -9 $PPID`)
			if killed, out, err := (child{Dir: s.dir, Do: "commit", Plan: plan}).start(t); !killed {
				t.Fatalf("not killed: %v %s", err, out)
			}
			if got := s.meaning(); (got == before) != (name != "post-commit") {
				t.Error(diffLines(before, got))
			}
			os.RemoveAll(s.path(".git/index.d"))
			s.checkRecovered(t, s.meaning(), 0)
		})
	}
}

// TestHookIsCancelled ends a hook that takes too long for the person.
func TestHookIsCancelled(t *testing.T) {
	s := newSandbox(t)
	s.hookScript("pre-commit", ": >.git/began; exec sleep 600")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		for !exists(s.path(".git/began")) && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	began := time.Now()
	_, err := s.open().Commit(ctx, s.archive(drain, moved))
	if failure.CodeOf(err) != failure.Cancelled || time.Since(began) > 50*time.Second {
		t.Errorf("got %v", err)
	}
	s.sound()
	s.clean()
}
