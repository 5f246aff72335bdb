package store

import (
	"context"
	"os"
	"path"
	"path/filepath"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// onNoBranch is to be known of a commit on a detached HEAD.
const onNoBranch = "HEAD is detached: the commit is on no branch. Make a branch of it before you switch."

// Ready fails as a commit of any memory would fail now, and takes no lock. notice
// is what to know of commits that can be made, "" for nothing.
func (r *Repo) Ready(ctx context.Context) (notice string, err error) {
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	if err := checkBranch(head); err != nil {
		return "", err
	}
	settings, _, err := r.askSettings(ctx)()
	if err != nil {
		return "", err
	}
	if err := r.checkOperation(ctx); err != nil {
		return "", err
	}
	if _, err := r.findHooks(ctx, settings); err != nil {
		return "", err
	}
	if err := r.checkConversion(settings); err != nil {
		return "", err
	}
	return r.noticeOf(head), nil
}

// checkConversion refuses attributes that git gives to every memory of a bucket,
// and that make it change them when they are committed.
func (r *Repo) checkConversion(s settings) error {
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return storageFailure(err)
	}
	defer root.Close()
	rd := newAttributeReader(&attempt{r: r, root: root, settings: s})
	for _, bucket := range memory.Buckets {
		if what := rd.of(path.Join(r.prefix, bucket, "memory.html")).conversion(); what != "" {
			return converted("memories in "+bucket, what)
		}
	}
	return nil
}

// converted refuses content that git would change (what names the attribute).
func converted(of, what string) error {
	return unsupported("Git would change the content of %s when it is committed (%s), and memhtml-ls does not.", of, what).
		Suggest("Make this change with git, or take that setting away for the memories.")
}

func (r *Repo) noticeOf(head Head) string {
	switch {
	case head.Detached && exists(filepath.Join(r.gitDir, "BISECT_LOG")):
		return "Git is in the middle of a bisect: a commit would be left on no branch. Finish it with git bisect reset first."
	case head.Detached:
		return "HEAD is detached: a commit would be on no branch. Switch to a branch first, or make one with git switch -c NAME."
	case head.Unborn:
		return "This branch has no commit yet: the next one is its first."
	default:
		return ""
	}
}

// checkBranch refuses a HEAD that is on no branch that a commit could move.
func checkBranch(head Head) error {
	if head.Detached || isBranch(head.Branch) {
		return nil
	}
	return failure.New(failure.GitState, "HEAD of the git repository is on no ordinary branch.").
		Suggest("Switch to a branch, then try again.")
}
