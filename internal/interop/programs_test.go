//go:build interop

package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// limit is how long one call of a program may take.
const limit = 60 * time.Second

// identity makes commits possible without the machine's own git configuration,
// which is shut out.
const identity = "[user]\n\tname = Yard\n\temail = yard@example.org\n[init]\n\tdefaultBranch = main\n"

// root is a memory repository that both programs work on.
type root struct {
	t         *testing.T
	dir, home string
}

func newRoot(t *testing.T) *root {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &root{t: t, dir: filepath.Join(base, "root"), home: filepath.Join(base, "home")}
	for _, dir := range []string{r.dir, r.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.home, ".gitconfig"), []byte(identity), 0o644); err != nil {
		t.Fatal(err)
	}
	return r
}

// answer is what a program said: the data of its envelope, or a code.
type answer struct {
	status int
	Type   string
	Code   string
	Error  string
	Data   json.RawMessage
}

// into decodes the data of a success.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if a.Code != "" {
		t.Fatalf("refused: %s: %s", a.Code, a.Error)
	}
	if err := json.Unmarshal(a.Data, v); err != nil {
		t.Fatalf("%v in %s", err, a.Data)
	}
}

// ours runs memhtml-ls.
func (r *root) ours(stdin string, args ...string) answer {
	r.t.Helper()
	args = append(slices.Clone(args), "--format", "json")
	if args[0] != "init" {
		args = append(args, "--root", r.dir)
	}
	return r.answer(stdin, ourBinary(r.t), args...)
}

// theirs runs the memhtml of npm.
func (r *root) theirs(stdin string, args ...string) answer {
	r.t.Helper()
	dir := npmFolder(r.t)
	args = append([]string{filepath.Join(dir, "memhtml.mjs")}, args...)
	return r.answer(stdin, filepath.Join(dir, "bin", "node"), append(args, "--dense", "--repo", r.dir)...)
}

func (r *root) answer(stdin, program string, args ...string) answer {
	r.t.Helper()
	status, stdout, stderr := r.run(stdin, program, args...)
	a := answer{status: status}
	if err := json.Unmarshal(stdout, &a); err != nil {
		r.t.Fatalf("%s %q answered %d, %q, and said %s", program, args, status, stdout, stderr)
	}
	return a
}

// git runs git and returns what it printed.
func (r *root) git(args ...string) string {
	r.t.Helper()
	status, stdout, stderr := r.run("", "git", args...)
	if status != 0 {
		r.t.Fatalf("git %q: %d, %s", args, status, stderr)
	}
	return string(stdout)
}

func (r *root) run(stdin, program string, args ...string) (status int, stdout, stderr []byte) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), limit)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env = r.dir, r.environment()
	command.Stdin = strings.NewReader(stdin)
	var out, diagnostics bytes.Buffer
	command.Stdout, command.Stderr = &out, &diagnostics
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		r.t.Fatalf("%s %q: %v, %s", program, args, err, diagnostics.Bytes())
	}
	return command.ProcessState.ExitCode(), out.Bytes(), diagnostics.Bytes()
}

// environment has nothing of the person's, and everything of memhtml that would
// reach the network switched off.
func (r *root) environment() []string {
	return []string{
		"HOME=" + r.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"MEMHTML_EMBED=off", "MEMHTML_LLM=off", "MEMHTML_EXTRACT_ENTITIES=off",
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9",
	}
}

// npmFolder is what scripts/memhtml-npm printed.
func npmFolder(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MEMHTML_NPM")
	if dir == "" {
		t.Fatal("MEMHTML_NPM is not set: the folder that scripts/memhtml-npm prints")
	}
	return dir
}

// built is our program, built once for all tests.
var built struct {
	once sync.Once
	path string
	err  error
}

func TestMain(m *testing.M) {
	status := m.Run()
	if built.path != "" {
		os.RemoveAll(filepath.Dir(built.path))
	}
	os.Exit(status)
}

func ourBinary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		dir, err := os.MkdirTemp("", "memhtml-interop-")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "memhtml-ls")
		command := exec.Command("go", "build", "-o", built.path, "github.com/memhtml-ls/memhtml-ls/cmd/memhtml-ls")
		if output, err := command.CombinedOutput(); err != nil {
			built.err = errors.New(string(output))
		}
	})
	if built.err != nil {
		t.Fatalf("go build: %v", built.err)
	}
	return built.path
}
