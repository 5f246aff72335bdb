package store

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// Blob is a regular file in a commit; the zero Blob is none.
type Blob struct {
	ID         [20]byte
	Executable bool
}

// FileChange is what a commit did to one root-relative path.
type FileChange struct {
	Path          string
	Before, After Blob
}

// BlobAt returns the regular file that a commit has at a root-relative path; ok
// is false where it has none, as the commit "" of an unborn branch never does.
func (r *Repo) BlobAt(commit, path string) (blob Blob, ok bool, err error) {
	if commit == "" {
		return Blob{}, false, nil
	}
	tree, err := r.commitTree(commit)
	if err != nil {
		return Blob{}, false, err
	}
	blob, err = r.blobIn(tree, r.full(path))
	return blob, blob != Blob{}, err
}

func (r *Repo) blobOfCommit(id oid, full string) (Blob, error) {
	if !r.hasObject(id) {
		return Blob{}, nil
	}
	c, err := r.commit(id)
	if err != nil {
		return Blob{}, err
	}
	return r.blobIn(c.tree, full)
}

func (r *Repo) blobIn(tree oid, full string) (Blob, error) {
	entry, ok, err := r.lookup(tree, full)
	if err != nil || !ok || !entry.isFile() {
		return Blob{}, err
	}
	return entry.blob(), nil
}

func (e treeEntry) blob() Blob { return Blob{ID: e.id, Executable: e.mode == modeExecutable} }

// ReadBlob returns the content of a file in a commit, as git has it.
func (r *Repo) ReadBlob(id [20]byte) ([]byte, error) {
	data, err := r.object(blobObject, id)
	if err != nil {
		return nil, failure.New(failure.Git, "An earlier version of a file cannot be read from the git repository.").
			Suggest("Run git fsck there.").Wrap(err)
	}
	return data, nil
}

// Changes returns what a commit did to files, in no order. It refuses one that
// has not exactly one parent, and one that touched something else than regular
// files below the root. Folders with equal ids are not read.
func (r *Repo) Changes(ctx context.Context, commit string) ([]FileChange, error) {
	info, err := r.CommitInfo(commit)
	switch {
	case err != nil:
		return nil, err
	case len(info.Parents) == 0:
		return nil, failure.New(failure.GitState, "Commit %.7s is the first of the history.", commit)
	case len(info.Parents) > 1:
		return nil, failure.New(failure.GitState, "Commit %.7s is a merge.", commit)
	}
	before, err := r.commitTree(info.Parents[0])
	if err != nil {
		return nil, err
	}
	after, err := r.commitTree(commit)
	if err != nil {
		return nil, err
	}
	d := differ{r: r}
	err = d.trees(ctx, before, after, "")
	return d.changes, err
}

// differ collects the files that differ between two trees.
type differ struct {
	r       *Repo
	changes []FileChange
}

func (d *differ) trees(ctx context.Context, before, after oid, dir string) error {
	if err := ctx.Err(); err != nil {
		return cancelled(err)
	}
	old, err := d.r.entries(before)
	if err != nil {
		return err
	}
	now, err := d.r.entries(after)
	if err != nil {
		return err
	}
	for name := range old {
		if _, both := now[name]; !both {
			now[name] = treeEntry{}
		}
	}
	for name, entry := range now {
		if err := d.entry(ctx, old[name], entry, dir+name); err != nil {
			return err
		}
	}
	return nil
}

func (d *differ) entry(ctx context.Context, old, now treeEntry, full string) error {
	if old.id == now.id && old.mode == now.mode {
		return nil
	}
	if old.isTree() || now.isTree() {
		return d.below(ctx, old, now, full)
	}
	return d.file(old, now, full)
}

// below compares what is a folder on one side or both; a file that became a
// folder is a change of its own.
func (d *differ) below(ctx context.Context, old, now treeEntry, full string) error {
	var trees [2]oid
	for i, entry := range []*treeEntry{&old, &now} {
		if entry.isTree() {
			trees[i], *entry = entry.id, treeEntry{}
		}
	}
	if old.mode != now.mode {
		if err := d.file(old, now, full); err != nil {
			return err
		}
	}
	return d.trees(ctx, trees[0], trees[1], full+"/")
}

func (d *differ) file(old, now treeEntry, full string) error {
	path, inside := d.r.rel(full)
	change := FileChange{Path: path}
	for entry, blob := range map[*treeEntry]*Blob{&old: &change.Before, &now: &change.After} {
		switch {
		case entry.isFile():
			*blob = entry.blob()
		case entry.mode != "":
			inside = false
		}
	}
	if !inside {
		return failure.New(failure.GitState, "The commit touched more than the files of this memory root.")
	}
	d.changes = append(d.changes, change)
	return nil
}
