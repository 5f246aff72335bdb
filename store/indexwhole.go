package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// errPartial is in the chain where an index file does not say everything
// itself: it is split, or sparse.
var errPartial = errors.New("index in more than one piece")

const (
	wholePrefix = "whole-"
	// wholeAge is when a folder for a whole index is taken for one that a
	// killed process has left.
	wholeAge = time.Hour
)

// readIndexFile reads and verifies an index.
func (r *Repo) readIndexFile(ctx context.Context, path string) (*indexFile, error) {
	x, err := r.openIndex(ctx, path)
	if err == nil {
		err = x.verify()
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

// openIndex reads an index. One that is split or sparse git makes whole,
// in a copy: an index that leaves nothing out is as good to git, which splits
// it again, or folds it, when it next writes it with that setting.
func (r *Repo) openIndex(ctx context.Context, path string) (*indexFile, error) {
	x, err := readIndexAt(path)
	if !errors.Is(err, errPartial) {
		return x, err
	}
	if err := os.MkdirAll(r.writerDir(), 0o777); err != nil {
		return nil, storageFailure(err)
	}
	dir, err2 := os.MkdirTemp(r.writerDir(), wholePrefix)
	if err2 != nil {
		return nil, storageFailure(err2)
	}
	defer os.RemoveAll(dir)
	whole, err2 := r.rewriteIndex(ctx, x, filepath.Join(dir, "index"), "update-index", "--no-split-index")
	switch {
	case errors.Is(err2, errPartial):
		return nil, err
	case err2 != nil:
		return nil, err2
	}
	whole.stat = x.stat
	return whole, nil
}

// rewriteIndex lets a git command change a copy of an index, at path, and
// returns it.
func (r *Repo) rewriteIndex(ctx context.Context, x *indexFile, path string, args ...string) (*indexFile, error) {
	if x.stat != nil {
		err := os.WriteFile(path, x.raw, 0o666)
		// Its time is what git tells racy entries by.
		if err = errors.Join(err, os.Chtimes(path, x.stat.ModTime(), x.stat.ModTime())); err != nil {
			return nil, storageFailure(err)
		}
	}
	whole := []string{
		"-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.fsmonitor=false",
		"-c", "core.untrackedCache=false", "-c", "core.hooksPath=" + os.DevNull,
	}
	c := gitCall{dir: r.top, env: []string{"GIT_INDEX_FILE=" + path, "GIT_DIR=" + r.gitDir, "GIT_WORK_TREE=" + r.top}}
	if _, err := c.run(ctx, append(whole, args...)...); err != nil {
		if ctx.Err() != nil {
			return nil, cancelled(ctx.Err())
		}
		return nil, gitFailure("Git could not make an index of its own for this commit.", err)
	}
	return readIndexAt(path)
}

// clearWhole removes what killed processes have left of readIndexFile. Readers
// hold no lock, so that only age tells.
func (r *Repo) clearWhole() {
	entries, _ := os.ReadDir(r.writerDir())
	for _, e := range entries {
		st, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), wholePrefix) && time.Since(st.ModTime()) > wholeAge {
			_ = os.RemoveAll(filepath.Join(r.writerDir(), e.Name()))
		}
	}
}
