package lsp_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		// A repack in the background outlives a test.
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "gc.auto", "GIT_CONFIG_VALUE_0": "0",
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "A Person", "GIT_AUTHOR_EMAIL": "person@example.org",
		"GIT_COMMITTER_NAME": "A Person", "GIT_COMMITTER_EMAIL": "person@example.org",
	} {
		os.Setenv(name, value)
	}
	if os.Getenv(childEnv) != "" {
		os.Exit(serveChild())
	}
	goleak.VerifyTestMain(m)
}

// memo returns a valid memory.
func memo(created, claim string) string {
	return fmt.Sprintf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>%s</title>
<meta name="memhtml-type" content="semantic">
<meta name="memhtml-status" content="active">
<meta name="memhtml-created" content="%s">
<meta name="memhtml-updated" content="%s">
</head>
<body>
<article>
<p><mark>%s</mark></p>
</article>
</body>
</html>
`, created, created, created, claim)
}

// Three memories that every test knows: two say the same, one contradicts the
// third.
const (
	drain  = "areas/ops/drain.html"
	copied = "areas/deploy/drain.html"
	pool   = "areas/ops/pool-size.html"
)

// repo is a committed memory repository in a temporary folder.
type repo struct {
	t   testing.TB
	dir string
}

// newRepo makes a repository of files, given as path and content by turns.
func newRepo(t testing.TB, files ...string) repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := repo{t, dir}
	r.git("init", "-q", "-b", "main")
	r.write(".memhtml/state/.gitkeep", "")
	for i := 0; i < len(files); i += 2 {
		r.write(files[i], files[i+1])
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "start")
	return r
}

// pair is a repository with the two equal memories and the pool's size.
func pair(t testing.TB) repo {
	return newRepo(t,
		drain, memo("2026-01-02", "Drain the queue before a deploy"),
		copied, memo("2026-02-03", "Drain the queue before a deploy"),
		pool, memo("2026-01-05", "The connection pool ceiling is 64"))
}

func (r repo) path(rel string) string { return filepath.Join(r.dir, filepath.FromSlash(rel)) }

func (r repo) write(rel, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(rel)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(rel), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) read(rel string) string {
	r.t.Helper()
	text, err := os.ReadFile(r.path(rel))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

func (r repo) remove(rel string) {
	r.t.Helper()
	if err := os.Remove(r.path(rel)); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commits counts the commits of the branch.
func (r repo) commits() string { return r.git("rev-list", "--count", "HEAD") }

// server is the language server as tests run it: a short debounce, and a log
// that is shown when the test fails.
func server(t testing.TB, options lsp.Options) fakeeditor.Server {
	if options.Debounce == 0 {
		options.Debounce = 20 * time.Millisecond
	}
	log := &logBuffer{}
	options.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server's log:\n%s", log.String())
		}
	})
	return func(ctx context.Context, in io.Reader, out io.Writer) int { return lsp.Serve(ctx, in, out, options) }
}

// open starts an editor of the given capabilities in a repository.
func open(t testing.TB, r repo, capabilities fakeeditor.Object) *fakeeditor.Editor {
	t.Helper()
	return fakeeditor.Open(t, fakeeditor.Config{Folders: []string{r.dir}, Capabilities: capabilities}, server(t, lsp.Options{}))
}

// barrier returns when everything that was marked before has been published:
// findings leave one round after the other, and a document outside every root
// is answered in a round of its own.
func barrier(t testing.TB, e *fakeeditor.Editor) {
	t.Helper()
	for range 2 {
		probe := filepath.Join(t.TempDir(), "probe.html")
		e.OpenText(probe, "html", loose)
		e.WaitVersion(probe)
		e.Close(probe)
	}
}
