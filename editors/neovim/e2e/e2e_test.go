//go:build nvim

package e2e

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/examples"
)

// limit is how long one scenario may take, start of the editor included. A
// scenario that waits in vain fails by itself well before.
const limit = 60 * time.Second

// identity makes every commit of a scenario's repository possible without
// the machine's own git configuration, which is shut out.
const identity = `[user]
	name = Yard
	email = yard@example.org
`

func TestScenarios(t *testing.T) {
	nvim := os.Getenv("MEMHTML_NVIM")
	if nvim == "" {
		t.Fatal("MEMHTML_NVIM is not set: the path of the Neovim to drive")
	}
	server := build(t)
	year := time.Now().UTC().Format("2006")
	for _, test := range []struct {
		name    string
		commits []string // subjects since the start, newest first
		moved   map[string]string
		changed []string // what git status says at the end
	}{
		{name: "readme"},
		{name: "typing"},
		{name: "other"},
		{name: "wide"},
		{name: "dirty"},
		{name: "settings"},
		{name: "outside", commits: []string{"take the runbook off the wall"}},
		{name: "hash", changed: []string{" M resources/materials/antifouling.html"}},
		{
			name:    "supersede",
			commits: []string{"memhtml(consolidate): projects/berth-booking/pool-size-after-upgrade.html supersedes areas/op…"},
			moved:   map[string]string{"areas/ops/pool-size.html": "archive/" + year + "/areas/ops/pool-size.html"},
		},
		{
			name:    "archive",
			commits: []string{"memhtml(archive): areas/ops/drain.html — duplicate of areas/inbox/gateway-restart-from-ch…"},
			moved:   map[string]string{"areas/ops/drain.html": "archive/" + year + "/areas/ops/drain.html"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			repo := newRepository(t, server)
			start := repo.git("rev-parse", "HEAD")
			repo.edit(nvim, test.name)

			if diff := cmp.Diff(test.commits, lines(repo.git("log", "--format=%s", start+".."))); diff != "" {
				t.Errorf("commits (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.changed, lines(repo.git("status", "--porcelain"))); diff != "" {
				t.Errorf("git status (-want +got):\n%s", diff)
			}
			for from, to := range test.moved {
				repo.wantMoved(from, to)
			}
			repo.git("fsck", "--strict")
		})
	}
}

// build makes the binary that people run and returns its path.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "memhtml-ls")
	command := exec.Command("go", "build", "-o", binary, "github.com/memhtml-ls/memhtml-ls/cmd/memhtml-ls")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	return binary
}

// repository is a memory repository of one scenario and the home that the
// editor, the server and git see instead of the person's.
type repository struct {
	t          *testing.T
	server     string
	root, home string
}

func newRepository(t *testing.T, server string) *repository {
	t.Helper()
	corpus, err := fs.Sub(examples.Corpus, "corpus")
	if err != nil {
		t.Fatal(err)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{t: t, server: server, root: filepath.Join(base, "memory"), home: filepath.Join(base, "home")}
	if err := os.CopyFS(r.root, corpus); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(r.home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.home, ".gitconfig"), []byte(identity), 0o644); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "memhtml(init): scaffold the memory repository")
	return r
}

// env is the environment of every process of the scenario.
func (r *repository) env(more ...string) []string {
	env := []string{
		"PATH=" + filepath.Dir(r.server) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + r.home,
		"XDG_CONFIG_HOME=" + r.home,
		"XDG_DATA_HOME=" + r.home,
		"XDG_STATE_HOME=" + r.home,
		"XDG_CACHE_HOME=" + r.home,
		"GIT_CONFIG_NOSYSTEM=1",
		"LC_ALL=C.UTF-8",
		"TERM=dumb",
	}
	return append(env, more...)
}

// git runs git in the repository and returns its output without the last
// line ending. A failure ends the test.
func (r *repository) git(args ...string) string {
	r.t.Helper()
	command := exec.Command("git", args...)
	command.Dir, command.Env = r.root, r.env()
	output, err := command.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSuffix(string(output), "\n")
}

// edit runs one scenario in the editor. What the editor says on its standard
// error, the reason of a failure included, is the test's.
func (r *repository) edit(nvim, scenario string) {
	r.t.Helper()
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), limit)
	defer cancel()
	command := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n",
		"-c", "luafile "+filepath.Join(testdata, scenario+".lua"))
	command.Dir = r.root
	command.Env = r.env(
		"E2E_ROOT="+r.root,
		"E2E_SERVER="+r.server,
		"E2E_LIB="+filepath.Join(testdata, "lib.lua"),
		"E2E_README="+r.readme(),
	)
	command.WaitDelay = 5 * time.Second
	if output, err := command.CombinedOutput(); err != nil {
		r.t.Fatalf("%s: %v\n%s%s", scenario, err, output, r.log())
	}
}

// readme writes what the README tells people to put into their configuration
// to files, 1.lua for every Neovim and 2.lua for 0.7, and returns their folder.
func (r *repository) readme() string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		r.t.Fatal(err)
	}
	rest := string(text)
	for _, name := range []string{"1.lua", "2.lua"} {
		_, after, _ := strings.Cut(rest, "\n```lua\n")
		block, tail, ok := strings.Cut(after, "\n```\n")
		if !ok {
			r.t.Fatal("the README has fewer than two blocks of Lua")
		}
		if err := os.WriteFile(filepath.Join(r.home, name), []byte(block+"\n"), 0o644); err != nil {
			r.t.Fatal(err)
		}
		rest = tail
	}
	return r.home
}

// log returns the end of the log that the editor keeps of its language
// clients; it holds what the server wrote to its standard error.
func (r *repository) log() string {
	text, err := os.ReadFile(filepath.Join(r.home, "nvim", "lsp.log"))
	if err != nil {
		return ""
	}
	return "\nlsp.log:\n" + string(text[max(0, len(text)-4000):])
}

// wantMoved demands that HEAD has the memory at its new place only, that it is
// on disk as committed, and that its history reads through the move.
func (r *repository) wantMoved(from, to string) {
	r.t.Helper()
	if got := r.git("ls-tree", "--name-only", "HEAD", from, to); got != to {
		r.t.Errorf("HEAD has %q of %s and %s", got, from, to)
	}
	if got := lines(r.git("log", "--follow", "--format=%s", "--", to)); len(got) != 2 {
		r.t.Errorf("git log --follow %s: %q, want the archiving and the beginning", to, got)
	}
}

// lines splits text; no text is no line.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
