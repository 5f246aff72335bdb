package store

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
)

// Ignored are those of the paths that git is told to ignore, by a .gitignore of
// the tree, of the repository or of the person, whether or not they are tracked.
// It is one call of git, however many there are, and none for none.
func (r *Repo) Ignored(ctx context.Context, paths ...string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var asked strings.Builder
	for _, p := range paths {
		asked.WriteString(r.full(p) + "\x00")
	}
	c := gitCall{dir: r.top, env: []string{"GIT_DIR=" + r.gitDir, "GIT_WORK_TREE=" + r.top}, stdin: []byte(asked.String())}
	out, err := c.run(ctx, "check-ignore", "--no-index", "--stdin", "-z")
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return nil, nil // none is
	case err != nil:
		return nil, err
	}
	told := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		told[name] = true
	}
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !told[r.full(p)] }), nil
}
