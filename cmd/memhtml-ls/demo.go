package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/examples"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

const demoAbout = `
Shows in half a minute what this program does. It copies the example memories to
a temporary git repository, starts a real server process there, and drives it as
an editor would: findings, a supersede, an archive, and the git log afterwards.
It needs this binary and git, and touches nothing of yours.
`

// demoLimit bounds the whole demo: it takes a few seconds.
const demoLimit = 2 * time.Minute

func demoCommand() command {
	return command{
		name: "demo", short: "see it work on an example, in a temporary repository", about: demoAbout,
		setup: func(flags *flag.FlagSet) action {
			keep := flags.String("keep", "", "make the repository in `DIR`, which must be new or empty, and keep it")
			return func(ctx context.Context, c *call) error {
				ctx, cancel := context.WithTimeout(ctx, demoLimit)
				defer cancel()
				return demo(ctx, c.ui, *keep)
			}
		},
	}
}

// stage is where the demo plays: a repository of its own and a server in it.
type stage struct {
	ui  *ui
	dir string
	// files is how many memories the corpus has.
	files  int
	server *exec.Cmd
	// log is what the server wrote to standard error.
	log    bytes.Buffer
	client *client
}

func demo(ctx context.Context, u *ui, keep string) (err error) {
	if _, err := exec.LookPath("git"); err != nil {
		return failure.New(failure.Git, "The demo needs git, which was not found.").Suggest("Install git and try again.")
	}
	dir, err := demoFolder(keep)
	if err != nil {
		return err
	}
	if keep == "" {
		defer os.RemoveAll(dir)
	}
	s := &stage{ui: u, dir: dir}
	if err := s.set(ctx); err != nil {
		return s.broken(err)
	}
	err = s.play(ctx)
	if stopErr := s.stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		return s.broken(err)
	}
	s.farewell(keep != "")
	return nil
}

// demoFolder makes the folder of the demo. A folder with something in it is
// never written to.
func demoFolder(keep string) (string, error) {
	if keep == "" {
		dir, err := os.MkdirTemp("", "memhtml-demo-")
		if err != nil {
			return "", failure.New(failure.Storage, "No temporary folder could be made.").Wrap(err)
		}
		return filepath.EvalSymlinks(dir)
	}
	if entries, err := os.ReadDir(keep); err == nil && len(entries) > 0 {
		return "", failure.New(failure.DestinationExists, "%s is not empty.", diagnostics.Shown(keep)).
			Suggest("Name a folder that is new or empty.")
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return "", failure.New(failure.Storage, "The folder %s could not be made.", diagnostics.Shown(keep)).Wrap(err)
	}
	dir, err := filepath.Abs(keep)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// set makes the repository and starts the server in it.
func (s *stage) set(ctx context.Context) error {
	corpus, err := fs.Sub(examples.Corpus, "corpus")
	if err != nil {
		return err
	}
	if err := os.CopyFS(s.dir, corpus); err != nil {
		return err
	}
	s.files = countMemories(corpus)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "Demo"},
		{"config", "user.email", "demo@example.org"},
		{"add", "-A"},
		{"commit", "-q", "-m", "The memory of a small boatyard"},
	} {
		if _, err := s.git(ctx, args...); err != nil {
			return err
		}
	}
	return s.start(ctx)
}

func countMemories(tree fs.FS) (n int) {
	_ = fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && memory.IsMemoryPath(path) {
			n++
		}
		return err
	})
	return n
}

// alone is an environment without the person's git settings: their hooks and
// signing keys are no part of a demo, and a GIT_DIR would lead out of it.
func alone() []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "GIT_") })
	return append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0")
}

// git runs one git command in the demo's repository.
func (s *stage) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = s.dir, alone()
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		s.log.Write(exit.Stderr)
	}
	return string(out), err
}

// start runs this very binary as the server, as an editor would.
func (s *stage) start(ctx context.Context) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	s.server = exec.CommandContext(ctx, binary, "serve", "--stdio")
	s.server.Dir, s.server.Env, s.server.Stderr = s.dir, alone(), &s.log
	s.server.WaitDelay = time.Second
	in, err := s.server.StdinPipe()
	if err != nil {
		return err
	}
	out, err := s.server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.server.Start(); err != nil {
		return err
	}
	s.client = newClient(out, in)
	return nil
}

// stopLimit is how long the server may take to leave before it is ended.
const stopLimit = 5 * time.Second

// stop says goodbye to the server and waits until its process is gone.
func (s *stage) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	err := s.client.call(ctx, "shutdown", nil, nil)
	if err == nil {
		err = s.client.notify("exit", nil)
	}
	s.client.out.Close()
	select {
	case <-s.client.ended:
	case <-ctx.Done():
		s.server.Process.Kill()
		<-s.client.ended
	}
	if waitErr := s.server.Wait(); err == nil {
		err = waitErr
	}
	return err
}

// broken words a failure of the demo itself, with what the server logged.
func (s *stage) broken(err error) error {
	if errors.Is(err, context.Canceled) || failure.CodeOf(err) != failure.Unknown {
		return err
	}
	what := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		what = "it took longer than it may"
	}
	s.ui.flush(statusUnable)
	s.ui.err.Write(s.log.Bytes())
	return failure.New(failure.Unknown, "The demo broke off: %s.", what).
		Suggest("Please report this as a bug, with what is printed above.").Wrap(err)
}
