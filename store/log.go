package store

import (
	"bytes"
	"context"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// CommitInfo is what one commit says of itself.
type CommitInfo struct {
	// ID and Parents are hex ids. A parent that a shallow clone lacks is named
	// all the same.
	ID      string
	Parents []string
	// Subject is the first line of the message.
	Subject string
}

// CommitInfo reads one commit by its full hex id.
func (r *Repo) CommitInfo(id string) (CommitInfo, error) {
	name, err := parseOID(id)
	if err != nil {
		return CommitInfo{}, failure.New(failure.InvalidFlag, "This is not the id of a commit.").Wrap(err)
	}
	if !r.hasObject(name) {
		return CommitInfo{}, failure.New(failure.InvalidFlag, "There is no commit %s in this repository.", id)
	}
	return r.commitInfo(name)
}

func (r *Repo) commitInfo(id oid) (CommitInfo, error) {
	c, err := r.commit(id)
	if err != nil {
		return CommitInfo{}, err
	}
	raw, err := r.object(plumbing.CommitObject, id)
	if err != nil {
		return CommitInfo{}, failure.New(failure.Git, "A commit cannot be read from the git repository.").Wrap(err)
	}
	info := CommitInfo{ID: id.String(), Subject: subjectOf(raw)}
	for _, parent := range c.parents {
		info.Parents = append(info.Parents, parent.String())
	}
	return info, nil
}

func subjectOf(raw []byte) string {
	_, message, _ := bytes.Cut(raw, []byte("\n\n"))
	line, _, _ := bytes.Cut(bytes.TrimLeft(message, "\n"), []byte("\n"))
	return strings.TrimRight(string(line), "\r \t")
}

// FindCommit returns the newest commit reachable from HEAD that accept takes,
// looking at no more than limit commits.
func (r *Repo) FindCommit(ctx context.Context, limit int, accept func(CommitInfo) bool) (found CommitInfo, ok bool, err error) {
	err = r.walkHistory(ctx, limit, func(c walked) (follow []oid, done bool, err error) {
		info, err := r.commitInfo(c.id)
		if err != nil {
			return nil, false, err
		}
		if accept(info) {
			found, ok = info, true
		}
		return c.parents, ok, nil
	})
	return found, ok, err
}

// LastChange returns the newest commit reachable from HEAD that left a path
// otherwise than it found it, looking at no more than limit commits. Of a merge
// the sides that have the path as the merge has it are looked at.
func (r *Repo) LastChange(ctx context.Context, path string, limit int) (id string, ok bool, err error) {
	full := r.full(path)
	err = r.walkHistory(ctx, limit, func(c walked) (follow []oid, done bool, err error) {
		here, err := r.blobIn(c.tree, full)
		if err != nil {
			return nil, false, err
		}
		for _, parent := range c.parents {
			there, err := r.blobOfCommit(parent, full)
			if err != nil {
				return nil, false, err
			}
			if there == here {
				follow = append(follow, parent)
			}
		}
		if len(follow) == 0 && (len(c.parents) > 0 || here != Blob{}) {
			id, ok = c.id.String(), true
		}
		return follow, ok, nil
	})
	return id, ok, err
}

// walkHistory visits commits from HEAD on, the newest first; visit says which
// parents to go on to. The history of a shallow clone ends where its parents
// are missing.
func (r *Repo) walkHistory(ctx context.Context, limit int, visit func(walked) (follow []oid, done bool, err error)) error {
	head, err := r.Head(ctx)
	if err != nil || head.Unborn {
		return err
	}
	w := walk{r: r, seen: map[oid]bool{}, has: map[oid]bool{}}
	follow := []oid{head.id()}
	for range limit {
		for _, id := range follow {
			if err := w.queueCommit(id); err != nil {
				return err
			}
		}
		c, more := w.pop()
		if !more {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return cancelled(err)
		}
		var done bool
		if follow, done, err = visit(c); err != nil || done {
			return err
		}
	}
	return nil
}

// queueCommit is push for a walk that follows no path.
func (w *walk) queueCommit(id oid) error {
	if w.seen[id] || !w.r.hasObject(id) {
		return nil
	}
	w.seen[id] = true
	c, err := w.r.commit(id)
	if err == nil {
		w.queue = append(w.queue, walked{commitObject: c, id: id})
	}
	return err
}
