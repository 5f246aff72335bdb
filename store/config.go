package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/config"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// settings is git's configuration as git itself reads it, all files and
// includes: lower-case key to the last value, and the identity lines.
type settings map[string]string

// bool reads a git boolean; a key without a value is true.
func (s settings) bool(key string, unset bool) bool {
	v, ok := s[key]
	if !ok {
		return unset
	}
	switch strings.ToLower(v) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off", "":
		return false
	}
	n, err := strconv.Atoi(v)
	return err != nil || n != 0
}

// redirections are the variables that would make git answer for another
// repository than the one at hand.
var redirections = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_CEILING_DIRECTORIES",
}

// gitCall is how a git command is run.
type gitCall struct {
	dir   string
	stdin []byte
	// env is added to the environment.
	env []string
}

// git runs git in dir and returns its standard output.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return gitCall{dir: dir}.run(ctx, args...)
}

// plainEnvironment is the person's, without what would lead git elsewhere.
func plainEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(redirections, name)
	})
}

func (c gitCall) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stdin = c.dir, bytes.NewReader(c.stdin)
	cmd.Env = append(plainEnvironment(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	cmd.Env = append(cmd.Env, c.env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, failure.New(failure.Git, "Git was not found on this machine, and the commit needs it to know who is committing.").
			Suggest("Install git, or put it on the PATH of the editor.").Wrap(err)
	}
	return out, err
}

// readSettings asks git once for everything, identity included: one process
// where the separate questions would be four.
func (r *Repo) readSettings(ctx context.Context) (settings, error) {
	out, err := git(ctx, r.top, "var", "-l")
	if err != nil {
		if failure.CodeOf(err) == failure.Git {
			return nil, err
		}
		return nil, failure.New(failure.Git, "Git could not read its settings for this repository.").
			Suggest("Run git status there; it says what is wrong.").Wrap(err)
	}
	s := settings{}
	for line := range bytes.Lines(out) {
		key, value, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), "=")
		if !ok {
			value = "true"
		}
		s[key] = value
	}
	return s, nil
}

// checkFormat refuses what the object storage cannot read, from the
// repository's own file: only it decides the format.
func checkFormat(r *Repo) error {
	c := config.New()
	b, err := os.ReadFile(filepath.Join(r.commonDir, "config"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return unsupported("The configuration of the git repository cannot be read.").Wrap(err)
	}
	if err := config.NewDecoder(bytes.NewReader(b)).Decode(c); err != nil {
		return unsupported("The configuration of the git repository cannot be understood.").Wrap(err)
	}
	core := c.Section("core")
	r.shared = parseSharing(core.Option("sharedrepository"))
	if v := core.Option("repositoryformatversion"); v != "" && v != "0" && v != "1" {
		return unsupported("The git repository has format version %s, which is not known here.", v)
	}
	if isTrue(core.Option("bare")) && r.commonDir == r.gitDir {
		return unsupported("This is a bare repository, which has no files to commit.")
	}
	if err := r.checkWorktree(core.Option("worktree")); err != nil {
		return err
	}
	return checkExtensions(c.Section("extensions"))
}

// checkWorktree accepts core.worktree where it names the folder at hand, as a
// submodule's does.
func (r *Repo) checkWorktree(worktree string) error {
	if worktree == "" || r.commonDir != r.gitDir {
		return nil
	}
	if !filepath.IsAbs(worktree) {
		worktree = filepath.Join(r.gitDir, worktree)
	}
	if real, err := filepath.EvalSymlinks(worktree); err == nil && real == r.top {
		return nil
	}
	return unsupported("The git repository keeps its files in another folder (core.worktree).")
}

// knownExtensions are the repository extensions under which objects and
// references are still where and what they are elsewhere. A value, where one
// is given, is the only one accepted.
var knownExtensions = map[string]string{
	"noop": "", "noop-v1": "", "preciousobjects": "", "partialclone": "", "worktreeconfig": "", "relativeworktrees": "",
	"objectformat": "sha1", "refstorage": "files",
}

func checkExtensions(s *config.Section) error {
	for _, o := range s.Options {
		want, known := knownExtensions[strings.ToLower(o.Key)]
		if !known || want != "" && !strings.EqualFold(o.Value, want) {
			return unsupported("The git repository uses %s = %s, which is not supported.", o.Key, o.Value).
				Suggest("Keep the memories in a repository with SHA-1 objects and plain reference files.")
		}
	}
	return nil
}

func isTrue(v string) bool { return settings{"v": v}.bool("v", false) }
