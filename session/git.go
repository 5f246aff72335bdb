package session

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/store"
)

// enter lets commits enter the funnel: it brings File.Tracked and File.Unmerged
// up to HEAD and git's index as they are now, at the cost of what changed
// between two commits, and reads the named files.
func (r *Root) enter(ctx context.Context, paths []string) error {
	r.disk.Lock()
	defer r.disk.Unlock()
	read, err := r.readGit(ctx)
	mods := make([]Modification, len(paths))
	for i, path := range paths {
		mods[i] = Modification{Kind: Touched, Path: path}
	}
	read.rows = r.readTouched(mods)
	r.install(mods, read)
	return err
}

// readGit compares HEAD and git's index with the last look at them. Caller
// holds r.disk.
func (r *Root) readGit(ctx context.Context) (reading, error) {
	if r.repo == nil {
		return reading{}, nil
	}
	stamp, err := r.repo.Stamp(ctx)
	if err != nil || stamp == r.gitStamp {
		return reading{}, err
	}
	head, err := r.repo.Head(ctx)
	if err != nil {
		return reading{}, err
	}
	read := reading{}
	if head.Commit != r.head.Commit {
		if read.tracked, err = r.retracked(ctx, r.head.Commit, head.Commit); err != nil {
			return reading{}, err
		}
	}
	if read.unmerged, err = r.readUnmerged(ctx); err != nil {
		return reading{}, err
	}
	r.gitStamp = stamp
	r.setHead(head)
	read.head = &head
	return read, nil
}

// retracked tells which files are in the tree of a commit, of those that are not
// as in the tree of the last one: the cost is that of what changed. Where the
// last one is not to be had any more, it tells of all files.
func (r *Root) retracked(ctx context.Context, from, to string) (map[string]bool, error) {
	changed, err := r.repo.Diff(ctx, from, to)
	if err == nil || ctx.Err() != nil {
		return changed, err
	}
	r.log.Warn("read the whole tree of HEAD: the commit before cannot be read", "err", err)
	tracked, err := r.repo.Tracked(ctx, to)
	if err != nil {
		return nil, err
	}
	changed = make(map[string]bool, len(tracked))
	for file := range r.View().Snapshot.DiskFiles() {
		changed[file.Path] = false
	}
	for path := range tracked {
		changed[path] = true
	}
	return changed, nil
}

func (r *Root) readUnmerged(ctx context.Context) (map[string]bool, error) {
	paths, err := r.repo.Unmerged(ctx)
	if err != nil {
		return nil, err
	}
	unmerged := make(map[string]bool, len(paths))
	for _, path := range paths {
		unmerged[path] = true
	}
	return unmerged, nil
}

// setHead records the commit the Views speak of.
func (r *Root) setHead(head store.Head) {
	r.mu.Lock()
	r.head = head
	r.mu.Unlock()
}

// Head is the commit the Views speak of.
func (r *Root) Head() store.Head {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head
}
