package store

import (
	"context"
	"os"
	"path/filepath"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// operations are the files and folders by which git marks that it is in the
// middle of something. A bisection is not among them: committing during one is
// ordinary.
var operations = []struct{ file, name string }{
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"rebase-merge", "rebase"},
	{"rebase-apply/applying", "am"},
	{"rebase-apply", "rebase"},
	{"sequencer", "cherry-pick"},
}

// Operation names what git is in the middle of ("merge", "rebase", …), or "".
func (r *Repo) Operation(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", cancelled(err)
	}
	for _, o := range operations {
		if exists(filepath.Join(r.gitDir, filepath.FromSlash(o.file))) {
			return o.name, nil
		}
	}
	return "", nil
}

// Unmerged returns the root-relative paths that a merge left in conflict, in
// the index's order.
func (r *Repo) Unmerged(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, cancelled(err)
	}
	x, err := r.readIndex(ctx)
	if err != nil {
		return nil, err
	}
	var paths []string
	err = x.scan(func(e *indexEntry) error {
		rel, ok := r.rel(string(e.name))
		if e.stage() > 0 && ok && (len(paths) == 0 || paths[len(paths)-1] != rel) {
			paths = append(paths, rel)
		}
		return nil
	})
	return paths, err
}

func (r *Repo) checkOperation(ctx context.Context) error {
	op, err := r.Operation(ctx)
	if err != nil || op == "" {
		return err
	}
	return failure.New(failure.GitState, "Git is in the middle of a %s.", op).
		Suggest("Finish it or abort it, then try again.")
}

// testOnlyForeign, when set by a test, makes every file belong to another user.
var testOnlyForeign bool

// checkOwner asks git where the files belong to somebody else: it knows what
// the person has declared safe.
func (r *Repo) checkOwner(ctx context.Context) error {
	for _, p := range []string{r.top, r.gitDir, filepath.Join(r.top, ".git")} {
		st, err := os.Lstat(p)
		if err == nil && owned(st) && !testOnlyForeign {
			continue
		}
		if _, err := git(ctx, r.top, "rev-parse", "--git-dir"); err != nil {
			if failure.CodeOf(err) == failure.Git {
				return err
			}
			return unsupported("Git does not trust this repository, because its files belong to another user.").
				Suggest("If you do trust it, add its folder to git's safe.directory setting.").Wrap(err)
		}
		return nil
	}
	return nil
}

// expandPath reads a path of git's configuration.
func expandPath(p, base string) string {
	if len(p) > 1 && p[0] == '~' && (p[1] == '/' || p[1] == filepath.Separator) {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, p[2:])
		}
	}
	if !filepath.IsAbs(p) {
		return filepath.Join(base, p)
	}
	return p
}
