package store

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// oid is the id of a git object; the zero oid means "none".
type oid [20]byte

func (o oid) String() string { return hex.EncodeToString(o[:]) }

func parseOID(s string) (oid, error) {
	var o oid
	if len(s) != 2*len(o) {
		return o, errors.New("not an object id")
	}
	_, err := hex.Decode(o[:], []byte(s))
	return o, err
}

// Head is where HEAD stands.
type Head struct {
	// Commit is the hex id of the commit, "" when Unborn.
	Commit string
	// Branch is the full name of the branch, "" when Detached.
	Branch string
	// Detached is set when HEAD names a commit and no branch.
	Detached bool
	// Unborn is set when the branch has no commit.
	Unborn bool
}

// ref is the name of the reference that a commit moves.
func (h Head) ref() string {
	if h.Detached {
		return "HEAD"
	}
	return h.Branch
}

func (h Head) id() oid {
	o, err := parseOID(h.Commit)
	if err != nil {
		return oid{}
	}
	return o
}

// maxSymrefs bounds a chain of symbolic references, as git does.
const maxSymrefs = 5

// Head reads where HEAD stands.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if err := ctx.Err(); err != nil {
		return Head{}, cancelled(err)
	}
	name := "HEAD"
	for range maxSymrefs {
		id, target, err := r.readRef(name)
		switch {
		case err != nil && name != "HEAD" && errors.Is(err, plumbing.ErrReferenceNotFound):
			return Head{Branch: name, Unborn: true}, nil
		case err != nil:
			return Head{}, failure.New(failure.Git, "HEAD of the git repository cannot be read.").Wrap(err)
		case target != "":
			name = target
		case name == "HEAD":
			return Head{Commit: id.String(), Detached: true}, nil
		default:
			return Head{Commit: id.String(), Branch: name}, nil
		}
	}
	return Head{}, failure.New(failure.Git, "HEAD of the git repository goes round in circles.")
}

// readRef reads one reference: an id, or the name it stands for. A loose file
// that exists but cannot be read is an error, never the packed value, which is
// older.
func (r *Repo) readRef(name string) (id oid, target string, err error) {
	b, err := os.ReadFile(r.refPath(name))
	switch {
	case err == nil:
		return parseRef(string(b))
	case !errors.Is(err, os.ErrNotExist) && !isDir(r.refPath(name)):
		return oid{}, "", err
	}
	r.storageMu.Lock()
	defer r.storageMu.Unlock()
	ref, err := r.storage.Reference(plumbing.ReferenceName(name))
	if err != nil {
		return oid{}, "", err
	}
	return oid(ref.Hash()), ref.Target().String(), nil
}

func parseRef(s string) (oid, string, error) {
	s = strings.TrimRight(s, "\r\n \t")
	if target, ok := strings.CutPrefix(s, "ref:"); ok {
		return oid{}, strings.TrimSpace(target), nil
	}
	id, err := parseOID(s)
	return id, "", err
}

// refPath is the loose file of a reference: HEAD is the worktree's own, a
// branch belongs to all of them.
func (r *Repo) refPath(name string) string {
	if name == "HEAD" {
		return filepath.Join(r.gitDir, name)
	}
	return filepath.Join(r.commonDir, filepath.FromSlash(name))
}

// logPath is the reflog of a reference.
func (r *Repo) logPath(name string) string {
	if name == "HEAD" {
		return filepath.Join(r.gitDir, "logs", name)
	}
	return filepath.Join(r.commonDir, "logs", filepath.FromSlash(name))
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// Tracked returns the blob of every regular file of a commit below the root,
// by root-relative path; none for the commit "" of an unborn branch. Its cost
// is that of reading all trees of the commit.
func (r *Repo) Tracked(ctx context.Context, commit string) (map[string][20]byte, error) {
	files := map[string][20]byte{}
	if commit == "" {
		return files, nil
	}
	tree, err := r.commitTree(commit)
	if err != nil {
		return nil, err
	}
	if r.prefix != "" {
		e, ok, err := r.lookup(tree, r.prefix)
		if err != nil || !ok || !e.isTree() {
			return files, err
		}
		tree = e.id
	}
	return files, r.walkTree(ctx, tree, "", files)
}

func (r *Repo) walkTree(ctx context.Context, tree oid, dir string, files map[string][20]byte) error {
	if err := ctx.Err(); err != nil {
		return cancelled(err)
	}
	raw, err := r.tree(tree)
	if err != nil {
		return err
	}
	return scanTree(raw, func(e treeEntry) error {
		switch {
		case e.isTree():
			return r.walkTree(ctx, e.id, dir+string(e.name)+"/", files)
		case e.isFile():
			files[dir+string(e.name)] = e.id
		}
		return nil
	})
}

// commitTree returns the tree of a commit given by hex id.
func (r *Repo) commitTree(commit string) (oid, error) {
	id, err := parseOID(commit)
	if err != nil {
		return oid{}, failure.New(failure.Git, "This is not the id of a commit.").Wrap(err)
	}
	c, err := r.commit(id)
	return c.tree, err
}
