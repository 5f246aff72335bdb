package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Init makes dir a folder of a git repository that holds the files, and
// commits what was missing in one commit. It converges: a repository that
// holds dir is used as it is, a file that exists is left alone save that the
// missing lines of .gitignore and .gitattributes are appended, and one that
// exists but was never committed is committed. Result.Commit is "" when
// nothing was missing.
func Init(ctx context.Context, dir string, files map[string][]byte, m Message, at time.Time) (Result, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return Result{}, storageFailure(err)
	}
	r, err := openOrInit(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	defer r.Close()
	// What is missing is decided under the writer lock, after the repair of an
	// earlier attempt: two at a time must not both find everything missing.
	var made Result
	err = r.Exclusive(ctx, func(commit func(Plan) (Result, error)) error {
		if err := r.keepOurs(ctx); err != nil {
			return err
		}
		p, err := r.scaffold(ctx, files)
		if err != nil || len(p.Changes) == 0 {
			return err
		}
		p.Message, p.At = m, at
		made, err = commit(p)
		return err
	})
	return made, err
}

func openOrInit(ctx context.Context, dir string) (*Repo, error) {
	r, err := Open(ctx, dir, Options{})
	if !errors.Is(err, ErrNoGit) {
		return r, err
	}
	// Of two that do this at once git turns one away, by the lock of its
	// configuration.
	if err := retryGit(ctx, dir, "Git could not make a repository here.", "init", "-q", "-b", "main"); err != nil {
		return nil, err
	}
	return Open(ctx, dir, Options{})
}

// keepOurs sets the merge driver that the scaffold's attributes name: on a
// merge, generated pages are kept as they are.
func (r *Repo) keepOurs(ctx context.Context) error {
	out, err := git(ctx, r.top, "config", "--get", "merge.ours.driver")
	if err == nil && strings.TrimSpace(string(out)) != "" {
		return nil
	}
	if failure.CodeOf(err) == failure.Git {
		return err
	}
	return retryGit(ctx, r.top, "Git could not store a setting in this repository.", "config", "merge.ours.driver", "true")
}

// retryGit runs a git command that takes the lock of the configuration, for
// which git itself does not wait.
func retryGit(ctx context.Context, dir, message string, args ...string) error {
	var last error
	_, err := try(ctx, gitLockWait, func() (bool, error) {
		if _, last = git(ctx, dir, args...); failure.CodeOf(last) == failure.Git {
			return false, last
		}
		return last == nil, nil
	})
	if err = errors.Join(err, last); err != nil {
		return gitFailure(message, err)
	}
	return nil
}

func gitFailure(message string, err error) error {
	if failure.CodeOf(err) == failure.Git {
		return err
	}
	return failure.New(failure.Git, "%s", message).Suggest("Check the permissions of the folder, then try again.").Wrap(err)
}

// scaffold plans what is missing. A file that is committed but gone from disk
// is put back at once, which takes no commit.
func (r *Repo) scaffold(ctx context.Context, files map[string][]byte) (Plan, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return Plan{}, err
	}
	tracked, err := r.Tracked(ctx, head.Commit)
	if err != nil {
		return Plan{}, err
	}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return Plan{}, storageFailure(err)
	}
	defer root.Close()
	var p Plan
	for path, want := range files {
		if err := checkScaffold(root, path); err != nil {
			return Plan{}, err
		}
		blob, inHead := tracked[path]
		have, err := root.ReadFile(filepath.FromSlash(path))
		switch {
		case errors.Is(err, fs.ErrNotExist) && inHead:
			err = r.restore(root, path, blob)
		case errors.Is(err, fs.ErrNotExist):
			p.Changes = append(p.Changes, Change{Path: path, After: want})
			err = nil
		case err == nil:
			after := withLines(path, have, want)
			if !inHead || len(after) != len(have) {
				hash := memory.Hash(sha256.Sum256(have))
				p.Changes = append(p.Changes, Change{From: path, Path: path, Expect: &hash, After: after})
			}
		}
		if err != nil {
			return Plan{}, storageFailure(err)
		}
	}
	slices.SortFunc(p.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// checkScaffold refuses a path at which or above which something else is than
// the scaffold needs.
func checkScaffold(root *os.Root, path string) error {
	for _, name := range append(parents(path), path) {
		st, err := root.Lstat(filepath.FromSlash(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return storageFailure(err)
		case st.Mode()&fs.ModeSymlink != 0:
			return failure.New(failure.GitState, "%s is a link, and links are not followed.", name).
				Suggest("Put a folder or file of its own there, or choose another folder for the memories.")
		case name == path && !st.Mode().IsRegular():
			return failure.New(failure.DestinationExists, "%s is needed as a file, and is none.", name).
				Suggest("Rename it first.")
		case name != path && !st.IsDir():
			return failure.New(failure.DestinationExists, "%s is needed as a folder, and is none.", name).
				Suggest("Rename it first.")
		}
	}
	return nil
}

func (r *Repo) restore(root *os.Root, path string, blob oid) error {
	b, err := r.blob(blob.String())
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(path)), 0o777); err != nil {
		return err
	}
	return root.WriteFile(filepath.FromSlash(path), b, 0o666)
}

// withLines appends the wanted lines that a file of git's rules lacks.
func withLines(path string, have, want []byte) []byte {
	if path != ".gitignore" && path != ".gitattributes" {
		return have
	}
	lines := map[string]bool{}
	for line := range strings.Lines(string(have)) {
		lines[strings.TrimSpace(line)] = true
	}
	out := slices.Clone(have)
	for line := range strings.Lines(string(want)) {
		if lines[strings.TrimSpace(line)] {
			continue
		}
		if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
		out = append(out, line...)
	}
	return out
}
