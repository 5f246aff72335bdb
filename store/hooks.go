package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// Hooks says what becomes of the hooks that git commit would run. They are the
// person's own: git keeps them out of what a repository is cloned with.
type Hooks string

const (
	// HooksRun runs them as git commit does. It is what "" means too.
	HooksRun Hooks = "run"
	// HooksSkip runs none of them, and refuses nothing for their sake.
	HooksSkip Hooks = "skip"
)

const (
	hookPreCommit  = "pre-commit"
	hookPrepare    = "prepare-commit-msg"
	hookCommitMsg  = "commit-msg"
	hookPostCommit = "post-commit"
)

// lockedHooks would have to run while git's locks are held, for as long as
// they like and with a say in it; they are refused.
var lockedHooks = []string{"reference-transaction", "post-index-change"}

// hookOutputSize is how much of what a hook says is kept for the log, in bytes
// from the end.
const hookOutputSize = 8 << 10

// findHooks returns the hooks that will run, by name.
func (r *Repo) findHooks(ctx context.Context, s settings) (map[string]string, error) {
	if r.options.Hooks != nil && r.options.Hooks() == HooksSkip {
		return nil, nil
	}
	dir, err := r.hookFolder(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, name := range lockedHooks {
		if _, there := hookFile(dir, name); there {
			return nil, unsupported("The hook %s would have to run in the middle of the commit, and memhtml-ls does not run it.", name).
				Suggest("Make this change with git, or switch the hook off for this repository.")
		}
	}
	found := map[string]string{}
	for _, name := range []string{hookPreCommit, hookPrepare, hookCommitMsg, hookPostCommit} {
		if path, there := hookFile(dir, name); there {
			found[name] = path
		}
	}
	return found, nil
}

func hookFile(dir, name string) (path string, there bool) {
	path = filepath.Join(dir, name)
	st, err := os.Stat(path)
	return path, err == nil && st.Mode().IsRegular() && executable(st)
}

// hookFolder is where git looks for hooks. Git is asked only for the forms of
// a path that it alone can read.
func (r *Repo) hookFolder(ctx context.Context, s settings) (string, error) {
	p := s["core.hookspath"]
	switch {
	case p == "":
		return filepath.Join(r.commonDir, "hooks"), nil
	case strings.HasPrefix(p, "~") && !strings.HasPrefix(p, "~/"), strings.HasPrefix(p, "%("):
		out, err := git(ctx, r.top, "rev-parse", "--git-path", "hooks")
		if err != nil {
			return "", gitFailure("Git could not say where the hooks of this repository are.", err)
		}
		p = strings.TrimRight(string(out), "\r\n")
	}
	return expandPath(p, r.top), nil
}

// hookRun is one commit's run of hooks.
type hookRun struct {
	a *attempt
	// index is a file of git's index with HEAD and the plan's changes, in which
	// the hooks find the commit; sum is of what it says.
	index string
	sum   [sha256.Size]byte
	env   []string
}

// runHooks runs what git runs before it makes a commit. The hooks may refuse
// it and may edit its message. They find the commit in the index that
// GIT_INDEX_FILE names; the files of the worktree are not moved yet. The plan
// says all that is to be committed, so that a hook that stages something else
// refuses it too.
//
// No lock of git's is held meanwhile. What the hooks or the person do to HEAD,
// the real index and the files is found by the recheck.
func (a *attempt) runHooks(ctx context.Context) error {
	if a.hooks[hookPreCommit] == "" && a.hooks[hookPrepare] == "" && a.hooks[hookCommitMsg] == "" {
		return nil
	}
	if err := a.placeObjects(); err != nil {
		return storageFailure(err)
	}
	h := &hookRun{a: a}
	if err := h.prepare(ctx); err != nil {
		return err
	}
	if err := h.run(ctx, hookPreCommit); err != nil {
		return err
	}
	return h.editMessage(ctx)
}

func (h *hookRun) prepare(ctx context.Context) (err error) {
	if h.index, err = h.a.hookIndex(ctx); err != nil {
		return err
	}
	if h.sum, err = h.a.r.indexSum(ctx, h.index); err != nil {
		return err
	}
	h.env, err = h.a.hookEnvironment(ctx, h.index)
	return err
}

// editMessage lets the hooks see and change the message. Git leaves it as it
// is where no hook touched it, and tidies it else.
func (h *hookRun) editMessage(ctx context.Context) error {
	if h.a.hooks[hookPrepare] == "" && h.a.hooks[hookCommitMsg] == "" {
		return nil
	}
	path := h.a.r.tempName(h.a.token + ".COMMIT_EDITMSG")
	if err := os.WriteFile(path, []byte(h.a.message), 0o666); err != nil {
		return storageFailure(err)
	}
	if err := h.run(ctx, hookPrepare, path, "message"); err != nil {
		return err
	}
	if err := h.run(ctx, hookCommitMsg, path); err != nil {
		return err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return storageFailure(err)
	}
	if string(b) == h.a.message {
		return nil
	}
	message := tidyMessage(string(b))
	if message == "" || strings.ContainsRune(message, 0) {
		return failure.New(failure.HookRefused, "The hooks of this repository left no message that git would take for the commit.").
			Suggest("Look at the hooks prepare-commit-msg and commit-msg.")
	}
	h.a.message = h.a.keepTrailers(message)
	return nil
}

// run runs one hook, if there is one.
func (h *hookRun) run(ctx context.Context, name string, args ...string) error {
	path := h.a.hooks[name]
	if path == "" {
		return nil
	}
	if err := h.a.r.execHook(ctx, h.a.token, name, path, h.env, args); err != nil {
		if ctx.Err() != nil {
			return cancelled(ctx.Err())
		}
		return failure.New(failure.HookRefused, "The hook %s refused the commit.", name).
			Suggest("See what it said, above on the command line and in the log of an editor, then try again.").Wrap(err)
	}
	sum, err := h.a.r.indexSum(ctx, h.index)
	if err == nil && sum == h.sum {
		return nil
	}
	return failure.New(failure.HookRefused, "The hook %s changed what is to be committed.", name).
		Suggest("Make this change with git, or have the hook check only.").Wrap(err)
}

// runPostCommit runs after the commit, with all locks of git's given back. The
// commit stands whatever becomes of it.
func (a *attempt) runPostCommit(ctx context.Context) (warnings []string) {
	ctx = context.WithoutCancel(ctx)
	path := a.hooks[hookPostCommit]
	if path == "" {
		return nil
	}
	env, err := a.hookEnvironment(ctx, filepath.Join(a.r.gitDir, "index"))
	if err == nil {
		err = a.r.execHook(ctx, a.token, hookPostCommit, path, env, nil)
	}
	if err != nil {
		warnings = append(warnings, "The hook post-commit failed; the commit is made.")
	}
	return warnings
}

// hookEnvironment is what git commit sets for hooks.
func (a *attempt) hookEnvironment(ctx context.Context, index string) ([]string, error) {
	out, err := git(ctx, a.r.top, "--exec-path")
	if err != nil {
		return nil, gitFailure("Git could not say where its commands are.", err)
	}
	commands := strings.TrimRight(string(out), "\r\n")
	env := append(plainEnvironment(), authorEnvironment(a.who.author, stampTime(a.plan.At))...)
	env = append(env, "GIT_INDEX_FILE="+index, "GIT_EDITOR=:", "GIT_PREFIX=", "GIT_EXEC_PATH="+commands,
		"PATH="+commands+string(os.PathListSeparator)+os.Getenv("PATH"))
	if a.r.gitDir != filepath.Join(a.r.top, ".git") {
		env = append(env, "GIT_DIR="+a.r.gitDir)
	}
	return env, nil
}

// execHook runs one hook at the top of the worktree, without input. What it
// says goes to a file, so that a process it leaves behind keeps nobody waiting,
// and into the error.
func (r *Repo) execHook(ctx context.Context, token, name, path string, env, args []string) error {
	said, err := os.Create(r.tempName(token + "." + name + ".out"))
	if err != nil {
		return err
	}
	defer func() {
		said.Close()
		_ = os.Remove(said.Name())
	}()
	run := func(cmd *exec.Cmd) error {
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.top, env, said, said
		return cmd.Run()
	}
	err = run(hookCommand(ctx, name, path, args))
	if errors.Is(err, syscall.ENOEXEC) {
		// A script whose first line names no interpreter; git does the same.
		err = run(exec.CommandContext(ctx, "sh", append([]string{path}, args...)...))
	}
	if err != nil {
		return fmt.Errorf("hook %s: %w: %s", name, err, tail(said))
	}
	return nil
}

// tail is the end of what was said.
func tail(f *os.File) string {
	st, err := f.Stat()
	if err != nil {
		return ""
	}
	b, _ := io.ReadAll(io.NewSectionReader(f, max(0, st.Size()-hookOutputSize), hookOutputSize))
	return strings.TrimSpace(string(b))
}

// hookIndex makes an index of HEAD and the plan's changes. It begins as a copy
// of the real one, so that git need not read every file that has not changed.
func (a *attempt) hookIndex(ctx context.Context) (string, error) {
	path := a.r.tempName(a.token + ".hook-index")
	x := emptyIndex()
	if !a.head.Unborn {
		var err error
		if x, err = a.r.rewriteIndex(ctx, a.index, path, "read-tree", "--reset", a.head.Commit); err != nil {
			return "", err
		}
	}
	p, err := x.patch(a.indexEdits(), newSmudge(a.root, x).racy)
	if err != nil {
		return "", err
	}
	p.sum()
	if err := os.WriteFile(path, p.bytes(), 0o666); err != nil {
		return "", storageFailure(err)
	}
	return path, nil
}

// indexSum is of what an index says, not of how it says it or of the files'
// times.
func (r *Repo) indexSum(ctx context.Context, path string) (sum [sha256.Size]byte, err error) {
	x, err := r.readIndexFile(ctx, path)
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	err = x.scan(func(e *indexEntry) error {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], e.mode|uint32(e.stage()))
		h.Write(append(append(b[:], e.id[:]...), e.name...))
		h.Write([]byte{0})
		return nil
	})
	return [sha256.Size]byte(h.Sum(nil)), err
}
