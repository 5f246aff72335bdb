package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Diff tells which regular files below the root differ between the trees of two
// commits: true for one that the second has, false for one that only the first
// has. "" is the empty tree of an unborn branch. Folders with equal ids are not
// read, so the cost is that of what changed.
func (r *Repo) Diff(ctx context.Context, from, to string) (map[string]bool, error) {
	old, err := r.rootTree(from)
	if err != nil {
		return nil, err
	}
	now, err := r.rootTree(to)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	return changed, r.diffTrees(ctx, old, now, "", changed)
}

// rootTree is the tree of the memory root in a commit; zero when it has none.
func (r *Repo) rootTree(commit string) (oid, error) {
	if commit == "" {
		return oid{}, nil
	}
	tree, err := r.commitTree(commit)
	if err != nil || r.prefix == "" {
		return tree, err
	}
	entry, ok, err := r.lookup(tree, r.prefix)
	if err != nil || !ok || !entry.isTree() {
		return oid{}, err
	}
	return entry.id, nil
}

func (r *Repo) diffTrees(ctx context.Context, old, now oid, dir string, changed map[string]bool) error {
	if err := ctx.Err(); err != nil {
		return cancelled(err)
	}
	if old == now {
		return nil
	}
	before, err := r.entries(old)
	if err != nil {
		return err
	}
	after, err := r.entries(now)
	if err != nil {
		return err
	}
	for name := range before {
		if _, both := after[name]; !both {
			after[name] = treeEntry{}
		}
	}
	for name, entry := range after {
		if err := r.diffEntries(ctx, before[name], entry, dir+name, changed); err != nil {
			return err
		}
	}
	return nil
}

// diffEntries compares what one name stands for before and after; the zero
// entry is nothing.
func (r *Repo) diffEntries(ctx context.Context, old, now treeEntry, path string, changed map[string]bool) error {
	if old.id == now.id && old.mode == now.mode {
		return nil
	}
	switch {
	case now.isFile():
		changed[path] = true
	case old.isFile():
		changed[path] = false
	}
	var below [2]oid
	for i, entry := range []treeEntry{old, now} {
		if entry.isTree() {
			below[i] = entry.id
		}
	}
	return r.diffTrees(ctx, below[0], below[1], path+"/", changed)
}

// entries reads one folder, without those below it.
func (r *Repo) entries(tree oid) (map[string]treeEntry, error) {
	raw, err := r.tree(tree)
	if err != nil {
		return nil, err
	}
	entries := map[string]treeEntry{}
	return entries, scanTree(raw, func(entry treeEntry) error {
		entries[string(entry.name)] = entry
		return nil
	})
}

// Stamp changes whenever HEAD's commit or git's index file does; two equal
// stamps mean that neither moved. It costs a few system calls.
func (r *Repo) Stamp(ctx context.Context) (string, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	index := "none"
	if info, err := os.Stat(filepath.Join(r.gitDir, "index")); err == nil {
		index = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	return head.Commit + " " + index, nil
}

// Busy reports whether a git process, or a commit of ours, is about to replace
// the index: what is on disk now is on its way to something else.
func (r *Repo) Busy() bool {
	_, err := os.Lstat(filepath.Join(r.gitDir, "index.lock"))
	return err == nil
}

// Holds reports whether the last commit has a file or a folder at a path below
// the root, whatever is on disk.
func (r *Repo) Holds(ctx context.Context, path string) (bool, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return false, err
	}
	tree, err := r.rootTree(head.Commit)
	if err != nil {
		return false, err
	}
	_, ok, err := r.lookup(tree, path)
	return ok, err
}
